/** Tests notify-catalog-users.ts with an in-memory store. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CatalogNews } from '../store/port/catalog.ts';
import type { SkuKey } from '../store/port/offers.ts';
import { notifyCatalogUsers } from './notify-catalog-users.ts';

function newsOf(code: string): CatalogNews {
  return { environment: 'live', code: `asin:${code}`, number: 1, markedUpTo: null };
}

/** `users` has the users of each code, in order. */
function world(users: Readonly<Record<string, readonly SkuKey[]>>, onMark: (count: number) => void = () => {}) {
  const calls: string[] = [];
  const left = new Map<string, CatalogNews>(Object.keys(users).map((code) => [`asin:${code}`, newsOf(code)]));
  const store: Parameters<typeof notifyCatalogUsers>[0] = {
    catalog: {
      readCatalogNews: async (limit) => [...left.values()].slice(0, limit),
      async readCatalogUsers(_environment, code, after, limit) {
        const all = users[code.slice('asin:'.length)] ?? [];
        const start = after === null ? 0 : all.findIndex(({ skuId }) => skuId === after.skuId) + 1;
        return all.slice(start, start + limit);
      },
      async moveCatalogNews(news, markedUpTo) {
        calls.push(`move ${news.code} ${markedUpTo?.skuId}`);
        if (markedUpTo === undefined) left.delete(news.code);
        else left.set(news.code, { ...news, markedUpTo });
      },
    },
    review: {
      async markDue(accountId, skuIds) {
        calls.push(`mark ${accountId} ${skuIds.length}`);
        onMark(calls.length);
      },
    },
  };
  return { store, calls };
}

function offers(count: number, accountId = 7): SkuKey[] {
  return Array.from({ length: count }, (_, place) => ({ accountId, skuId: `${accountId}-${place}` }));
}

const work = (signal = new AbortController().signal) => ({ accountId: 0, fence: 1, signal });

describe('news of the catalog', () => {
  it('mark all offers of the product, slice by slice and account by account, and are then deleted', async () => {
    const { store, calls } = world({ a: [...offers(150), ...offers(250, 8)] });
    let woken = 0;
    assert.equal(await notifyCatalogUsers(store, () => woken++)(work()), undefined);
    assert.deepEqual(calls, [
      'mark 7 150',
      'mark 8 50',
      'move asin:a 8-49',
      'mark 8 200',
      'move asin:a 8-249',
      'move asin:a undefined',
    ]);
    assert.equal(woken, 3);
  });

  it('are processed round-robin, so that a product with many offers does not delay others', async () => {
    const { store, calls } = world({ a: offers(201), b: offers(1) });
    await notifyCatalogUsers(store, () => {})(work());
    assert.deepEqual(
      calls.filter((call) => call.startsWith('move')),
      ['move asin:a 7-199', 'move asin:b undefined', 'move asin:a undefined'],
    );
  });

  it('stop when the lease is lost, before the position is stored', async () => {
    const control = new AbortController();
    const { store, calls } = world({ a: [...offers(1), ...offers(1, 8)] }, () => control.abort(new Error('lost')));
    await assert.rejects(notifyCatalogUsers(store, () => {})(work(control.signal)), { message: 'lost' });
    assert.deepEqual(calls, ['mark 7 1']);
  });

  it('may be empty', async () => {
    const { store, calls } = world({});
    assert.equal(await notifyCatalogUsers(store, () => {})(work()), undefined);
    assert.deepEqual(calls, []);
  });
});
