/**
 * In charge of recording what becomes of variation groups: ahead of the statements that change them, for all parents whose
 * group they change, of the new groups and of those that lose a member to them.
 */
import { PART_CODES } from '../../shared/history-rows.ts';
import { statement } from '../../shared/sql.ts';
import type { Command } from '../engine/connection.ts';
import type { GroupWrite } from '../offers/offer-commands.ts';
import type { RowNumbers } from '../offers/row-statements.ts';
import { NOBODY } from './authors.ts';
import { GROUP_TEXT } from './history-reads.ts';
import { NEWEST } from './history-statements.ts';

/** `$2` are the parents of the new groups, `$3` all their members. */
const PARENTS = `(
     SELECT i.sku_id FROM unnest($2::text[]) AS i (sku_id)
     UNION
     SELECT offer.group_parent FROM unnest($3::text[]) AS i (sku_id)
     JOIN offer ON offer.account_id = $1 AND offer.sku_id = i.sku_id
   ) parent`;

/** `$4` is what the groups will be, `$5` the number of the commit, by which RECORD_GROUPS knows the rows. */
const NOTE_GROUPS = statement(
  'note groups',
  `UPDATE offer SET changes = offer.changes + 1, changed_part = ${PART_CODES.variation}, changed_number = $5::bigint,
     changed_amount = NULL, changed_text = found.before::text, changed_stock = NULL
   FROM (
     SELECT offer.sku_id, ${GROUP_TEXT} AS before, ($4::jsonb[])[array_position($2::text[], offer.sku_id)] AS after
     FROM ${PARENTS} JOIN offer ON offer.account_id = $1 AND offer.sku_id = parent.sku_id OFFSET 0
   ) found
   WHERE offer.account_id = $1 AND offer.sku_id = found.sku_id AND found.before IS DISTINCT FROM found.after`,
);

const RECORD_GROUPS = statement(
  'record groups',
  `INSERT INTO offer_history (account_id, upload_order, seq, at_ms, author_id, part, amount, text)
   SELECT w.account_id, w.upload_order, w.changes, $4::bigint, $5::bigint, w.changed_part, NULL, w.changed_text
   FROM ${PARENTS} JOIN offer w ON w.account_id = $1 AND w.sku_id = parent.sku_id
   WHERE w.changed_part = ${PART_CODES.variation} AND w.changed_number = $6::bigint
     AND (NOT $7::boolean OR NOT EXISTS (
       SELECT 1 FROM ${NEWEST} WHERE o.part = ${PART_CODES.variation} AND o.author_id = $5::bigint))`,
);

/** All are of one author. None where no history is kept. */
export function noteGroupsCommands(
  accountId: number,
  writes: readonly GroupWrite[],
  { number, drawn, authors }: RowNumbers,
): Command[] {
  const [first] = writes;
  const authorId = first === undefined ? undefined : authors.get(first.by);
  if (first === undefined || authorId === NOBODY) return [];
  const parents = writes.map(({ skuId }) => skuId);
  const texts = writes.map(({ group }) => {
    return `[${group.refinements},${JSON.stringify(group.title)},${JSON.stringify(group.childrenSkus)}]`;
  });
  const members = writes.flatMap(({ skuId, group }) => [skuId, ...group.childrenSkus]);
  const key = [accountId, parents, members];
  return [
    { statement: NOTE_GROUPS, values: [...key, texts, drawn] },
    { statement: RECORD_GROUPS, values: [...key, first.atMs, authorId, drawn, number !== drawn] },
  ];
}
