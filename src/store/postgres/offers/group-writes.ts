/**
 * Writes variation groups, so that every SKU is in at most one.
 *
 * A SKU that is named in another group moves there; a parent that becomes a child ends its own group. All members, including the members of
 * groups that end, are locked before the number is drawn. So groups that share a member are numbered in the order in which they are stored.
 * Members that join or leave are marked as due for review. If a group loses a member, the others are not locked, because marking them could
 * deadlock. The review marks them when it reviews the member that left.
 */
import { PART_CODES } from '../../../domain/offers/history.ts';
import { GROUP_TEXT } from '../../shared/history/history-rows.ts';
import { listsOf, statement } from '../../shared/sql.ts';
import type { Command, Rows } from '../engine/connection.ts';
import { NO_AUTHOR } from '../history/authors.ts';
import { updatedBatches } from '../history/event-commands.ts';
import { NEWEST } from '../history/history-statements.ts';
import { assigned, markedLast } from '../review/review-marks.ts';
import type { GroupWrite } from './offer-commands.ts';
import { lockStatement, type RowContext, WITH_THEIR_GROUPS, type WrittenOffer } from './row-statements.ts';

/**
 * The history is recorded before the groups are written, for all parents whose group changes: the parents of the new groups, and the
 * parents of groups that lose a member to them. `$2` are the parents of the new groups, `$3` all their members.
 */
const PARENTS = `(
     SELECT i.sku_id FROM unnest($2::text[]) AS i (sku_id)
     UNION
     SELECT offer.group_parent FROM unnest($3::text[]) AS i (sku_id)
     JOIN offer ON offer.account_id = $1 AND offer.sku_id = i.sku_id
   ) parent`;

/** `$4` is the new text of the groups. `$5` is the number of the commit, by which RECORD_GROUPS finds the rows. */
const NOTE_GROUPS = statement<[uploadOrder: number]>('note groups')`
  UPDATE offer SET changes = offer.changes + 1, changed_part = ${PART_CODES.variation}, changed_number = $5::bigint,
    changed_amount = NULL, changed_text = found.before::text, changed_stock = NULL
  FROM (
    SELECT offer.sku_id, ${GROUP_TEXT} AS before, ($4::jsonb[])[array_position($2::text[], offer.sku_id)] AS after
    FROM ${PARENTS} JOIN offer ON offer.account_id = $1 AND offer.sku_id = parent.sku_id OFFSET 0
  ) found
  WHERE offer.account_id = $1 AND offer.sku_id = found.sku_id AND found.before IS DISTINCT FROM found.after
  RETURNING offer.upload_order`;

const RECORD_GROUPS = statement('record groups')`
  INSERT INTO offer_history (account_id, upload_order, seq, at_ms, author_id, part, amount, text)
  SELECT w.account_id, w.upload_order, w.changes, $4::bigint, $5::bigint, w.changed_part, NULL, w.changed_text
  FROM ${PARENTS} JOIN offer w ON w.account_id = $1 AND w.sku_id = parent.sku_id
  WHERE w.changed_part = ${PART_CODES.variation} AND w.changed_number = $6::bigint
    AND (NOT $7::boolean OR NOT EXISTS (
      SELECT 1 FROM ${NEWEST} WHERE o.part = ${PART_CODES.variation} AND o.author_id = $5::bigint))`;

/** All writes have the same author. */
function recordCommands(writes: readonly GroupWrite[], context: RowContext): Command[] {
  const { accountId, number, drawn, authors } = context;
  const [first] = writes;
  if (first === undefined) return [];
  const authorId = authors.get(first.by) ?? NO_AUTHOR;
  const parents = writes.map(({ skuId }) => skuId);
  const texts = writes.map(({ group }) => {
    return `[${group.refinements},${JSON.stringify(group.title)},${JSON.stringify(group.childrenSkus)}]`;
  });
  const key = [accountId, parents, writes.flatMap(membersOf)];
  const changeOf = ([offer]: Rows[number]) => ({ offer: offer as number, authorId, atMs: first.atMs });
  const events = (changed: Rows) => updatedBatches('variation', changed.map(changeOf));
  const note = { statement: NOTE_GROUPS, values: [...key, texts, drawn], events };
  if (authorId === NO_AUTHOR) return [note];
  return [note, { statement: RECORD_GROUPS, values: [...key, first.atMs, authorId, drawn, number !== drawn] }];
}

export const LOCK_GROUPS = lockStatement('lock groups', { named: WITH_THEIR_GROUPS });

/** `$1` is the account, `$2` the number of the write, `$3` the drawn number, `$4` the time of the mark. */
const CHANGE = `variation_number = GREATEST(offer.variation_number, $2::bigint),
     ${assigned(markedLast('$3::bigint', '$4::bigint'))}`;

const END_GROUPS = statement('end groups')`
  UPDATE offer SET group_parent = NULL, group_position = NULL, group_refinements = NULL, group_title = NULL, ${CHANGE}
  FROM unnest($5::text[]) AS i (parent)
  WHERE offer.account_id = $1 AND offer.group_parent = i.parent`;

const JOIN_GROUPS = statement<WrittenOffer>('join groups')`
  UPDATE offer SET group_parent = i.parent, group_position = i.position, group_refinements = i.refinements,
    group_title = i.title, ${CHANGE}
  FROM unnest($5::text[], $6::text[], $7::integer[], $8::text[], $9::text[])
    AS i (sku_id, parent, position, refinements, title)
  WHERE offer.account_id = $1 AND offer.sku_id = i.sku_id
  RETURNING offer.sku_id, true`;

/** Returns the parent, then the children by position. */
export function membersOf({ skuId, group }: Pick<GroupWrite, 'skuId' | 'group'>): readonly string[] {
  return [skuId, ...group.childrenSkus];
}

/** The caller has locked all members; the groups share no member and have one author. */
export function groupCommands(writes: readonly GroupWrite[], context: RowContext): Command[] {
  const joining = writes.flatMap((write) => {
    return membersOf(write).map((skuId, position) => {
      const { refinements, title } = position === 0 ? write.group : { refinements: null, title: null };
      return { skuId, parent: write.skuId, position, refinements, title };
    });
  });
  const [skuIds, ...columns] = listsOf(joining, 'skuId', 'parent', 'position', 'refinements', 'title');
  const change = [context.accountId, context.number, context.drawn, Date.now(), skuIds];
  return [
    ...recordCommands(writes, context),
    { statement: END_GROUPS, values: change },
    { statement: JOIN_GROUPS, values: [...change, ...columns] },
  ];
}
