/**
 * In charge of the statement of each kind of write: one for all rows of an account that are written together, "do this
 * unless the SKU is unknown or archived". It returns the SKUs that it did write, and whether it marked them as due for
 * review; what it changed it records (see history-statements.ts).
 *
 * A statement may be run long after its number was drawn, and behind newer ones: the server has it, and goes on with it
 * after whoever sent it gave up. So a part that has a higher number keeps its value. Such a write still counts as made:
 * it came before the newer one, and was replaced by it. A mark may go back: it tells the review whether the offer is
 * still what it reviewed, and so must change with every write that marks.
 */
import { statement } from '../../shared/sql.ts';
import { bigints, floats, texts } from '../engine/binary-arrays.ts';
import type { Command } from '../engine/connection.ts';
import { uploadOrder } from '../engine/write-numbers.ts';
import { type AuthorIds, NOBODY } from '../history/authors.ts';
import {
  documentWithHistory,
  FOUND_STOCK,
  flagWithHistory,
  foundFlag,
  foundPart,
  partWithHistory,
  type RecordedWrite,
  stockWithHistory,
} from '../history/history-statements.ts';
import { assignedUnless, CURRENT_MARK, markedLast, markInPlaceUnless } from '../review/review-marks.ts';
import type { RowKind, WaveRow } from './offer-commands.ts';
import { stockLists } from './stored-inventory.ts';

export type LockedOffer = readonly [skuId: string, archived: boolean];

/**
 * In the order of keys, so that processes which lock several do not wait for each other in a circle. A join and not
 * `= ANY`, for which a planner that takes the account for a small one would read all of it.
 */
export const LOCK_OFFERS = statement<LockedOffer>(
  'lock offers',
  `SELECT offer.sku_id, offer.archived FROM unnest($2::text[]) AS i (sku_id)
   JOIN offer ON offer.account_id = $1 AND offer.sku_id = i.sku_id
   ORDER BY offer.sku_id FOR UPDATE OF offer`,
);

/** The SKUs of `$2`, and the members of groups that they are the parents of: a write of groups ends those. */
export const WITH_THEIR_GROUPS = `(
     SELECT named.sku_id FROM unnest($2::text[]) AS named (sku_id)
     UNION
     SELECT member.sku_id FROM unnest($2::text[]) AS named (sku_id)
     JOIN offer member ON member.account_id = $1 AND member.group_parent = named.sku_id
   ) AS i`;

/** Of what is written together; both are one, unless it is the row of a file. */
export interface RowNumbers {
  /** That the written parts have from now on. */
  readonly number: number;
  /** Drawn for this commit: by it offers are marked as due for review, and new ones are in order. */
  readonly drawn: number;
  /** Of those who wrote it; 0 where no history is kept. */
  readonly authors: AuthorIds;
  /** See Database. */
  readonly splitsWrites: boolean;
}

type WriteOf<Kind extends RowKind> = Extract<WaveRow['write'], { readonly kind: Kind }>;

export type WrittenOffer = readonly [
  skuId: string,
  isMarked?: boolean | null,
  /** False where the part is newer than the write, and was left. */
  isNewest?: boolean,
];

interface RowStatement<Kind extends RowKind> {
  readonly statement: RecordedWrite<WrittenOffer>;
  /** Its last parameter, ahead of those of the history, is the time for those that it marks. */
  readonly marks: boolean;
  /** Its other parameters, behind the account, the two numbers and the ids: a list for each column; `rows` have the writes. */
  lists(writes: readonly WriteOf<Kind>[], numbers: RowNumbers, rows: readonly WaveRow[]): readonly Buffer[];
}

/**
 * `$1` is the account, `$2` the number of the write, `$3` the drawn one, `$4` the ids of the SKUs; the last parameter is whether
 * they are rows of a file.
 */
function updateOpen(
  kind: RowKind,
  change: string,
  rows: string,
  told: Parameters<typeof foundPart>[0],
  isOfFile: string,
): RecordedWrite<WrittenOffer> {
  return partWithHistory(
    `write ${kind}`,
    told,
    `UPDATE offer SET ${change}, ${foundPart(told)} FROM unnest($4::text[], ${rows}
     WHERE offer.account_id = $1 AND offer.sku_id = i.sku_id AND NOT offer.archived`,
    ['offer.sku_id', `${CURRENT_MARK} = $3::bigint`, `offer.${told.number} = $2::bigint`],
    isOfFile,
  );
}

/** Sets the columns of one part, and its number, unless that is higher. */
function unlessNewer(numberColumn: string, number: string, columns: Readonly<Record<string, string>>): string {
  return assignedUnless(`offer.${numberColumn} > ${number}`, { ...columns, [numberColumn]: number });
}

