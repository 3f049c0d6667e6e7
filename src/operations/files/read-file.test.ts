/** Tests parts of read-file.ts that the API tests cannot observe. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Account } from '../../domain/account.ts';
import type { FileContext } from './file-context.ts';
import { cancelFile } from './read-file.ts';

const FILE_ID = '0b5b1c8e-0000-4000-8000-000000000001';

it('counts the errors and deferred rows of a file that is cancelled, once', async () => {
  const file: { endedMs: number | null } = { endedMs: null };
  const read = async () => ({ ...file, createdMs: 1, progress: { errorBytes: 20, retryBytes: 3, deferredBytes: 8 } });
  const counted: unknown[] = [];
  const context = {
    store: {
      files: {
        readFile: read,
        cancelFile: () => {
          file.endedMs ??= 2;
          return read();
        },
      },
    },
    kept: { add: async (...added: unknown[]) => void counted.push(added) },
    nowMs: () => 2,
    onFileReceived: () => {},
  } as unknown as FileContext;
  for (let time = 0; time < 2; time++) {
    assert.equal((await cancelFile(context, { accountId: 7 } as Account, FILE_ID)).ok, true);
  }
  assert.deepEqual(counted, [[7, 31]]);
});
