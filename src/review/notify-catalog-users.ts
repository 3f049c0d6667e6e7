/**
 * Marks the offers of a product as due after the product changed in the catalog, slice by slice. The position is stored in the
 * database with the change, so that another process can continue.
 */
import type { WorkHandler } from '../background/leased-loop.ts';
import type { CatalogNews, CatalogStore } from '../store/port/catalog.ts';
import type { OfferReviewStore } from '../store/port/review.ts';

interface NewsStore {
  readonly catalog: Pick<CatalogStore, 'readCatalogNews' | 'moveCatalogNews' | 'readCatalogUsers'>;
  readonly review: Pick<OfferReviewStore, 'markDue'>;
}

/** A slice takes a few milliseconds in the database for one account. */
const SLICE_OFFERS_MAX = 200;
/** How many products are processed round-robin, so that a product with many offers does not delay the others. */
const NEWS_TOGETHER = 20;
/** After this time the work is returned, so that a stop need not wait. */
const RUN_MS_MAX = 500;

export function notifyCatalogUsers(store: NewsStore, onMarked: () => void): WorkHandler {
  return async ({ signal }) => {
    const endMs = performance.now() + RUN_MS_MAX;
    for (;;) {
      const news = await store.catalog.readCatalogNews(NEWS_TOGETHER);
      if (news.length === 0) return undefined;
      for (const one of news) {
        await markSome(store, one, signal);
        onMarked();
        if (performance.now() >= endMs) return 0;
      }
    }
  };
}

/** Marks offers before it stores the position, so that after a crash they are marked again and none is missed. */
async function markSome(store: NewsStore, news: CatalogNews, signal: AbortSignal): Promise<void> {
  const { environment, code, markedUpTo } = news;
  const users = await store.catalog.readCatalogUsers(environment, code, markedUpTo, SLICE_OFFERS_MAX);
  for (const [accountId, some] of Map.groupBy(users, (user) => user.accountId)) {
    signal.throwIfAborted();
    await store.review.markDue(
      accountId,
      some.map(({ skuId }) => skuId),
      'backlog',
    );
  }
  signal.throwIfAborted();
  await store.catalog.moveCatalogNews(news, users.length < SLICE_OFFERS_MAX ? undefined : users.at(-1));
}