/** `inventory_number` is the highest number of a node. */
function updateStock(name: string, unlessNewer: string): RecordedWrite<WrittenOffer> {
  return stockWithHistory(
    name,
    `UPDATE offer SET inventory = offer.inventory || i.nodes,
       inventory_number = GREATEST(offer.inventory_number, $2::bigint),
       ${markInPlaceUnless('offer.inventory @> ($7::jsonb[])[i.set_place]', '$3::bigint', '$9::bigint')}, ${FOUND_STOCK}
     FROM unnest($4::text[], $5::jsonb[], $6::integer[], $10::bigint[], $11::bigint[])
       AS i (sku_id, nodes, set_place, author_id, at_ms)
     WHERE offer.account_id = $1 AND offer.sku_id = i.sku_id AND NOT offer.archived ${unlessNewer}`,
    'i.nodes',
    '($8::text[])[i.set_place]',
    ['offer.sku_id', `${CURRENT_MARK} = $3::bigint`, 'true'],
    '$12',
  );
}

/** For rows that are locked, and from whose nodes those that are newer were left out. */
const UPDATE_LOCKED_STOCK = updateStock('write inventory of locked rows', '');

/**
 * Nodes are left as they are: those with a lower number than this one read as zero. Where the flag is set already it is
 * numbered alone: a row of an older file that asks for the other comes too late. Only for rows that are locked.
 */
function setFlag<Kind extends 'archive' | 'unarchive'>(kind: Kind, archived: boolean): RowStatement<Kind> {
  return {
    statement: flagWithHistory(
      `write ${kind}`,
      `UPDATE offer SET archived = ${archived}, archive_number = GREATEST(offer.archive_number, $2::bigint),
         ${assignedUnless(`offer.archived = ${archived}`, {
           inventory_stamp_ms: 'i.now_ms',
           inventory_zeroed_number: 'GREATEST(offer.inventory_zeroed_number, $2::bigint, offer.inventory_number + 1)',
           ...markedLast('$3::bigint', '$6::bigint'),
         })},
         ${foundFlag(String(archived), `offer.archived <> ${archived}`)}
       FROM unnest($4::text[], $5::bigint[], $7::bigint[], $8::bigint[]) AS i (sku_id, now_ms, author_id, at_ms)
       WHERE offer.account_id = $1 AND offer.sku_id = i.sku_id`,
      ['offer.sku_id', `coalesce(${CURRENT_MARK} = $3::bigint, false)`],
      '$9',
    ),
    marks: true,
    lists: (writes) => [bigints((writes as readonly WriteOf<'archive' | 'unarchive'>[]).map(({ nowMs }) => nowMs))],
  };
}

