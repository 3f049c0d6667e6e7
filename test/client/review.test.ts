/** Tests that the client waits for a review as long as the server has something to do. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { isForSale, Offerbook } from '../../client/src/offerbook.ts';
import { refusal, type ScriptedAnswer, scriptedServer, TOKEN } from '../harness/scripted-server.ts';

/** Returns a review with one check. Its status has a text of its own, because marketplaces may rename statuses. */
function review(state: string, next: string | null = null): ScriptedAnswer {
  return [200, { status: 'Being checked', sub_status: [], next, checks: [{ check: 'main_image', state, next }] }];
}

async function waited(t: TestContext, answers: readonly ScriptedAnswer[], timeout_ms?: number) {
  const { url, seen } = await scriptedServer(t, [TOKEN, ...answers]);
  const api = new Offerbook({ url, user: 'ann', pass: 'hush' });
  const found = await api.waitForReview('a/b', timeout_ms === undefined ? {} : { timeout_ms });
  return { found: found?.value, reads: seen.length - 1, call: seen.at(-1)?.call };
}

describe('a review', () => {
  it('is awaited until nothing is pending', async (t) => {
    const { found, reads, call } = await waited(t, [review('pending', 'marketplace'), review('passed')]);
    assert.deepEqual([reads, call], [2, 'GET /merchant-skus/a%2Fb/review']);
    assert.ok(found !== undefined && isForSale(found));
    const failed = await waited(t, [review('failed', 'merchant')]);
    assert.ok(failed.found !== undefined && !isForSale(failed.found));
  });

  it('is not awaited if only the merchant can resolve it, or if the SKU does not exist', async (t) => {
    const { found, reads } = await waited(t, [review('pending', 'merchant')]);
    assert.deepEqual([reads, found?.checks[0]?.state], [1, 'pending']);
    assert.ok(found !== undefined && !isForSale(found));
    assert.equal((await waited(t, [refusal(404, 'sku_unknown')])).found, undefined);
  });

  it('is returned as it is when the time is up', async (t) => {
    const { found, reads } = await waited(t, [review('pending', 'marketplace')], 1);
    assert.deepEqual([reads, found?.checks[0]?.state], [1, 'pending']);
  });
});
