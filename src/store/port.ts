/**
 * The store port: what Offerbook asks of a database, in words of the domain.
 *
 * Every write is one conditional command ("set the price unless the SKU is unknown or archived") that is durable when
 * its promise resolves. There is no transaction to hold open: that is what lets an adapter commit many callers'
 * writes together, and it leaves no window between a check and its write.
 *
 * JSON documents cross the port as text, in the neutral spelling of domain/names.ts, so that integers beyond 2^53
 * survive and a read can be answered without parsing.
 */
import type { CatalogStore } from './port/catalog.ts';
import type { FileStore, ReportStore } from './port/files.ts';
import type { HistoryStore } from './port/history.ts';
import type { ImageStore } from './port/images.ts';
import type { OfferListStore } from './port/offer-list.ts';
import type { OfferStore } from './port/offers.ts';
import type { PeopleStore } from './port/people.ts';
import type { OfferReviewStore } from './port/review.ts';
import type { PolicyStore, SettingsStore, TaxonomyStore } from './port/settings.ts';
import type { RateCounterStore, RequestCountStore } from './port/traffic.ts';
import type { WorkStore } from './port/work.ts';

/** Calls that were taken and not answered yet. */
export interface QueueFigures {
  readonly waiting: number;
  /** 0 when none waits. */
  readonly oldestWaitMs: number;
}

/** What an operator watches; cheap to read. */
export interface StoreFigures {
  readonly writes: QueueFigures;
  readonly lists: QueueFigures;
  /** How many writes were committed together: counts by upper bound, and one beyond the last. */
  readonly commitWrites: {
    readonly bounds: readonly number[];
    readonly counts: readonly number[];
    readonly sum: number;
  };
  /** On disk. */
  readonly sizeBytes: number;
}

/** Settings and people: small data that servers and the command line change alike. */
export interface SetupStore {
  readonly settings: SettingsStore;
  readonly taxonomy: TaxonomyStore;
  readonly policies: PolicyStore;
  readonly people: PeopleStore;
}

export interface Store extends SetupStore {
  readonly offers: OfferStore;
  readonly offerList: OfferListStore;
  readonly history: HistoryStore;
  readonly review: OfferReviewStore;
  readonly catalog: CatalogStore;
  readonly images: ImageStore;
  readonly files: FileStore;
  readonly reports: ReportStore;
  readonly work: WorkStore;
  readonly traffic: RequestCountStore;
  /** Undefined when a single process serves the database: that process counts by itself, exactly. */
  readonly rateCounters: RateCounterStore | undefined;
  readFigures(): Promise<StoreFigures>;
  /** Resolves when the store can answer and, as far as that shows, be written; rejects with StoreUnavailableError else. */
  ping(): Promise<void>;
  /** Finishes what was accepted, then closes all connections and threads. */
  close(): Promise<void>;
}
