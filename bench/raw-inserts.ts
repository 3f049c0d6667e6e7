/**
 * Measures plain SQLite with the same documents: one thread, one table with the key of an offer, the same page size and
 * durability, transactions of a thousand rows. Creating the documents is not measured.
 */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { Catalog } from '../src/catalog-generator/catalog.ts';
import { openForWriting } from '../src/store/sqlite/engine/engine.ts';
import { planOf } from './generated-files.ts';

const TRANSACTION_ROWS = 1000;

/** Returns rows per second. */
export function rawInsertRate(folder: string, rows: number): number {
  const file = path.join(folder, 'raw.db');
  const connection = openForWriting(file);
  try {
    connection.exec('CREATE TABLE raw (id INTEGER PRIMARY KEY, account_id INT, sku_id TEXT, document TEXT)');
    connection.exec('CREATE UNIQUE INDEX raw_key ON raw (account_id, sku_id)');
    const insert = connection.prepare('INSERT INTO raw (account_id, sku_id, document) VALUES (1, ?, ?)');
    const catalog = new Catalog(planOf(1));
    let spent_ms = 0;
    for (let from = 0; from < rows; from += TRANSACTION_ROWS) {
      const documents = Array.from({ length: Math.min(TRANSACTION_ROWS, rows - from) }, (_, row) => [
        catalog.skuId(from + row),
        catalog.sku(from + row),
      ]) as [string, string][];
      const startMs = performance.now();
      connection.exec('BEGIN');
      for (const [skuId, document] of documents) insert.run(skuId, document);
      connection.exec('COMMIT');
      spent_ms += performance.now() - startMs;
    }
    return (rows * 1000) / spent_ms;
  } finally {
    connection.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
  }
}
