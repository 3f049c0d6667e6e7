/** Locks the offers that rows of a file name, and reads the numbers that decide whether a row applies. */
import type { RowWrite } from '../../port/files.ts';
import { type Statement, statement } from '../../shared/sql.ts';
import type { Command } from '../engine/connection.ts';
import { WITH_THEIR_GROUPS } from '../offers/row-statements.ts';

type FileRowKind = RowWrite['kind'];

export type LockedPart = readonly [
  skuId: string,
  archived: boolean,
  /** Of the part that a row changes; null: never written. */
  number: number | null,
  /** JSON text of all nodes if one of them is newer than the file, else null. */
  newerStock: string | null,
];

/** Locks in key order and by a join, as LOCK_OFFERS does. */
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

export function lockCommand(
  kind: FileRowKind,
  accountId: number,
  skuIds: readonly string[],
  fileNumber: number,
): Command {
  const values = [accountId, skuIds];
  return { statement: LOCKS[kind], values: kind === 'inventory' ? [...values, fileNumber] : values };
}
