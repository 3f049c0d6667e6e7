/** Use case: an operator reads which merchants' offers and images wait for review, and for how long. */
import { ENVIRONMENTS } from '../../domain/account.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Store } from '../../store/port.ts';

export type Backlog = Awaited<ReturnType<typeof readBacklog>>;

export interface BacklogStore {
  readonly review: Pick<Store['review'], 'readReviewFigures' | 'listSweeps'>;
  readonly images: Pick<Store['images'], 'countImagesByAccount' | 'readImageFigures'>;
  readonly settings: Pick<Store['settings'], 'listMerchants'>;
}

/** `http/portal/operator-offers.ts` describes the values. */
export async function readBacklog(store: BacklogStore) {
  // Sweeps first: one that ends between the reads has marked its offers, which the figures then count.
  const sweeps = await store.review.listSweeps();
  const [figures, images, { waiting, retrying }, merchants] = await Promise.all([
    store.review.readReviewFigures(),
    store.images.countImagesByAccount(),
    store.images.readImageFigures(),
    store.settings.listMerchants(),
  ]);
  const due = new Map(figures.accounts.map((account) => [account.accountId, account]));
  const marking = new Set(sweeps.map(({ accountId }) => accountId));
  const accounts = merchants.flatMap((merchant) =>
    ENVIRONMENTS.map((environment) => {
      const accountId = merchant.accounts[environment];
      const { due: offers = 0, oldestDue_ms = 0 } = due.get(accountId) ?? {};
      const isMarking = marking.has(accountId);
      return { merchant, environment, due: offers, oldestDue_ms, images: images.get(accountId) ?? 0, isMarking };
    }),
  );
  return {
    ...figures,
    images: waiting,
    imagesRetrying: retrying,
    marking: marking.size,
    accounts: accounts
      .filter((account) => account.due > 0 || account.images > 0 || account.isMarking)
      .toSorted((one, other) => other.oldestDue_ms - one.oldestDue_ms)
      .slice(0, LIMITS.backlog_accounts_max),
  };
}
