/** Decides whether SKUs can form a variation group. */
import type { GroupOutcome } from '../port/offers.ts';

/** Returns why these SKUs, parent first, cannot be a group; `flags` has the archive flag of each SKU that exists. */
export function refusalOf(
  [parent = '', ...children]: readonly string[],
  flags: ReadonlyMap<string, boolean | 0 | 1>,
): Exclude<GroupOutcome, 'stored'> | undefined {
  const stateOf = (skuId: string) => {
    const archived = flags.get(skuId);
    return archived === undefined ? 'unknown' : archived ? 'archived' : undefined;
  };
  const refused = children.flatMap((skuId) => {
    const state = stateOf(skuId);
    return state === undefined ? [] : [{ skuId, state } as const];
  });
  return stateOf(parent) ?? (refused.length > 0 ? { refused } : undefined);
}
