/**
 * Defines one statement for each kind of write, for many rows of an account at once. A statement skips unknown and archived SKUs,
 * returns the SKUs that it wrote and whether it marked them as due for review, and records changes in the history.
 *
 * The server may run a statement long after its sender gave up, and after newer ones. So a part with a higher sequence number keeps its
 * value, and the late write counts as stored and then replaced. The review mark, by contrast, may get a lower number: it must change with
 * every write, so that the review notices.
 */
import type { ClearablePart } from '../../../domain/vocabulary/offer-parts.ts';
import { textTag } from '../../port/part-tags.ts';
import { type ClearableStorage, ofEachClearable } from '../../shared/offers/clearable-parts.ts';
import { type Statement, statement } from '../../shared/sql.ts';
import { bigints, floats, texts } from '../engine/binary-arrays.ts';
import type { Command } from '../engine/connection.ts';
import { uploadOrder } from '../engine/write-numbers.ts';
import { type AuthorIds, NO_AUTHOR } from '../history/authors.ts';
import { updatedBatches } from '../history/event-commands.ts';
import {
  documentWithHistory,
  flagWithHistory,
  partWithHistory,
  type RecordedWrite,
  stockWithHistory,
} from '../history/history-statements.ts';
import { assignedUnless, markedLast, markInPlaceUnless } from '../review/review-marks.ts';
import type { RowPart, RowWrite, Step, StepRow, WriteOf } from './offer-commands.ts';
import { stockLists } from './stored-inventory.ts';

export type LockedOffer = readonly [skuId: string, archived: boolean];

/** The SKUs of `$2`. */
export const NAMED = 'unnest($2::text[]) AS i (sku_id)';
/** The SKUs of `$2`, and the members of groups whose parents they are, because writing the new groups ends those groups. */
export const WITH_THEIR_GROUPS = `(
     SELECT named.sku_id FROM unnest($2::text[]) AS named (sku_id)
     UNION
     SELECT member.sku_id FROM unnest($2::text[]) AS named (sku_id)
     JOIN offer member ON member.account_id = $1 AND member.group_parent = named.sku_id
   ) AS i`;

/**
 * Locks the SKUs of `$2` in key order, which prevents deadlocks. Uses a join instead of `= ANY`, for which a planner that
 * assumes a small account would read all of it.
 */
export function lockStatement<Row extends readonly unknown[] = LockedOffer>(
  name: string,
  { columns = '', named = NAMED } = {},
): Statement<Row> {
  return statement(name)`
    SELECT offer.sku_id, offer.archived${columns} FROM ${named}
    JOIN offer ON offer.account_id = $1 AND offer.sku_id = i.sku_id
    ORDER BY offer.sku_id FOR UPDATE OF offer`;
}

/** Data that all rows of a commit share. The two numbers are equal, except for rows of a file. */
export interface RowContext {
  readonly accountId: number;
  /** The new number of the written parts. */
  readonly number: number;
  /** Drawn for this commit: the review mark of due offers, and the upload order of new offers. */
  readonly drawn: number;
  readonly authors: AuthorIds;
  /** See DatabaseOptions. */
  readonly splitsWrites: boolean;
}

export type WrittenOffer = readonly [
  skuId: string,
  isMarked?: boolean | null,
  /** False if the part has a higher number and was not changed. */
  isNewest?: boolean,
  /** Upload order, if the write changed the part. Only statements that do not add events themselves return it. */
  changedOffer?: number | null,
  /** After a single write of stock: the whole stock, and the number of its last zeroing. After a write of the archive flag: the SKU's tag. */
  tagged?: string | null,
  taggedNumber?: number | null,
];

interface RowStatement<Name extends RowPart> {
  readonly write: RecordedWrite;
  /** Parameters from `$7` on, see `RecordedWrite`. */
  values(writes: readonly WriteOf<Name>[], context: RowContext, rows: readonly StepRow[]): readonly unknown[];
}

/** Sets the columns of a part, and its number, unless it has a higher one. */
function setUnlessNewer(numberColumn: string, columns: Readonly<Record<string, string>>): string {
  return assignedUnless(`offer.${numberColumn} > $2::bigint`, { ...columns, [numberColumn]: '$2::bigint' });
}

/** `inventory_number` is the highest number of a node. */
function stockWrite(name: string, condition: string): RecordedWrite {
  return stockWithHistory(name, {
    lists: { nodes: '$8::jsonb[]', set_place: '$9::integer[]' },
    set: `inventory = offer.inventory || i.nodes, inventory_number = GREATEST(offer.inventory_number, $2::bigint),
       ${markInPlaceUnless('offer.inventory @> ($10::jsonb[])[i.set_place]', '$3::bigint', '$7::bigint')}`,
    condition: `NOT offer.archived ${condition}`,
    firstRecord: '($11::text[])[i.set_place]',
  });
}

/** Writes the stock of locked rows. The caller has left out nodes that have a higher number. */
const LOCKED_STOCK = stockWrite('write inventory of locked rows', '');

