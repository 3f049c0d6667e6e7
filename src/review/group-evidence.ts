/**
 * In charge of what the variation groups of some offers make of them, and of having the other members judged again where
 * one of these has become another: a SKU is left out of its group by what the others are.
 *
 * A write marks the SKU alone, or all members of the groups that it changes; to mark a group of 2,001 with each upload of a
 * member would cost the upload more than all else. So the review tells the others when it comes to the one that has changed.
 */
import { hash } from 'node:crypto';
import type { Evidence, GroupEvidence, OfferFacts } from '../domain/review/facts.ts';
import { type GroupStanding, memberTraits } from '../domain/variation-group.ts';
import type { OfferReviewStore } from '../store/review-port.ts';

export interface GroupedOffer {
  readonly skuId: string;
  readonly facts: OfferFacts;
  /** What was found before. */
  readonly evidence: Evidence;
}

type Groups = Pick<OfferReviewStore, 'readGroupsOf' | 'markDue'>;

/** Each may have 2,001 members: this bounds what one read takes. */
const MEMBERS_TOGETHER = 10;
const TRAITS_CHARACTERS = 16;

/** In the order of the offers; undefined for those in no group. */
export async function lookUpGroups(
  store: Groups,
  accountId: number,
  offers: readonly GroupedOffer[],
): Promise<readonly (GroupEvidence | undefined)[]> {
  const members = offers.filter(({ facts }) => facts.inGroup).map(({ skuId }) => skuId);
  if (members.length === 0) return offers.map(() => undefined);
  const groups = await readGroups(store, accountId, members);
  const found = offers.map(({ skuId, facts }) => {
    const group = groups.get(skuId);
    return group === undefined ? undefined : evidenceIn(group, skuId, facts);
  });
  const changed = offers.flatMap(({ skuId, evidence }, place) => {
    const [before, now] = [evidence.group, found[place]];
    // One that was not judged in this group yet may have been another when the others were.
    return now === undefined || (before?.parent === now.parent && before.traits === now.traits) ? [] : [skuId];
  });
  await tellOthers(store, accountId, new Set(changed.flatMap((skuId) => groups.get(skuId) ?? [])), members);
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

function evidenceIn(group: GroupStanding, skuId: string, { document }: OfferFacts): GroupEvidence {
  const text = memberTraits(document, group.refinements);
  const traits = hash('sha256', text, 'base64url').slice(0, TRAITS_CHARACTERS);
  const leftOut = group.members.find((member) => member.skuId === skuId)?.leftOut ?? null;
  return { parent: group.parentSkuId, traits, leftOut };
}

/** Those that are due are judged by what is stored now anyway, and so are those that are judged with this one. */
async function tellOthers(
  store: Groups,
  accountId: number,
  groups: ReadonlySet<GroupStanding>,
  judged: readonly string[],
): Promise<void> {
  const now = new Set(judged);
  const others = [...groups].flatMap(({ members }) => members.filter(({ skuId, due }) => !due && !now.has(skuId)));
  if (others.length === 0) return;
  await store.markDue(
    accountId,
    others.map(({ skuId }) => skuId),
  );
}
