/** Tests which responses idempotency.ts stores, and which it leaves to a repeat. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '../domain/account.ts';
import { accept } from '../domain/outcome.ts';
import { requestProblem } from '../domain/problem.ts';
import type { Answer } from './endpoint.ts';
import { answerOnce } from './idempotency.ts';
import type { Services } from './services.ts';

/** Handles one request with a key; returns the calls to the store. */
async function callsFor(
  answer: Parameters<typeof answerOnce>[3],
  endpoint: Parameters<typeof answerOnce>[1] = { id: 'putOffer' },
): Promise<readonly string[]> {
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
  const request = {
    services,
    account,
    skuId: 'a',
    targetId: '',
    changeId: '',
    query: '',
    headers: {},
    bytes: null,
    precondition: undefined,
  };
  await answerOnce(request, endpoint, 'k', answer).catch((error) => calls.push(String(error)));
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

test('leaves a response beyond the limit out of the commit of the write', async () => {
  const ran: (string | undefined)[] = [];
  const answer =
    (ignored: readonly string[]) =>
    (own: Parameters<Parameters<typeof answerOnce>[3]>[0]): Answer => {
      ran.push(own.keyed?.answerTo(accept('tag', ignored)));
      return { status: 202, ignored };
    };
  const endpoint = { id: 'putPrice', storesKey: true } as const;
  assert.deepEqual(await callsFor(answer(['/a']), endpoint), []);
  assert.equal(ran.length, 1);
  assert.deepEqual(await callsFor(answer(['x'.repeat(65_536)]), endpoint), ['released']);
  assert.deepEqual(ran.slice(1), [undefined], 'only the run with a claim got through');
});

test('releases the key of a request that throws, and reports its error even if the release fails', async () => {
  const failing = () => {
    throw new Error('The disk is full.');
  };
  assert.deepEqual(await callsFor(failing), ['released', 'Error: The disk is full.']);
});