/** Sets a part to JSON text; null clears it. */
function clearablePart({ part, number, column }: ClearableStorage): RowStatement<ClearablePart> {
  return {
    write: partWithHistory(`write ${part}`, {
      part,
      number,
      lists: { text: '$7::text[]' },
      set: setUnlessNewer(number, { [column]: 'i.text' }),
      isChanged: `offer.${column} IS DISTINCT FROM i.text`,
      text: `offer.${column}`,
    }),
    values: (writes) => [texts(writes.map(({ text }) => text))],
  };
}

const changesFlag = 'coalesce(i.is_changed, offer.archived <> i.archived)';

const ROW_STATEMENTS: { readonly [Name in RowPart]: RowStatement<Name> } = {
  sku: {
    write: documentWithHistory('write document'),
    values: (writes, { drawn }, rows) => [
      Date.now(),
      bigints(rows.map(({ indexes }) => uploadOrder(drawn, indexes[0] ?? 0))),
      bigints(writes.map(({ firstMs }) => firstMs)),
      texts(writes.map(({ document }) => textTag(document))),
      texts(writes.map(({ document }) => document)),
    ],
  },
  price: {
    write: partWithHistory('write price', {
      part: 'price',
      number: 'price_number',
      lists: { price: '$8::float8[]', nodes: '$9::text[]' },
      set: `${setUnlessNewer('price_number', {
        price: 'i.price',
        price_nodes: 'i.nodes',
        price_updated_ms: 'i.at_ms',
      })},
         ${markInPlaceUnless('offer.price IS NOT NULL', '$3::bigint', '$7::bigint')}`,
      isChanged: 'offer.price IS DISTINCT FROM i.price OR offer.price_nodes IS DISTINCT FROM i.nodes',
      amount: 'offer.price',
      text: `nullif(offer.price_nodes, '[]')`,
    }),
    values: (writes) => [Date.now(), floats(writes.map(({ price }) => price)), texts(writes.map(({ nodes }) => nodes))],
  },
  inventory: {
    // If only some nodes of a row are newer, nothing is written. The caller retries with a higher number, or locks the row.
    write: stockWrite(
      'write inventory',
      'AND offer.inventory_number <= $2::bigint AND offer.inventory_zeroed_number <= $2::bigint',
    ),
    values: (writes, { number }) => [Date.now(), ...stockLists(writes, number)],
  },
  ...(ofEachClearable(clearablePart) as { readonly [Name in ClearablePart]: RowStatement<Name> }),
  // Used only for locked rows. Nodes with a number below the new zeroed number read as zero: a single call zeroes all nodes, a file only
  // the nodes that are older than the file. If the flag does not change, it still gets the new number, which supersedes rows of older
  // files.
  archive: {
    write: flagWithHistory('write archive', {
      lists: { archived: '$8::boolean[]', is_changed: '$9::boolean[]' },
      set: `archived = i.archived, archive_number = GREATEST(offer.archive_number, $2::bigint),
         ${assignedUnless(`NOT ${changesFlag}`, {
           inventory_stamp_ms: 'i.at_ms',
           inventory_zeroed_number: `GREATEST(offer.inventory_zeroed_number, $2::bigint,
             CASE WHEN $2::bigint = $3::bigint THEN offer.inventory_number + 1 END)`,
           ...markedLast('$3::bigint', '$7::bigint'),
         })}`,
      zeroesStock: changesFlag,
    }),
    values: (writes) => [
      Date.now(),
      writes.map(({ archived }) => archived),
      writes.map(({ isChanged }) => isChanged ?? null),
    ],
  },
};

function eventsOf(part: RowPart, written: readonly WrittenOffer[], writes: readonly RowWrite[], authors: AuthorIds) {
  const writeOf = new Map(writes.map((write) => [write.skuId, write]));
  const changes = written.flatMap(([skuId, , , offer]) => {
    const write = writeOf.get(skuId);
    if (offer === undefined || offer === null || write === undefined) return [];
    return { offer, authorId: authors.get(write.by) ?? NO_AUTHOR, atMs: write.atMs };
  });
  return updatedBatches(part, changes);
}

/** Writes rows of one kind. The first command is the write; the others return no rows. */
export function writeCommands([part, rows]: Step, context: RowContext, { areLocked = false } = {}): Command[] {
  const { write, values } = ROW_STATEMENTS[part] as RowStatement<RowPart>;
  const { whole, change, record, forget } = areLocked && part === 'inventory' ? LOCKED_STOCK : write;
  const { accountId, number, drawn, authors, splitsWrites } = context;
  const writes = rows.map((row) => row.write);
  const skuIds = texts(writes.map(({ skuId }) => skuId));
  const authorIds = bigints(writes.map(({ by }) => authors.get(by) ?? NO_AUTHOR));
  const key = [accountId, number, drawn, skuIds, authorIds, bigints(writes.map(({ atMs }) => atMs))];
  const all = [...key, ...values(writes, context, rows)];
  if (!splitsWrites) return [{ statement: whole, values: all }];
  return [
    {
      statement: change,
      values: all,
      events: (written) => eventsOf(part, written as readonly WrittenOffer[], writes, authors),
    },
    { statement: record, values: key },
    ...(forget === undefined ? [] : [{ statement: forget, values: [accountId, number, skuIds] }]),
  ];
}
