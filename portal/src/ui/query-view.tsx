/** In charge of showing a query: its data, or that it loads, or that it failed. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failed, Loading } from './states.tsx';

interface QueryViewProps<T> {
  readonly query: UseQueryResult<T>;
  /** What is loading, in a word or two. */
  readonly what: string;
  readonly children: (data: T) => ReactNode;
}

/** Data that was shown stays while it is asked for again; a failure then stands above it. */
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
