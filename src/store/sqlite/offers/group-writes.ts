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
import type { SkuLookup } from './sku-lookup.ts';

/** The parent first, then its children in the order sent, by the numbers of their SKUs. */
type GroupMembers = readonly number[];

export class GroupWrites {
  readonly #skus: SkuLookup;
  readonly #marks: ReviewMarks;
  readonly #history: HistoryWrites;
  readonly #isNewer;
  readonly #insertGroup;
  readonly #deleteGroup;
  readonly #numberMembers;
  readonly #deleteMembers;
  readonly #moveMember;
  readonly #numberMember;

  constructor(connection: Connection, skus: SkuLookup, marks: ReviewMarks, history: HistoryWrites) {
    this.#skus = skus;
    this.#marks = marks;
    this.#history = history;
    this.#isNewer = query<[1]>(connection, 'SELECT 1 FROM sku WHERE id = ? AND group_number > ?');
    this.#insertGroup = query(connection, 'INSERT INTO variation_group (parent, refinements, title) VALUES (?, ?, ?)');
    this.#deleteGroup = query(connection, 'DELETE FROM variation_group WHERE parent = ?');
    this.#numberMembers = query(
      connection,
      'UPDATE sku SET group_number = ? WHERE id IN (SELECT sku FROM variation_member WHERE parent = ?)',
    );
    this.#deleteMembers = query(connection, 'DELETE FROM variation_member WHERE parent = ?');
    this.#moveMember = query(
      connection,
      `INSERT INTO variation_member (sku, parent, position) VALUES (?, ?, ?) ON CONFLICT (sku)
       DO UPDATE SET parent = excluded.parent, position = excluded.position`,
    );
    this.#numberMember = query(connection, 'UPDATE sku SET group_number = ? WHERE id = ?');
  }

  /** Those of a group that may be, else what stands against it. */
  findMembers(
    accountId: number,
    skuId: string,
    childrenSkus: readonly string[],
  ): GroupMembers | Exclude<GroupOutcome, 'stored'> {
    const parent = this.#skus.findOpen(accountId, skuId);
    if (typeof parent === 'string') return parent;
    const members = [parent];
    const refused: { skuId: string; state: 'unknown' | 'archived' }[] = [];
    for (const childSku of childrenSkus) {
      const child = this.#skus.findOpen(accountId, childSku);
      if (typeof child === 'string') refused.push({ skuId: childSku, state: child });
      else members.push(child);
    }
    return refused.length > 0 ? { refused } : members;
  }

  /**
   * Whether any has joined or left a group with a higher number. The members of groups that would end need no look: they
   * joined with their parent, which is looked at.
   */
  isSuperseded(members: GroupMembers, number: number): boolean {
    return members.some((member) => this.#isNewer.get(member, number) !== undefined);
  }

  put(accountId: number, members: GroupMembers, refinements: string, title: string | null, change: Change): void {
    const parent = members[0] as number;
    const { number } = change;
    const before = this.#history.groupsBefore(members, change);
    this.#endGroupOf(accountId, parent, number);
    this.#insertGroup.run(parent, refinements, title);
    members.forEach((member, position) => {
      // The parent joins first: the group in which it was a child may be the one that a child ends here.
      if (position > 0) this.#endGroupOf(accountId, member, number);
      this.#moveMember.run(member, parent, position);
      this.#numberMember.run(number, member);
      this.#marks.mark(accountId, member);
    });
    this.#history.noteGroups(before, change);
  }

  #endGroupOf(accountId: number, parent: number, number: number): void {
    if (this.#deleteGroup.run(parent).changes === 0) return;
    this.#numberMembers.run(number, parent);
    this.#marks.markMembers(accountId, parent);
    this.#deleteMembers.run(parent);
  }
}
