/** Tests which responses idempotency.ts stores, and which it leaves to a repeat. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '../domain/account.ts';
import { requestProblem } from '../domain/problem.ts';
import type { Answer } from './endpoint.ts';
import { answerOnce } from './idempotency.ts';
import type { Services } from './services.ts';

/** Handles one request with a key; returns the calls to the store. */
async function callsFor(answer: () => Answer): Promise<readonly string[]> {
  const calls: string[] = [];
  const idempotency = {
    claimKey: async () => ({ state: 'claimed', number: 1, isRepeat: false }),
    storeAnswer: async (_held: unknown, text: string) => void calls.push(text),
    releaseKey: async () => {
      calls.push('released');
      throw new Error('The database is gone.');
    },
  };
  const services = { idempotency, context: { nowMs: () => 0 } } as unknown as Services;
  const account = { accountId: 1 } as Account;
  const request = { services, account, value: 'a', changeId: '', query: '', headers: {}, bytes: null };
  await answerOnce(request, 'putPrice', 'k', answer).catch((error) => calls.push(String(error)));
  return calls;
}

test('stores successes and refusals', async () => {
  for (const answer of [
    { status: 202, ignored: ['/a'] },
    { status: 200, json: '{}', headers: { etag: '"1"' } },
    { problems: [requestProblem('sku_unknown', 'SKU a not found.')] },
    { problems: [requestProblem('body_not_object', 'x'.repeat(60_000))] },
  ] as const) {
    assert.deepEqual(await callsFor(() => answer), [JSON.stringify(answer)]);
  }
});

test('stores no failure of the server, no 429, and no response beyond the limit', async () => {
  for (const problem of [
    requestProblem('reports_too_many', ''),
    requestProblem('disk_full', ''),
    requestProblem('internal_error', ''),
    requestProblem('body_not_object', 'x'.repeat(65_536)),
  ]) {
    assert.deepEqual(await callsFor(() => ({ problems: [problem] })), ['released'], problem.code);
  }
});

test('releases the key of a request that throws, and reports its error even if the release fails', async () => {
  const failing = () => {
    throw new Error('The disk is full.');
  };
  assert.deepEqual(await callsFor(failing), ['released', 'Error: The disk is full.']);
});
