/** Tests that memory does not grow with the size or content of a file. */
import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, it } from 'node:test';
import { createGzip } from 'node:zlib';
import type { FileHandlerParts } from '../../src/bulk/file-handler.ts';
import { processFile } from '../../src/bulk/process-file.ts';
import { ENDLESS, FileEngine } from '../../src/bulk/testing/file-engine.ts';
import { CheckThreads } from '../../src/bulk/threads/check-threads.ts';
import { ANY_NODES } from '../../src/domain/bodies/all-bodies.ts';
import type { BulkFile } from '../../src/domain/bulk-files.ts';
import { NEUTRAL_NAMES } from '../../src/domain/names.ts';
import type { PartWrite } from '../../src/domain/offers/part.ts';
import { DiskFileStorage } from '../../src/files/disk-file-storage.ts';
import { fileName } from '../../src/files/file-storage.ts';
import { minimalSku } from '../harness/api-client.ts';
import { tempFolder } from '../harness/temp-folder.ts';

/** Enough for some slices, chunks and uncollected garbage, and far below a file of 200 MB. */
const GROWTH_BYTES_MAX = 160_000_000;
const UNPACKED_BYTES_MAX = 300_000_000;
const PIECE_BYTES = 1_000_000;

interface Outcome {
  readonly file: BulkFile;
  readonly rows: number;
  readonly growth_bytes: number;
  readonly errorBytes: number;
}

/** Processes the file with a store that keeps nothing, and samples the memory meanwhile. */
async function work(content: Iterable<string | Buffer>, parts: Partial<FileHandlerParts> = {}): Promise<Outcome> {
  const folder = await tempFolder();
  const place = new DiskFileStorage(folder);
  await place.prepare();
  const engine = new FileEngine({
    slice_rows_max: 250,
    parts: { unpacked_bytes_max: UNPACKED_BYTES_MAX, error_bytes_max: 1e9, ...parts },
  });
  const sent = await engine.send('MerchantSKUs', '', 0);
  const target = path.join(folder, fileName(sent, 'upload'));
  await mkdir(path.dirname(target), { recursive: true });
  await pipeline(Readable.from(content), createGzip({ level: 1 }), createWriteStream(target));
  let rows = 0;
  const { moveFile } = engine.files;
  engine.files.applyRows = async (file, done, writes: readonly PartWrite[]) => {
    rows += writes.length;
    await moveFile(file, done);
    return writes.map(() => 'stored' as const);
  };
  const before_bytes = process.memoryUsage.rss();
  let peak_bytes = before_bytes;
  const watching = setInterval(() => {
    peak_bytes = Math.max(peak_bytes, process.memoryUsage.rss());
  }, 10);
  try {
    assert.equal(await processFile({ ...engine.parts, storage: place }, sent, ENDLESS), 'ended');
  } finally {
    clearInterval(watching);
  }
  const file = await engine.file(sent);
  const errorBytes = (await place.size(fileName(file, 'errors'))) ?? 0;
  return { file, rows, growth_bytes: peak_bytes - before_bytes, errorBytes };
}

function* rows(count: number, body: string): Generator<string> {
  yield '{';
  for (let index = 0; index < count; index += 500) {
    const some = Array.from({ length: Math.min(500, count - index) }, (_, place) => `"s${index + place}":${body}`);
    yield `${index === 0 ? '' : ','}${some.join(',')}`;
  }
  yield '}';
}

function assertBounded({ growth_bytes }: Outcome): void {
  assert.ok(growth_bytes < GROWTH_BYTES_MAX, `Memory grew by ${Math.round(growth_bytes / 1e6)} MB.`);
}

describe('the memory that a file takes', () => {
  const body = JSON.stringify({
    ...minimalSku(),
    marketplace_browse_node_id: 100,
    product_description: 'd'.repeat(1100),
  });

  it('is bounded with 200 MB of rows', async () => {
    const count = 150_000;
    const outcome = await work(rows(count, body));
    assert.equal(outcome.rows, count);
    assert.equal(outcome.file.status, 'Processed successfully');
    assert.ok(outcome.file.progress.offset > 200_000_000);
    assertBounded(outcome);
  });

  it('is bounded with 200 MB of rows that 2 threads check', async (t) => {
    const checkThreads = new CheckThreads({ threads_max: 2, names: NEUTRAL_NAMES, taxonomy: ANY_NODES });
    t.after(() => checkThreads.close());
    const count = 150_000;
    const outcome = await work(rows(count, body), { checkThreads });
    assert.equal(outcome.rows, count);
    assert.ok(checkThreads.batches_max > 0);
    assertBounded(outcome);
  });

  it('is bounded with one row of 200 MB, and the rows around it are applied', async () => {
    const piece = 'x'.repeat(PIECE_BYTES);
    const outcome = await work(
      (function* () {
        yield `{"first":${body},"large":{"product_title":"`;
        for (let count = 0; count < 200; count++) yield piece;
        yield `"},"last":${body}}`;
      })(),
    );
    const { rowsProcessed, rowsFailed, errorExcerpt } = outcome.file.progress;
    assert.deepEqual([outcome.rows, rowsProcessed, rowsFailed], [2, 3, 1]);
    assert.deepEqual(errorExcerpt, ['large: The body of the row must have at most 1048576 bytes.']);
    assertBounded(outcome);
  });

  it('is bounded with a gzip bomb, which ends at the limit', async () => {
    const piece = Buffer.alloc(PIECE_BYTES, ' ');
    const outcome = await work(
      (function* () {
        yield `{"first":${body},`;
        for (let count = 0; count < 360; count++) yield piece;
        yield `"last":${body}}`;
      })(),
    );
    assert.equal(outcome.rows, 1);
    assert.deepEqual(outcome.file.progress.errorExcerpt, [
      `The decompressed file exceeds the limit of ${UNPACKED_BYTES_MAX} bytes. The rest of the file was not read.`,
    ]);
    assertBounded(outcome);
  });

  it('is bounded with 300,000 rows that fail', async () => {
    const count = 300_000;
    const outcome = await work(rows(count, '{"brand":1}'));
    assert.equal(outcome.file.progress.rowsFailed, count);
    assert.equal(outcome.errorBytes, outcome.file.progress.errorBytes);
    assert.ok(outcome.errorBytes > 100_000_000);
    assertBounded(outcome);
  });
});
