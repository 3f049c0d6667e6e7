/** In charge of parts of a page whose code comes after the page: one that does not come leaves the rest standing. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { ApiError } from '../api/problem.ts';
import { QueryView } from './query-view.tsx';

/** As React's `lazy`, which keeps a failure for ever and takes the page down with it. `what`: in a word or two. */
export function loadedLater<Props extends object>(
  name: string,
  what: string,
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const code = queryOptions({
    queryKey: ['code', name],
    queryFn: async () => {
      try {
        return { Part: await load() };
      } catch {
        throw notLoaded(what);
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  return function LoadedLater(props: Props) {
    return (
      <QueryView query={useQuery(code)} what={what}>
        {({ Part }) => <Part {...props} />}
      </QueryView>
    );
  };
}

function notLoaded(what: string): ApiError {
  const message = `The ${what} could not be loaded. Try again; where that does not help, load the page anew.`;
  return new ApiError(0, [{ code: 'not_loaded', field: '', message }]);
}
