/** A thread that checks rows of SKU files for the bulk file thread, batch by batch, in the order sent. It has no store. */
import { parentPort, workerData } from 'node:worker_threads';
import { createBodyChecks } from '../../domain/bodies/all-bodies.ts';
import type { Int64 } from '../../domain/int64.ts';
import { Names } from '../../domain/names.ts';
import { lowerPriority } from '../lower-priority.ts';
import { NO_ACCOUNT } from '../rows/check-rows.ts';
import { type Entry, NO_CELLS, pieceOf } from '../rows/entry.ts';
import { rowCheck } from '../rows/row-checks.ts';
import { type CheckedBatch, type CheckThreadData, OFFSETS, type RowBatch } from './check-messages.ts';

if (parentPort === null) throw new Error('This module must run in a worker thread.');
const starter = parentPort;
lowerPriority();
const names = new Names((workerData as CheckThreadData).names);
let browseNodeId: Int64 | undefined;
const taxonomy = {
  node: (id: Int64) => {
    browseNodeId = id;
    return true;
  },
};
const store = { offers: { readMembers: () => Promise.reject(new Error('SKU rows have no members.')) } };
const check = rowCheck('MerchantSKUs', { names, bodies: createBodyChecks(names, taxonomy), store });

starter.on('message', (batch: RowBatch) => starter.postMessage(checkBatch(batch)));
starter.postMessage('ready');

function checkBatch({ format, bytes, offsets }: RowBatch): CheckedBatch {
  const piece = pieceOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const skuIds: string[] = [];
  const documents: (string | null)[] = [];
  const browseNodeIds: (Int64 | undefined)[] = [];
  const ignored = new Map<number, readonly string[]>();
  for (let at = 0; at < offsets.length; at += OFFSETS.length) {
    const [keyStart, keyEnd, valueStart, valueEnd, membersStart] = offsets.subarray(at) as unknown as Offsets;
    const ends = { keyStart, keyEnd, valueStart, valueEnd, membersStart };
    // Positions in the file are only needed for problems, which the bulk file thread finds again.
    const place = { format, offset: 0, line: 1, column: 1, end: 0 };
    const entry: Entry = { ...place, piece, ...ends, cells: NO_CELLS, sheet: undefined, isCut: false };
    browseNodeId = undefined;
    const row = check(NO_ACCOUNT, entry);
    if (row instanceof Promise) throw new Error('The check of a SKU row must not wait.');
    if (row.write !== undefined && row.ignored.length > 0) ignored.set(documents.length, row.ignored);
    skuIds.push(row.key);
    documents.push(row.write?.part === 'sku' ? row.write.document : null);
    browseNodeIds.push(browseNodeId);
  }
  return { skuIds, documents, browseNodeIds, ignored };
}

type Offsets = readonly [number, number, number, number, number];