const ROW_STATEMENTS: { readonly [Kind in RowKind]: RowStatement<Kind> } = {
  document: {
    statement: documentWithHistory(
      'write document',
      {
        lists: '$4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::bigint[], $10::bigint[], $11::bigint[]',
        columns: 'sku_id, upload_order, first_ms, document, updated_ms, author_id, at_ms',
        values: {
          upload_order: 'i.upload_order',
          first_upload_ms: 'i.first_ms',
          inventory_stamp_ms: 'i.first_ms',
          document: 'i.document',
          document_updated_ms: 'i.updated_ms',
          document_number: '$2::bigint',
          review_mark: '$3::bigint',
          review_marked_ms: '$9::bigint',
        },
        change: unlessNewer('document_number', 'excluded.document_number', {
          document: 'excluded.document',
          document_updated_ms: 'excluded.document_updated_ms',
          ...markedLast('excluded.review_mark', 'excluded.review_marked_ms'),
        }),
      },
      '$12',
    ),
    marks: true,
    lists: (writes, { drawn }, rows) => [
      bigints(rows.map(({ places }) => uploadOrder(drawn, places[0] ?? 0))),
      bigints(writes.map(({ firstMs }) => firstMs)),
      texts(writes.map(({ document }) => document)),
      bigints(writes.map(({ updatedMs }) => updatedMs)),
    ],
  },
  price: {
    statement: updateOpen(
      'price',
      `${unlessNewer('price_number', '$2::bigint', {
        price: 'i.price',
        price_nodes: 'i.nodes',
        price_updated_ms: 'i.updated_ms',
      })},
         ${markInPlaceUnless('offer.price IS NOT NULL', '$3::bigint', '$8::bigint')}`,
      `$5::float8[], $6::text[], $7::bigint[], $9::bigint[], $10::bigint[])
         AS i (sku_id, price, nodes, updated_ms, author_id, at_ms)`,
      {
        part: 'price',
        number: 'price_number',
        isChanged: 'offer.price IS DISTINCT FROM i.price OR offer.price_nodes IS DISTINCT FROM i.nodes',
        amount: 'offer.price',
        text: `nullif(offer.price_nodes, '[]')`,
      },
      '$11',
    ),
    marks: true,
    lists: (writes) => [
      floats(writes.map(({ price }) => price)),
      texts(writes.map(({ nodes }) => nodes)),
      bigints(writes.map(({ updatedMs }) => updatedMs)),
    ],
  },
  inventory: {
    // Some nodes of the row may be newer and others not, which SET cannot tell apart: nothing is written then, and who
    // still waits for it asks again, with a higher number.
    statement: updateStock(
      'write inventory',
      'AND offer.inventory_number <= $2::bigint AND offer.inventory_zeroed_number <= $2::bigint',
    ),
    marks: true,
    lists: (writes, { number }) => stockLists(writes, number),
  },
  shipping: {
    statement: updateOpen(
      'shipping',
      unlessNewer('shipping_number', '$2::bigint', { shipping_exceptions: 'i.exceptions' }),
      '$5::text[], $6::bigint[], $7::bigint[]) AS i (sku_id, exceptions, author_id, at_ms)',
      {
        part: 'shipping_exceptions',
        number: 'shipping_number',
        isChanged: 'offer.shipping_exceptions IS DISTINCT FROM i.exceptions',
        text: 'offer.shipping_exceptions',
      },
      '$8',
    ),
    marks: false,
    lists: (writes) => [texts(writes.map(({ exceptions }) => exceptions))],
  },
  returns: {
    statement: updateOpen(
      'returns',
      unlessNewer('returns_number', '$2::bigint', { return_location_ids: 'i.location_ids' }),
      '$5::text[], $6::bigint[], $7::bigint[]) AS i (sku_id, location_ids, author_id, at_ms)',
      {
        part: 'returns_exceptions',
        number: 'returns_number',
        isChanged: 'offer.return_location_ids IS DISTINCT FROM i.location_ids',
        text: 'offer.return_location_ids',
      },
      '$8',
    ),
    marks: false,
    lists: (writes) => [texts(writes.map(({ locationIds }) => locationIds))],
  },
  archive: setFlag('archive', true),
  unarchive: setFlag('unarchive', false),
};

/** All rows are of this kind. The first command is the write; any others give no rows. */
export function writeCommands(
  kind: RowKind,
  rows: readonly WaveRow[],
  accountId: number,
  numbers: RowNumbers,
  { statement, marks, lists } = ROW_STATEMENTS[kind] as RowStatement<RowKind>,
): readonly Command[] {
  const writes = rows.map(({ write }) => write);
  const skuIds = texts(writes.map(({ skuId }) => skuId));
  const values = [accountId, numbers.number, numbers.drawn, skuIds, ...lists(writes, numbers, rows)];
  const authors = bigints(writes.map(({ by }) => numbers.authors.get(by) ?? NOBODY));
  const times = bigints(writes.map(({ atMs }) => atMs));
  return recordedCommands(statement, [...values, ...(marks ? [Date.now()] : [])], skuIds, [authors, times], numbers);
}

/** `values` are those of the write, `told` the authors and times of its SKUs. */
export function recordedCommands(
  { whole, change, record, forget }: RecordedWrite<WrittenOffer>,
  values: readonly unknown[],
  skuIds: unknown,
  told: readonly unknown[],
  { number, drawn, splitsWrites }: RowNumbers,
): readonly Command[] {
  const isOfFile = number !== drawn;
  if (!splitsWrites) return [{ statement: whole, values: [...values, ...told, isOfFile] }];
  const key = [values[0], number, skuIds];
  return [
    { statement: change, values: [...values, ...told] },
    { statement: record, values: [...key, ...told, isOfFile] },
    ...(forget === undefined ? [] : [{ statement: forget, values: key }]),
  ];
}

/** The same for rows that are locked, and of whose parts none that is written has a higher number. */
export function writeLockedCommands(
  kind: RowKind,
  rows: readonly WaveRow[],
  accountId: number,
  numbers: RowNumbers,
): readonly Command[] {
  const ofKind = ROW_STATEMENTS[kind] as RowStatement<RowKind>;
  const locked = kind === 'inventory' ? { ...ofKind, statement: UPDATE_LOCKED_STOCK } : ofKind;
  return writeCommands(kind, rows, accountId, numbers, locked);
}
