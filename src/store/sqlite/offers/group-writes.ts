/**
 * Writes variation groups, so that every SKU is in at most one.
 *
 * A SKU named in another group moves there; a SKU that becomes a child ends its own group. All members get the sequence
 * number and are marked as due, also those of a group that ends. If a member leaves a group, its review marks the remaining
 * members. Changes to groups are recorded.
 */
import type { GroupOutcome } from '../../port/offers.ts';
import type { Connection } from '../engine/engine.ts';
import { query } from '../engine/engine.ts';
import type { Change, HistoryWrites } from '../history/history-writes.ts';
import type { ReviewMarks } from '../review/review-marks.ts';
import { skuLookup } from './sku-lookup.ts';

/** Ids of the parent, then of the children in the order sent. */
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

  /** Returns the members, or why the group is refused. */
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

  /** Whether a member joined or left a group with a higher number. Groups that would end have the number of their parent. */
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
    const before = history.groupsBefore(members);
    endGroupOf(accountId, parent, number);
    insertGroup.run(parent, refinements, title);
    members.forEach((member, position) => {
      // The parent joins first: a child may end the group that the parent was a child of.
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
