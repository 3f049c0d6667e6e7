/** Loads a component's code after the page. If that fails, the rest of the page keeps working. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { ApiError } from '../api/problem.ts';
import { QueryView } from './query-view.tsx';

/** Unlike React's `lazy`, a failed load can be retried and does not unmount the page. `what` names the component in texts. */
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
  const message = `Couldn't load the ${what}. Try again, or reload the page.`;
  return new ApiError(0, [{ code: 'not_loaded', field: '', message }]);
}
