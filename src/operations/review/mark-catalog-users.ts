/** In charge of having the offers of a product judged again, after what the catalog knows of it has changed. */
import type { Environment } from '../../domain/account.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { CatalogStore, OfferReference, OfferReviewStore } from '../../store/review-port.ts';

/** Marked in one go. */
const USERS_TOGETHER = 500;

/** Says how many there are. `isLeftOut`: those that need it not. */
export async function markCatalogUsers(
  store: Pick<CatalogStore, 'readCatalogUsers'> & Pick<OfferReviewStore, 'markDue'>,
  environment: Environment,
  code: CatalogCode,
  isLeftOut: (offer: OfferReference) => boolean = () => false,
): Promise<number> {
  let after: OfferReference | undefined;
  let marked = 0;
  for (;;) {
    const users = await store.readCatalogUsers(environment, code, after, USERS_TOGETHER);
    const due = users.filter((user) => !isLeftOut(user));
    for (const [accountId, some] of Map.groupBy(due, (user) => user.accountId)) {
      const skuIds = some.map(({ skuId }) => skuId);
      await store.markDue(accountId, skuIds);
    }
    marked += due.length;
    after = users.at(-1);
    if (users.length < USERS_TOGETHER) return marked;
  }
}
