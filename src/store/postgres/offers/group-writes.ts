/**
 * In charge of writing a variation group, so that every SKU is in one group at most.
 *
 * A SKU that is named in another group moves there; a SKU that becomes a child ends the group it was the parent of.
 * All members, and those of groups that end, are locked first, so that none is archived or moved elsewhere in between, and
 * the number is drawn then: groups that share a member have their numbers in the order in which they are stored. All that
 * join or leave are marked as due for review; who stays in a group that loses one is told by the review, when it comes to the
 * one that left: nobody has locked them, and two writes that mark each other's members would wait for each other. What
 * becomes of the groups is recorded.
 */
import type { GroupOutcome } from '../../port/offers.ts';
import { PART_CODES } from '../../shared/history-rows.ts';
import { statement } from '../../shared/sql.ts';
import type { Command } from '../engine/connection.ts';
import type { Database } from '../engine/engine.ts';
import { DRAW_NUMBER, drawnNumber } from '../engine/write-numbers.ts';
import { type Authors, NOBODY } from '../history/authors.ts';
import { GROUP_TEXT } from '../history/history-reads.ts';
import { NEWEST } from '../history/history-statements.ts';
import type { ReviewAnnouncer } from '../review/review-announcer.ts';
import { assigned, markedLast } from '../review/review-marks.ts';
import type { GroupWrite } from './offer-commands.ts';
import { type LockedOffer, type RowNumbers, WITH_THEIR_GROUPS, type WrittenOffer } from './row-statements.ts';

/**
 * The history is written ahead of the groups, for all parents whose group changes: of the new groups and of those that lose
 * a member to them. `$2` are the parents of the new groups, `$3` all their members.
 */
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
function noteGroupsCommands(
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

/** In the order of keys, as LOCK_OFFERS does: those that are written, and those that lose their group by it. */
const LOCK_GROUPS = statement<LockedOffer>(
  'lock groups',
  `SELECT offer.sku_id, offer.archived FROM ${WITH_THEIR_GROUPS}
   JOIN offer ON offer.account_id = $1 AND offer.sku_id = i.sku_id
   ORDER BY offer.sku_id FOR UPDATE OF offer`,
);

/** `$1` is the account, `$2` the number of the write, `$3` the drawn one, by which they are marked, `$4` the time. */
const CHANGE = `group_number = GREATEST(offer.group_number, $2::bigint),
     ${assigned(markedLast('$3::bigint', '$4::bigint'))}`;

const END_GROUPS = statement(
  'end groups',
  `UPDATE offer SET group_parent = NULL, group_position = NULL, group_refinements = NULL, group_title = NULL, ${CHANGE}
   FROM unnest($5::text[]) AS i (parent)
   WHERE offer.account_id = $1 AND offer.group_parent = i.parent`,
);

const JOIN_GROUPS = statement<WrittenOffer>(
  'join groups',
  `UPDATE offer SET group_parent = i.parent, group_position = i.position, group_refinements = i.refinements,
     group_title = i.title, ${CHANGE}
   FROM unnest($5::text[], $6::text[], $7::integer[], $8::text[], $9::text[])
     AS i (sku_id, parent, position, refinements, title)
   WHERE offer.account_id = $1 AND offer.sku_id = i.sku_id
   RETURNING offer.sku_id, true`,
);

export class GroupWrites {
  readonly #database: Database;
  readonly #announcer: ReviewAnnouncer;
  readonly #authors: Authors;

  constructor(database: Database, announcer: ReviewAnnouncer, authors: Authors) {
    this.#authors = authors;
    this.#database = database;
    this.#announcer = announcer;
  }

  async write(accountId: number, write: GroupWrite, deadlineMs: number): Promise<GroupOutcome> {
    const members = membersOf(write);
    const authors = await this.#authors.idsOf(accountId, [write], deadlineMs);
    const first = [{ statement: LOCK_GROUPS, values: [accountId, members] }, DRAW_NUMBER];
    const writing = this.#database.runInTwoGoes(
      first,
      ([found = [], drawn = []]) => {
        if (refusalOf(members, new Map(found as readonly LockedOffer[])) !== undefined) return [];
        const number = drawnNumber(drawn);
        const { splitsWrites } = this.#database;
        return groupCommands(accountId, [write], { number, drawn: number, authors, splitsWrites });
      },
      deadlineMs,
    );
    const [locked = []] = await this.#announcer.noteMarked(accountId, writing, first.length);
    return refusalOf(members, new Map(locked as readonly LockedOffer[])) ?? 'stored';
  }
}

/** The parent first: positions follow this order. */
export function membersOf({ skuId, group }: Pick<GroupWrite, 'skuId' | 'group'>): readonly string[] {
  return [skuId, ...group.childrenSkus];
}

/** All members are locked, and none is in two of the groups, which have one author. */
export function groupCommands(accountId: number, writes: readonly GroupWrite[], numbers: RowNumbers): Command[] {
  const { number, drawn } = numbers;
  const joining = writes.flatMap((write) => {
    const { refinements, title } = write.group;
    return membersOf(write).map((skuId, position) => {
      const shown = position === 0 ? { refinements, title } : { refinements: null, title: null };
      return { skuId, parent: write.skuId, position, ...shown };
    });
  });
  const skuIds = joining.map(({ skuId }) => skuId);
  const change = [accountId, number, drawn, Date.now()];
  const columns = [
    joining.map(({ parent }) => parent),
    joining.map(({ position }) => position),
    joining.map(({ refinements }) => refinements),
    joining.map(({ title }) => title),
  ];
  return [
    ...noteGroupsCommands(accountId, writes, numbers),
    { statement: END_GROUPS, values: [...change, skuIds] },
    { statement: JOIN_GROUPS, values: [...change, skuIds, ...columns] },
  ];
}

/** What stands against a group of these, of which the first is the parent; `flags` has those that exist. */
export function refusalOf(
  members: readonly string[],
  flags: ReadonlyMap<string, boolean>,
): Exclude<GroupOutcome, 'stored'> | undefined {
  const states = members.map((skuId) => {
    const archived = flags.get(skuId);
    if (archived === undefined) return { skuId, state: 'unknown' as const };
    return { skuId, state: archived ? ('archived' as const) : ('open' as const) };
  });
  const [parent, ...children] = states;
  if (parent !== undefined && parent.state !== 'open') return parent.state;
  const refused = children.flatMap(({ skuId, state }) => (state === 'open' ? [] : [{ skuId, state }]));
  return refused.length > 0 ? { refused } : undefined;
}
