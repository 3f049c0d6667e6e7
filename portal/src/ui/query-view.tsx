/** Renders a query: its data, a loading indicator or an error. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failed, Loading } from './states.tsx';

interface QueryViewProps<T> {
  readonly query: UseQueryResult<T>;
  /** Names the data in the loading text. */
  readonly what: string;
  readonly children: (data: T) => ReactNode;
}

/** Keeps showing loaded data during a refetch. If the refetch fails, the error appears above the data. */
export function QueryView<T>({ query, what, children }: QueryViewProps<T>) {
  if (query.data === undefined) {
    if (query.isError) return <Failed error={query.error} retry={() => query.refetch()} />;
    return <Loading what={what} />;
  }
  return (
    <>
      {query.isError && <Failed error={query.error} retry={() => query.refetch()} />}
      {children(query.data)}
    </>
  );
}
