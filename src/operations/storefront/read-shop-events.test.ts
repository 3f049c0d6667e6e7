/** Tests the size of a page of read-shop-events.ts, at the limit and beyond. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../domain/limits.ts';
import type { StorefrontStore } from '../../store/port/storefront.ts';
import type { StorefrontContext } from './read-products.ts';
import { readShopEvents, shopFeedWaits } from './read-shop-events.ts';

const MAX = LIMITS.event_changes_page_characters_max;

/** Returns the numbers of events of each page, and whether it said that there are more. */
async function pagesOf(...sizes: readonly number[]) {
  const events = sizes.map((size, index) => {
    return { number: index + 1, code: 'asin:B000000001', atMs: 1, body: `"${'x'.repeat(size - 2)}"` } as const;
  });
  const storefront: Partial<StorefrontStore> = {
    readShopFeed: async () => ({ tag: '0123456789ab', last: events.length, dropped: 0 }),
    readShopEvents: async (_, after, limit) => events.slice(after, after + limit),
  };
  const store = { storefront } as { storefront: StorefrontStore; offers: never };
  const context = { store, isOn: true, waits: shopFeedWaits(store.storefront) } as unknown as StorefrontContext;
  const pages: [events: number, more: boolean][] = [];
  for (let after: string | undefined, more = true; more; ) {
    const outcome = await readShopEvents(context, 'live', { after, limit: 100, wait_seconds: 0, whenClosed() {} });
    assert.ok(outcome.ok);
    pages.push([outcome.value.events.length, outcome.value.more]);
    ({ next: after, more } = outcome.value);
  }
  return pages;
}

describe('a page of events of the storefront', () => {
  it('ends at a number of characters, and has at least one event', async () => {
    assert.deepEqual(await pagesOf(MAX - 10, 10), [[2, false]]);
    assert.deepEqual(await pagesOf(MAX - 10, 11), [
      [1, true],
      [1, false],
    ]);
    assert.deepEqual(await pagesOf(MAX * 2, MAX * 2), [
      [1, true],
      [1, false],
    ]);
  });
});
