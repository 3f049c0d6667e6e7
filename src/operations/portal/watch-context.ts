/** What the operations work with by which people look at an account: its offers, its counts and its files. */
import type { FileStore } from '../../store/file-port.ts';
import type { OfferListStore } from '../../store/offer-list-port.ts';
import type { OfferStore } from '../../store/port.ts';
import type { RequestCountStore } from '../../store/request-count-port.ts';
import type { ReviewRules } from '../review-knowledge.ts';

export interface WatchContext {
  readonly store: OfferListStore &
    Pick<RequestCountStore, 'readRequestCounts'> &
    Pick<OfferStore, 'readOffer'> &
    Pick<FileStore, 'listUnfinishedFiles'>;
  /** That offers are judged by. */
  readonly rules: ReviewRules;
  /** That an environment of a merchant may send. */
  readonly requestsPerMinute: number;
  readonly nowMs: () => number;
}
