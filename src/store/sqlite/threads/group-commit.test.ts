/** Tests that commands of a group commit succeed or fail independently. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { putPrice, putSku } from '../../contract/put-parts.ts';
import { AUTHOR, documentOf, NOW_MS, newAccountId } from '../../contract/subject.ts';
import { StoreUnavailableError } from '../../port/errors.ts';
import type { WriteKey } from '../../port/offers.ts';
import { openStoreFor } from '../testing/open-for.ts';
import { commitTogether } from './group-commit.ts';

describe('group commit', () => {
  const disk = new Error('disk full');
  const bug = new Error('bad command');

  test('all commands share one transaction', async () => {
    const { transaction, log } = transactionThat({});
    const answers = await commitTogether(transaction, 3, (command) => {
      log.push(`run ${command}`);
      return command * 10;
    });
    assert.deepEqual(answers, { results: [0, 10, 20], failures: null });
    assert.deepEqual(log, ['begin', 'run 0', 'run 1', 'run 2', 'commit']);
  });

  test('when the transaction cannot begin, no command runs and all fail', async () => {
    const { transaction, log } = transactionThat({ beginFails: disk });
    const answers = await commitTogether(transaction, 2, () => assert.fail('must not run'));
    assert.deepEqual(answers.failures, new Map([0, 1].map((command) => [command, disk])));
    assert.deepEqual(log, ['begin']);
  });

  test('when the commit fails, all fail and nothing stays open', async () => {
    const { transaction, log } = transactionThat({ commitFails: disk });
    const answers = await commitTogether(transaction, 2, () => 'stored');
    assert.deepEqual(answers.failures, new Map([0, 1].map((command) => [command, disk])));
    assert.deepEqual(answers.results, new Array(2));
    assert.deepEqual(log, ['begin', 'commit', 'rollback']);
  });

  test('when a command fails, each is retried alone, and only that one fails', async () => {
    const { transaction, log } = transactionThat({});
    const answers = await commitTogether(transaction, 3, (command) => {
      log.push(`run ${command}`);
      if (command === 1) throw bug;
      return 'stored';
    });
    assert.deepEqual(answers, { results: ['stored', undefined, 'stored'], failures: new Map([[1, bug]]) });
    const alone = ['begin', 'run 0', 'commit', 'begin', 'run 1', 'rollback', 'begin', 'run 2', 'commit'];
    assert.deepEqual(log, ['begin', 'run 0', 'run 1', 'rollback', ...alone]);
  });

  test('when the lock is lost during these retries, the rest fail without an attempt', async () => {
    const { transaction, log } = transactionThat({ beginFails: disk, beginsBefore: 2 });
    const answers = await commitTogether(transaction, 4, (command) => {
      log.push(`run ${command}`);
      if (log.length === 2) throw bug;
      return 'stored';
    });
    assert.equal(answers.results[0], 'stored');
    assert.deepEqual(answers.failures, new Map([1, 2, 3].map((command) => [command, disk])));
    assert.deepEqual(log, ['begin', 'run 0', 'rollback', 'begin', 'run 0', 'commit', 'begin']);
  });

  test('a command that fails and is alone is not run twice', async () => {
    const { transaction, log } = transactionThat({});
    const answers = await commitTogether(transaction, 1, () => {
      throw bug;
    });
    assert.deepEqual(answers.failures, new Map([[0, bug]]));
    assert.deepEqual(log, ['begin', 'rollback']);
  });

  test('in the store, a value that SQLite refuses does not affect other calls of the batch', async (t) => {
    const store = await openStoreFor(t);
    const accountId = newAccountId();
    const key = (skuId: string): WriteKey => ({ accountId, skuId, by: AUTHOR });
    const notText = new Uint8Array(3) as unknown as string;
    const settled = await Promise.allSettled([
      putSku(store.offers, key('before'), documentOf(), NOW_MS),
      putSku(store.offers, key('bad'), notText, NOW_MS),
      putSku(store.offers, key('after'), documentOf(), NOW_MS),
      putPrice(store.offers, key('before'), { price: 1, nodes: [] }, NOW_MS),
    ]);
    assert.deepEqual(
      settled.map((call) => call.status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    );
    // The first half of the failing command is rolled back too.
    assert.equal(await store.offers.readSkuState(key('bad')), 'unknown');
    assert.equal(await store.offers.readSkuState(key('after')), 'open');
    assert.deepEqual(await store.offers.listSkus(accountId, { after: undefined, offset: 0, limit: 10 }), {
      skuIds: ['before', 'after'],
      more: false,
    });
  });

  test('in the store, a full disk is reported as unavailable and nothing is half stored', async (t) => {
    const store = await openStoreFor(t, { database_bytes_max: 2 * 1024 * 1024 });
    const accountId = newAccountId();
    const document = JSON.stringify({ brand: 'Acme', text: 'x'.repeat(50_000) });
    const keys = Array.from(
      { length: 100 },
      (_, number): WriteKey => ({ accountId, skuId: `sku-${number}`, by: AUTHOR }),
    );
    const settled = await Promise.allSettled(keys.map((key) => putSku(store.offers, key, document, NOW_MS)));
    const stored = keys.filter((_, place) => settled[place]?.status === 'fulfilled');
    assert.ok(stored.length > 0 && stored.length < 100, `${stored.length} stored`);
    for (const [place, call] of settled.entries()) {
      const offer = await store.offers.readOffer(keys[place] as WriteKey);
      if (call.status === 'fulfilled') {
        assert.equal(offer?.document, document);
      } else {
        assert.ok(call.reason instanceof StoreUnavailableError);
        assert.match(call.reason.message, /full/);
        assert.equal(offer, undefined);
      }
    }
    const listed = await store.offers.listSkus(accountId, { after: undefined, offset: 0, limit: 1000 });
    assert.deepEqual(listed, { skuIds: stored.map((key) => key.skuId), more: false });
    await store.ping();
  });
});

/** `beginsBefore`: how many transactions begin before one fails to begin. */
function transactionThat(failing: { beginFails?: Error; beginsBefore?: number; commitFails?: Error }) {
  const log: string[] = [];
  const step = (name: string, failure?: Error, timesBefore = 0) => {
    let times = 0;
    return () => {
      log.push(name);
      if (failure !== undefined && ++times > timesBefore) throw failure;
    };
  };
  const transaction = {
    begin: step('begin', failing.beginFails, failing.beginsBefore),
    commit: step('commit', failing.commitFails),
    rollback: step('rollback'),
  };
  return { transaction, log };
}
