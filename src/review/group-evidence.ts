/**
 * Reads the group role of a batch of offers, and marks other members as due if their role changed: whether a SKU is
 * excluded from its group depends on the other members (domain/offers/variation-group.ts decides).
 *
 * A write marks only its SKU and the SKUs that join, leave or lose a group because of it. Marking a group of 2,001 with
 * each upload of a member would dominate the cost of the upload, and marking the group that a member left would need
 * another lock. So the review of the written SKU marks the others. It compares each member's role with the role at its
 * last review, not with the latest change, because some members may have been reviewed with a change that was later
 * reverted.
 */
import { type GroupEvidence, type GroupStanding, wrongIn } from '../domain/offers/variation-group.ts';
import type { OfferReviewStore } from '../store/port/review.ts';
import type { OfferInReview } from './offer-in-review.ts';

type Groups = Pick<OfferReviewStore, 'readGroupsOf' | 'markDue'>;

/** How many SKUs' groups are read together. A group may have 2,001 members. */
const MEMBERS_TOGETHER = 10;

/** Returns evidence in the order of the offers; undefined for offers without a group. */
export async function lookUpGroups(
  store: Groups,
  accountId: number,
  offers: readonly OfferInReview[],
): Promise<readonly (GroupEvidence | undefined)[]> {
  const members = offers.filter(({ facts }) => facts.inGroup).map(({ skuId }) => skuId);
  const groups = await readGroups(store, accountId, members);
  const found = offers.map(({ skuId, facts }) => {
    const group = facts.inGroup ? groups.get(skuId) : undefined;
    return group === undefined ? undefined : evidenceIn(group, skuId);
  });
  const left = offers.flatMap(({ evidence }, index) => {
    const before = evidence.group?.parent;
    return before === undefined || before === found[index]?.parent ? [] : [before];
  });
  const leftGroups = await readGroups(
    store,
    accountId,
    left.filter((parent) => !groups.has(parent)),
  );
  await markOthers(store, accountId, new Set([...groups.values(), ...leftGroups.values()]), offers);
  return found;
}

/** Returns groups by member. Excludes offers that left their group after they were read as due; they are due again. */
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

/** Skips the offers of this batch: their review uses the data just read, or they are due again. */
async function markOthers(
  store: Groups,
  accountId: number,
  groups: ReadonlySet<GroupStanding>,
  reviewed: readonly OfferInReview[],
): Promise<void> {
  const now = new Set(reviewed.map(({ skuId }) => skuId));
  const marked = [...groups].flatMap((group) => [
    ...wrongIn(group).filter((skuId) => !now.has(skuId)),
    ...unsettledIn(group, now),
  ]);
  if (marked.length > 0) await store.markDue(accountId, [...new Set(marked)]);
}

/**
 * Returns members of this batch that are excluded because they repeat the values of a SKU that was not reviewed in this group yet. If
 * that SKU leaves the group before its review, its evidence does not name the group, so its review would not mark them.
 */
function unsettledIn({ parentSkuId, members }: GroupStanding, now: ReadonlySet<string>): readonly string[] {
  const unreviewed = new Set(
    members
      .filter(({ skuId, reviewed }) => !now.has(skuId) && reviewed?.parent !== parentSkuId)
      .map(({ skuId }) => skuId),
  );
  return members.flatMap(({ skuId, leftOut }) => {
    return now.has(skuId) && leftOut?.why === 'values_repeated' && unreviewed.has(leftOut.of) ? [skuId] : [];
  });
}
