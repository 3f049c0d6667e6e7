/**
 * In charge of having the offers of a product reviewed again after the catalog has learned something of it, slice by slice.
 * Where it stands is in the store, with what was learned, so that whoever goes on begins there.
 */

import type { WorkHandler } from '../background/leased-loop.ts';
import type { CatalogNews, CatalogStore } from '../store/port/catalog.ts';
import type { OfferReviewStore } from '../store/port/review.ts';

interface NewsStore {
  readonly catalog: Pick<CatalogStore, 'readCatalogNews' | 'moveCatalogNews' | 'readCatalogUsers'>;
  readonly review: Pick<OfferReviewStore, 'markDue'>;
}

/** A few milliseconds of the store where they are of one account. */
const SLICE_OFFERS_MAX = 200;
/** Products take turns, so that one that everybody offers does not hold up the others. */
const NEWS_TOGETHER = 20;
/** After this long others have their turn. */
const TURN_MS_MAX = 500;

export function tellCatalogUsers(store: NewsStore, onMarked: () => void): WorkHandler {
  return async ({ signal }) => {
    const endMs = performance.now() + TURN_MS_MAX;
    for (;;) {
      const news = await store.catalog.readCatalogNews(NEWS_TOGETHER);
      if (news.length === 0) return undefined;
      for (const one of news) {
        await tellSome(store, one, signal);
        onMarked();
        if (performance.now() >= endMs) return 0;
      }
    }
  };
}

/** They are marked before it is noted that they were: one who dies in between has them marked again. */
async function tellSome(store: NewsStore, news: CatalogNews, signal: AbortSignal): Promise<void> {
  const { environment, code, toldUpTo } = news;
  const users = await store.catalog.readCatalogUsers(environment, code, toldUpTo, SLICE_OFFERS_MAX);
  for (const [accountId, some] of Map.groupBy(users, (user) => user.accountId)) {
    signal.throwIfAborted();
    await store.review.markDue(
      accountId,
      some.map(({ skuId }) => skuId),
    );
  }
  signal.throwIfAborted();
  await store.catalog.moveCatalogNews(news, users.length < SLICE_OFFERS_MAX ? undefined : users.at(-1));
}
