/**
 * Composes the store port: the operations that Offerbook needs from a database, in domain terms.
 *
 * Every write is one conditional command ("set the price unless the SKU is unknown or archived") that is durable when its promise
 * resolves. Callers hold no transaction open. So an adapter can commit writes of many callers together, and no other write comes
 * between a check and its write.
 *
 * JSON documents cross the port as text, in the neutral spelling of domain/names.ts, so that integers beyond 2^53 survive and a
 * read can be returned without parsing.
 */
import type { Histogram } from '../domain/histogram.ts';
import type { CatalogStore } from './port/catalog.ts';
import type { FeedStore } from './port/feed.ts';
import type { FileStore, ReportStore } from './port/files.ts';
import type { HistoryStore } from './port/history.ts';
import type { IdempotencyStore } from './port/idempotency.ts';
import type { ImageStore } from './port/images.ts';
import type { OfferListStore } from './port/offer-list.ts';
import type { OfferStore } from './port/offers.ts';
import type { PeopleStore } from './port/people.ts';
import type { PlanStore } from './port/plans.ts';
import type { OfferReviewStore } from './port/review.ts';
import type { PolicyStore, SettingsStore, TaxonomyStore } from './port/settings.ts';
import type { StorefrontStore } from './port/storefront.ts';
import type { RateCounterStore, RequestCountStore, RequestLogStore, TraceStore } from './port/traffic.ts';
import type { WebhookStore } from './port/webhooks.ts';
import type { WorkStore } from './port/work.ts';

/** Calls that are not completed yet. */
export interface QueueFigures {
  readonly waiting: number;
  readonly oldestWait_ms: number;
}

/** Metrics for operators; cheap to read. */
export interface StoreFigures {
  readonly writes: QueueFigures;
  readonly lists: QueueFigures;
  /** Writes per commit. */
  readonly commitWrites: Histogram;
  /** The size of the database on disk. */
  readonly sizeBytes: number;
}

/** Settings, people and the catalog, which servers and the command line change. */
export interface SetupStore {
  readonly settings: SettingsStore;
  readonly taxonomy: TaxonomyStore;
  readonly policies: PolicyStore;
  readonly people: PeopleStore;
  readonly catalog: CatalogStore;
}

export interface Store extends SetupStore {
  readonly offers: OfferStore;
  readonly offerList: OfferListStore;
  readonly history: HistoryStore;
  readonly feed: FeedStore;
  readonly webhooks: WebhookStore;
  readonly review: OfferReviewStore;
  readonly images: ImageStore;
  readonly files: FileStore;
  readonly reports: ReportStore;
  readonly plans: PlanStore;
  readonly idempotency: IdempotencyStore;
  readonly work: WorkStore;
  readonly storefront: StorefrontStore;
  readonly traffic: RequestCountStore & RequestLogStore & TraceStore;
  /** Undefined if a single process serves the database: it counts requests in memory. */
  readonly rateCounters: RateCounterStore | undefined;
  readFigures(): Promise<StoreFigures>;
  /** Resolves if the store can be read and appears writable; otherwise rejects with StoreUnavailableError. */
  ping(): Promise<void>;
  /** Finishes accepted calls, then closes all connections and threads. */
  close(): Promise<void>;
}
