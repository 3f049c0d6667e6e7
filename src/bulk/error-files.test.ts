/** Tests the size limits of the error file and the retry file, and the message in a full file. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { FileEngine } from './testing/file-engine.ts';

describe('errors of more rows than the error file has room for', () => {
  it('are all counted, and listed up to the limit of the upload; later rows are still applied', async () => {
    const engine = new FileEngine({ slice_rows_max: 1_000, chunk_bytes: 4_096 });
    await engine.upload('last');
    const bad = Array.from({ length: 100_000 }, (_, index) => `"s${index}":{"price":"x"}`).join();
    const packed = gzipSync(`{${bad},"last":{"price":7}}`);
    const file = await engine.send('Price', packed);
    assert.ok(packed.length * 16 < 5_000_000);
    assert.equal(await engine.run(file), 'ended');
    const { rowsProcessed, rowsFailed, fileFaults, errorBytes, retryBytes } = await engine.progress(file);
    assert.deepEqual([rowsProcessed, rowsFailed, fileFaults], [100_001, 100_000, 1]);
    const bytes_max = packed.length * 16;
    assert.ok(errorBytes >= bytes_max && errorBytes < bytes_max + 1_000, `${errorBytes}`);
    const { '': fault, ...rows } = await engine.errors(file);
    const text =
      'The error file has reached its size limit. Later errors are only counted in rows_failed. Fix the listed rows, then upload the rows after byte_offset again.';
    const details = [{ code: 'file_errors_too_many', field: '', message: text }];
    assert.deepEqual([fault?.errors, fault?.details], [[text], details]);
    const listed = Object.entries(rows);
    assert.equal(fault?.byte_offset, listed.at(-1)?.[1].byte_offset);
    assert.ok(listed.length > 10_000 && listed.length < 50_000);
    assert.equal(engine.written > 0, true);
    assert.ok(retryBytes < bytes_max);
    assert.equal(
      Object.keys((await engine.retry(file)) as object).length,
      100_000,
      'rows are shorter than their errors',
    );
  });

  for (const [what, upload_bytes, kept_bytes_max, bytes_max] of [
    ['256 KiB for a small upload', 1_000, 17_179_869_184, 262_144],
    ['a sixteenth of what the account may keep', 1_000_000, 8_388_608, 524_288],
    ['256 KiB where the account may keep next to nothing', 1_000_000, 300, 262_144],
  ] as const) {
    it(`take at most ${what}`, async () => {
      const engine = new FileEngine({ slice_rows_max: 1_000, chunk_bytes: 4_096, parts: { kept_bytes_max } });
      const bad = Array.from({ length: 10_000 }, (_, index) => `"s${index}":{"price":"x"}`).join();
      const file = await engine.send('Price', `{${bad}}`, upload_bytes);
      assert.equal(await engine.run(file), 'ended');
      const { rowsFailed, errorBytes } = await engine.progress(file);
      assert.equal(rowsFailed, 10_000);
      assert.ok(errorBytes >= bytes_max && errorBytes < bytes_max + 1_000, `${errorBytes}`);
    });
  }

  it('are still listed when the retry file is full, which can still be uploaded', async () => {
    const engine = new FileEngine({ slice_rows_max: 10, parts: { error_bytes_max: 30_000 } });
    const body = { price: 'x'.repeat(1_000) };
    const file = await engine.send(
      'Price',
      Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`s${index}`, body])),
    );
    assert.equal(await engine.run(file), 'ended');
    assert.deepEqual([(await engine.progress(file)).rowsFailed, (await engine.progress(file)).fileFaults], [40, 1]);
    const { '': fault, ...rows } = await engine.errors(file);
    assert.deepEqual(fault?.errors, [
      'The retry file has reached its size limit and lacks rows that failed later. Fix and upload its rows, then upload the rows after byte_offset again.',
    ]);
    assert.equal(Object.keys(rows).length, 40);
    const retry = Object.keys((await engine.retry(file)) as object);
    assert.deepEqual(retry, Object.keys(rows).slice(0, retry.length));
    assert.equal(rows[retry.at(-1) ?? '']?.byte_offset, fault?.byte_offset);
    assert.ok(retry.length < 40);
  });
});
