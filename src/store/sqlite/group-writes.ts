/**
 * In charge of writing a variation group, so that every SKU is in one group at most.
 *
 * A SKU that is named in another group moves there; a SKU that becomes a child ends the group it was the parent of. All
 * members are numbered, those of a group that ends too: which group a SKU is in is part of each of them. They are also
 * marked as due for review.
 */
import type { GroupOutcome } from '../port.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';
import type { ReviewMarks } from './review-marks.ts';
import type { SkuLookup } from './sku-lookup.ts';
import type { WriteNumbers } from './write-numbers.ts';

export class GroupWrites {
  readonly #skus: SkuLookup;
  readonly #numbers: WriteNumbers;
  readonly #marks: ReviewMarks;
  readonly #insertGroup;
  readonly #deleteGroup;
  readonly #numberMembers;
  readonly #deleteMembers;
  readonly #moveMember;
  readonly #numberMember;

  constructor(connection: Connection, skus: SkuLookup, numbers: WriteNumbers, marks: ReviewMarks) {
    this.#skus = skus;
    this.#numbers = numbers;
    this.#marks = marks;
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

  putGroup(
    accountId: number,
    skuId: string,
    refinements: string,
    title: string | null,
    childrenSkus: readonly string[],
  ): GroupOutcome {
    const parent = this.#skus.findOpen(accountId, skuId);
    if (typeof parent === 'string') return parent;

    const children: number[] = [];
    const refused: { skuId: string; state: 'unknown' | 'archived' }[] = [];
    for (const childSku of childrenSkus) {
      const child = this.#skus.findOpen(accountId, childSku);
      if (typeof child === 'string') refused.push({ skuId: childSku, state: child });
      else children.push(child);
    }
    if (refused.length > 0) return { refused };

    this.#endGroupOf(accountId, parent);
    this.#insertGroup.run(parent, refinements, title);
    // The parent first: the group in which it was a child may be the one that a child ends below.
    this.#join(accountId, parent, parent, 0);
    children.forEach((child, place) => {
      this.#endGroupOf(accountId, child);
      this.#join(accountId, child, parent, place + 1);
    });
    return 'stored';
  }

  #endGroupOf(accountId: number, parent: number): void {
    if (this.#deleteGroup.run(parent).changes === 0) return;
    this.#numberMembers.run(this.#numbers.current(), parent);
    this.#marks.markMembers(accountId, parent);
    this.#deleteMembers.run(parent);
  }

  #join(accountId: number, sku: number, parent: number, position: number): void {
    this.#moveMember.run(sku, parent, position);
    this.#numberMember.run(this.#numbers.current(), sku);
    this.#marks.mark(accountId, sku);
  }
}
