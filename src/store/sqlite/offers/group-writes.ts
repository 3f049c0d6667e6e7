/**
 * In charge of writing a variation group, so that every SKU is in one group at most.
 *
 * A SKU that is named in another group moves there; a SKU that becomes a child ends the group it was the parent of. All
 * members are numbered, those of a group that ends too: which group a SKU is in is part of each of them. They are also
 * marked as due for review; those of a group that a member leaves are told by the review, when it comes to the one that left.
 * What has become of the groups is recorded.
 */
import type { GroupOutcome } from '../../port/offers.ts';
import type { Connection } from '../engine/engine.ts';
import { query } from '../engine/engine.ts';
import type { Change, HistoryWrites } from '../history/history-writes.ts';
import type { ReviewMarks } from '../review/review-marks.ts';
import { skuLookup } from './sku-lookup.ts';

/** The parent first, then its children in the order sent, by the numbers of their SKUs. */
type GroupMembers = readonly number[];

export type GroupWrites = ReturnType<typeof groupWrites>;

export function groupWrites(connection: Connection, marks: ReviewMarks, history: HistoryWrites) {
  const skus = skuLookup(connection);
  const isNewer = query<[1]>(connection, 'SELECT 1 FROM sku WHERE id = ? AND group_number > ?');
  const insertGroup = query(connection, 'INSERT INTO variation_group (parent, refinements, title) VALUES (?, ?, ?)');
  const deleteGroup = query(connection, 'DELETE FROM variation_group WHERE parent = ?');
  const numberMembers = query(
    connection,
    'UPDATE sku SET group_number = ? WHERE id IN (SELECT sku FROM variation_member WHERE parent = ?)',
  );
  const deleteMembers = query(connection, 'DELETE FROM variation_member WHERE parent = ?');
  const moveMember = query(
    connection,
    `INSERT INTO variation_member (sku, parent, position) VALUES (?, ?, ?) ON CONFLICT (sku)
     DO UPDATE SET parent = excluded.parent, position = excluded.position`,
  );
  const numberMember = query(connection, 'UPDATE sku SET group_number = ? WHERE id = ?');

  /** Those of a group that may be, else what stands against it. */
  function findMembers(
    accountId: number,
    skuId: string,
    childrenSkus: readonly string[],
  ): GroupMembers | Exclude<GroupOutcome, 'stored'> {
    const parent = skus.findOpen(accountId, skuId);
    if (typeof parent === 'string') return parent;
    const members = [parent];
    const refused: { skuId: string; state: 'unknown' | 'archived' }[] = [];
    for (const childSku of childrenSkus) {
      const child = skus.findOpen(accountId, childSku);
      if (typeof child === 'string') refused.push({ skuId: childSku, state: child });
      else members.push(child);
    }
    return refused.length > 0 ? { refused } : members;
  }

  /**
   * Whether any has joined or left a group with a higher number. The members of groups that would end need no look: they
   * joined with their parent, which is looked at.
   */
  function isSuperseded(members: GroupMembers, number: number): boolean {
    return members.some((member) => isNewer.get(member, number) !== undefined);
  }

  function put(
    accountId: number,
    members: GroupMembers,
    refinements: string,
    title: string | null,
    change: Change,
  ): void {
    const parent = members[0] as number;
    const { number } = change;
    const before = history.groupsBefore(members, change);
    endGroupOf(accountId, parent, number);
    insertGroup.run(parent, refinements, title);
    members.forEach((member, position) => {
      // The parent joins first: the group in which it was a child may be the one that a child ends here.
      if (position > 0) endGroupOf(accountId, member, number);
      moveMember.run(member, parent, position);
      numberMember.run(number, member);
      marks.mark(accountId, member);
    });
    history.noteGroups(before, change);
  }

  function endGroupOf(accountId: number, parent: number, number: number): void {
    if (deleteGroup.run(parent).changes === 0) return;
    numberMembers.run(number, parent);
    marks.markMembers(accountId, parent);
    deleteMembers.run(parent);
  }

  return { findMembers, isSuperseded, put };
}
