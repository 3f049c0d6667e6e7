/**
 * In charge of what the variation groups of some offers make of them, and of having the other members reviewed again where
 * they were reviewed as what they are no longer: a SKU is left out of its group by what the others are.
 *
 * A write marks the SKU alone, or those that join, leave or lose a group by it; to mark a group of 2,001 with each upload of
 * a member would cost the upload more than all else, and to mark the group that a member has left would lock what nobody
 * locked before. So the review tells the others when it comes to the one that was written. It goes by what they were reviewed
 * to be, not by what has changed: a change that was taken back before it was reviewed may have been seen by some of them.
 */
import type { Evidence, OfferFacts } from '../domain/review/facts.ts';
import { type GroupEvidence, type GroupStanding, wrongIn } from '../domain/variation-group.ts';
import type { OfferReviewStore } from '../store/port/review.ts';

export interface GroupedOffer {
  readonly skuId: string;
  readonly facts: OfferFacts;
  /** What was found before. */
  readonly evidence: Evidence;
}

type Groups = Pick<OfferReviewStore, 'readGroupsOf' | 'markDue'>;

/** Each may have 2,001 members: this bounds what one read takes. */
const MEMBERS_TOGETHER = 10;

/** In the order of the offers; undefined for those in no group. */
export async function lookUpGroups(
  store: Groups,
  accountId: number,
  offers: readonly GroupedOffer[],
): Promise<readonly (GroupEvidence | undefined)[]> {
  const members = offers.filter(({ facts }) => facts.inGroup).map(({ skuId }) => skuId);
  const groups = await readGroups(store, accountId, members);
  const found = offers.map(({ skuId, facts }) => {
    const group = facts.inGroup ? groups.get(skuId) : undefined;
    return group === undefined ? undefined : evidenceIn(group, skuId);
  });
  const left = offers.flatMap(({ evidence }, place) => {
    const before = evidence.group?.parent;
    return before === undefined || before === found[place]?.parent ? [] : [before];
  });
  const leftGroups = await readGroups(
    store,
    accountId,
    left.filter((parent) => !groups.has(parent)),
  );
  await tellOthers(store, accountId, new Set([...groups.values(), ...leftGroups.values()]), offers);
  return found;
}

/** By member. One that has left its group since it was found due is in none; it is due again. */
async function readGroups(
  store: Groups,
  accountId: number,
  members: readonly string[],
): Promise<ReadonlyMap<string, GroupStanding>> {
  const left = new Set(members);
  const groups = new Map<string, GroupStanding>();
  while (left.size > 0) {
    const asked = [...left.values().take(MEMBERS_TOGETHER)];
    for (const skuId of asked) left.delete(skuId);
    for (const group of await store.readGroupsOf(accountId, asked)) {
      for (const { skuId } of group.members) {
        groups.set(skuId, group);
        left.delete(skuId);
      }
    }
  }
  return groups;
}

function evidenceIn(group: GroupStanding, skuId: string): GroupEvidence {
  const leftOut = group.members.find((member) => member.skuId === skuId)?.leftOut ?? null;
  return { parent: group.parentSkuId, leftOut };
}

/** Those that are reviewed now are reviewed by what was read of the groups, or are due again. */
async function tellOthers(
  store: Groups,
  accountId: number,
  groups: ReadonlySet<GroupStanding>,
  reviewed: readonly GroupedOffer[],
): Promise<void> {
  const now = new Set(reviewed.map(({ skuId }) => skuId));
  const others = [...groups].flatMap((group) => wrongIn(group).filter((skuId) => !now.has(skuId)));
  if (others.length > 0) await store.markDue(accountId, [...new Set(others)]);
}
