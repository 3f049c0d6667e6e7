/**
 * In charge of recording what becomes of variation groups: ahead of the statements that change them, for all parents whose
 * group they change, of the new groups and of those that lose a member to them.
 */
import { PART_CODES } from '../history-rows.ts';
import { NOBODY } from './authors.ts';
import type { Command } from './connection.ts';
import { GROUP_TEXT } from './history-reads.ts';
import { NEWEST } from './history-statements.ts';
import type { GroupWrite } from './offer-commands.ts';
import type { RowNumbers } from './row-statements.ts';
import { statement } from './statements.ts';

/** `$2` are the parents of the new groups, `$3` what these will be, `$4` all their members. */
const NOTE_GROUPS = statement<[groups: number]>(
  'note groups',
  `WITH parent AS MATERIALIZED (
     SELECT i.sku_id, i.text FROM unnest($2::text[], $3::jsonb[]) AS i (sku_id, text)
     UNION ALL
     SELECT DISTINCT offer.group_parent, NULL::jsonb FROM unnest($4::text[]) AS i (sku_id)
     JOIN offer ON offer.account_id = $1 AND offer.sku_id = i.sku_id
     WHERE offer.group_parent <> ALL ($2::text[])
   ), found AS MATERIALIZED (
     SELECT offer.sku_id, ${GROUP_TEXT} AS before, parent.text AS after
     FROM parent JOIN offer ON offer.account_id = $1 AND offer.sku_id = parent.sku_id
   ), w AS (
     UPDATE offer SET changes = offer.changes + 1 FROM found
     WHERE offer.account_id = $1 AND offer.sku_id = found.sku_id AND found.before IS DISTINCT FROM found.after
     RETURNING offer.upload_order, offer.changes AS seq, found.before::text AS text
   ), told AS (
     INSERT INTO offer_history (account_id, upload_order, seq, at_ms, author_id, part, amount, text)
     SELECT $1::bigint, w.upload_order, w.seq, $5::bigint, $6::bigint, ${PART_CODES.variation}, NULL, w.text FROM w
     WHERE (NOT $7::boolean OR NOT EXISTS (
       SELECT 1 FROM ${NEWEST} WHERE o.part = ${PART_CODES.variation} AND o.author_id = $6::bigint))
   ) SELECT count(*) FROM w`,
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
  const isOfFile = number !== drawn;
  return [{ statement: NOTE_GROUPS, values: [accountId, parents, texts, members, first.atMs, authorId, isOfFile] }];
}
