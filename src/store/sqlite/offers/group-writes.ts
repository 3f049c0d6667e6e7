/**
 * Writes variation groups, so that every SKU is in at most one.
 *
 * A SKU named in another group moves there; a SKU that becomes a child ends its own group. All members get the sequence number and are
 * marked as due, including the members of a group that ends. If a member leaves a group, its review marks the remaining members. Changes to
 * groups are recorded.
 */
import { refusalOf } from '../../../domain/offers/variation-group.ts';
import type { Connection } from '../engine/connection.ts';
import type { Change, HistoryWrites } from '../history/history-writes.ts';
import type { ReviewMarks } from '../review/review-marks.ts';

export type GroupWrites = ReturnType<typeof groupWrites>;

export function groupWrites(connection: Connection, marks: ReviewMarks, history: HistoryWrites) {
  const find = connection.query<[skuId: string, archived: 0 | 1, id: number, number: number]>(`
    SELECT sku_id, archived, id, variation_number FROM sku WHERE account_id = ? AND sku_id = ?`);
  const insertGroup = connection.query('INSERT INTO variation_group (parent, refinements, title) VALUES (?, ?, ?)');
  const deleteGroup = connection.query('DELETE FROM variation_group WHERE parent = ?');
  const numberMembers = connection.query(`
    UPDATE sku SET variation_number = ? WHERE id IN (SELECT sku FROM variation_member WHERE parent = ?)`);
  const deleteMembers = connection.query('DELETE FROM variation_member WHERE parent = ?');
  const moveMember = connection.query(`
    INSERT INTO variation_member (sku, parent, position) VALUES (?, ?, ?) ON CONFLICT (sku)
    DO UPDATE SET parent = excluded.parent, position = excluded.position`);
  const numberMember = connection.query('UPDATE sku SET variation_number = ? WHERE id = ?');

  /**
   * Returns the ids of the SKUs, parent first, with the highest number under which one of them joined or left a group, or why
   * the group is refused. This covers groups that would end: a group has the number of its parent, which is one of these SKUs.
   */
  function findMembers(accountId: number, skuIds: readonly string[]) {
    const found = skuIds.flatMap((skuId) => {
      const sku = find.get(accountId, skuId);
      return sku === undefined ? [] : [sku];
    });
    const refusal = refusalOf(skuIds, new Map(found.map(([skuId, archived]) => [skuId, archived])));
    if (refusal !== undefined) return refusal;
    return { members: found.map(({ 2: id }) => id), number: Math.max(...found.map(({ 3: number }) => number)) };
  }

  function put(members: readonly number[], refinements: string, title: string | null, change: Change): void {
    const parent = members[0] as number;
    const before = history.groupsBefore(members);
    endGroupOf(parent, change);
    insertGroup.run(parent, refinements, title);
    members.forEach((member, position) => {
      // The parent joins first: a child may end the group that the parent was a child of.
      if (position > 0) endGroupOf(member, change);
      moveMember.run(member, parent, position);
      numberMember.run(change.number, member);
    });
    marks.mark(change.accountId, members);
    history.noteGroups(before, change);
  }

  function endGroupOf(parent: number, { accountId, number }: Change): void {
    if (deleteGroup.run(parent).changes === 0) return;
    numberMembers.run(number, parent);
    marks.markMembers(accountId, parent);
    deleteMembers.run(parent);
  }

  return { findMembers, put };
}
