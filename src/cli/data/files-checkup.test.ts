/** Tests that doctor checks the folder of bulk files and its free space. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { inspectFilesFolder } from './folder-checkup.ts';

const dataDir = mkdtempSync(path.join(tmpdir(), 'offerbook-files-checkup-'));
after(() => rmSync(dataDir, { recursive: true }));

describe('the folder of bulk files', () => {
  test('may be missing: the server creates it', () => {
    const { state, text } = inspectFilesFolder({
      dataDir,
      filesDir: path.join(dataDir, 'a', 'b'),
      filesFreeBytesMin: 0,
    });
    assert.deepEqual([state, readdirSync(dataDir)], ['ok', []], text);
  });

  test('needs the free space that uploads must leave', () => {
    const { state, text } = inspectFilesFolder({ dataDir, filesDir: undefined, filesFreeBytesMin: 2 ** 53 });
    assert.equal(state, 'fail');
    assert.match(
      text,
      /iB free for .*files, but FILES_FREE_BYTES_MIN is 8,192 TiB\. Bulk files are refused until you free disk space/,
    );
  });

  test('is reported if it is inside a file', () => {
    const file = path.join(dataDir, 'file');
    writeFileSync(file, '');
    const { state, text } = inspectFilesFolder({ dataDir, filesDir: path.join(file, 'files'), filesFreeBytesMin: 0 });
    assert.equal(state, 'fail');
    assert.match(text, /cannot be created: .*Set FILES_DIR/);
  });
});
