/**
 * In charge of what the rows of a file ask of the database beside the statements of single calls: to lock the offers that
 * they name, with the numbers that decide, and to set the archive flag.
 */
import type { RowWrite } from '../../port/files.ts';
import { type Statement, statement } from '../../shared/sql.ts';
import type { Command } from '../engine/connection.ts';
import { flagWithHistory, foundFlag } from '../history/history-statements.ts';
import type { Attribution } from '../offers/offer-commands.ts';
import { type RowNumbers, recordedCommands, WITH_THEIR_GROUPS, type WrittenOffer } from '../offers/row-statements.ts';
import { assignedUnless, markedLast } from '../review/review-marks.ts';

type FileRowKind = RowWrite['kind'];

/** Of the part that a row changes; null: it was never written. */
export type LockedPart = readonly [
  skuId: string,
  archived: boolean,
  number: number | null,
  /** JSON text of the nodes, where one of them is newer than the file; else null. */
  newerStock: string | null,
];

/**
 * In the order of keys, by a join, as single calls lock them (see row-statements.ts). A document that is out of line is not
 * read.
 */
function lock(
  kind: FileRowKind,
  number: string,
  newerStock = 'NULL::jsonb',
  named = 'unnest($2::text[]) AS i (sku_id)',
): Statement<LockedPart> {
  return statement(
    `lock for rows of ${kind}`,
    `SELECT offer.sku_id, offer.archived, offer.${number}, ${newerStock} FROM ${named}
     JOIN offer ON offer.account_id = $1 AND offer.sku_id = i.sku_id
     ORDER BY offer.sku_id FOR UPDATE OF offer`,
  );
}

const LOCKS: Readonly<Record<FileRowKind, Statement<LockedPart>>> = {
  sku: lock('sku', 'document_number'),
  price: lock('price', 'price_number'),
  // Of all nodes that have no record; a node that has one may be newer than the file, or not.
  inventory: lock(
    'inventory',
    'inventory_zeroed_number',
    'CASE WHEN offer.inventory_number > $3::bigint THEN offer.inventory END',
  ),
  shipping: lock('shipping', 'shipping_number'),
  returns: lock('returns', 'returns_number'),
  archive: lock('archive', 'archive_number'),
  group: lock('group', 'group_number', undefined, WITH_THEIR_GROUPS),
};

/** `number` is that of the file. */
export function lockCommand(kind: FileRowKind, accountId: number, skuIds: readonly string[], number: number): Command {
  const values = [accountId, skuIds];
  return { statement: LOCKS[kind], values: kind === 'inventory' ? [...values, number] : values };
}

/** What the rows of an offer that name its flag come to. */
export interface FlagRow {
  readonly skuId: string;
  /** As it is behind the last of them. */
  readonly archived: boolean;
  /** Whether one of them found it otherwise. */
  readonly isChanged: boolean;
}

/**
 * Where the flag was changed, nodes with a lower number than the file's read as zero; newer ones keep what they have. Only
 * for rows that are locked, and whose flag has no higher number.
 */
const SET_FLAGS = flagWithHistory<WrittenOffer>(
  'write flags of a file',
  `UPDATE offer SET archived = i.archived, archive_number = $2::bigint,
     ${assignedUnless('NOT i.is_changed', {
       inventory_stamp_ms: '$4::bigint',
       inventory_zeroed_number: 'GREATEST(offer.inventory_zeroed_number, $2::bigint)',
       ...markedLast('$3::bigint', '$5::bigint'),
     })},
     ${foundFlag('i.archived', 'i.is_changed')}
   FROM unnest($6::text[], $7::boolean[], $8::boolean[], $9::bigint[], $10::bigint[])
     AS i (sku_id, archived, is_changed, author_id, at_ms)
   WHERE offer.account_id = $1 AND offer.sku_id = i.sku_id`,
  ['offer.sku_id', 'i.is_changed'],
  '$11',
);

export function flagCommands(
  accountId: number,
  rows: readonly FlagRow[],
  numbers: RowNumbers,
  { by, atMs }: Attribution,
): readonly Command[] {
  const skuIds = rows.map(({ skuId }) => skuId);
  const flags = [rows.map(({ archived }) => archived), rows.map(({ isChanged }) => isChanged)];
  const values = [accountId, numbers.number, numbers.drawn, atMs, Date.now(), skuIds, ...flags];
  const told = [rows.map(() => numbers.authors.get(by)), rows.map(() => atMs)];
  return recordedCommands(SET_FLAGS, values, skuIds, told, numbers);
}
