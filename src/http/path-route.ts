/** Groups endpoints by path and method. */
import type { Address } from './address.ts';
import type { AnyEndpoint, Endpoint } from './endpoint.ts';

/** A path with its endpoints, one per method. */
export interface PathRoute<E extends AnyEndpoint = Endpoint> {
  readonly path: string;
  readonly endpoints: ReadonlyMap<string, E>;
  readonly allow: string;
}

export const NOTHING_HERE: Address<PathRoute> = Object.freeze({
  route: undefined,
  value: '',
  secondValue: '',
  query: '',
});

/** HEAD is handled like GET. */
export function groupByPath<E extends AnyEndpoint>(endpoints: readonly E[]): PathRoute<E>[] {
  return Array.from(
    Map.groupBy(endpoints, (endpoint) => endpoint.path.toLowerCase()),
    ([, group]) => {
      const byMethod = new Map<string, E>(group.map((endpoint) => [endpoint.method, endpoint]));
      const read = byMethod.get('GET');
      if (read !== undefined) byMethod.set('HEAD', read);
      return { path: group[0]?.path ?? '', endpoints: byMethod, allow: [...byMethod.keys()].join(', ') };
    },
  );
}
