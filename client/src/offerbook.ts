/** The client of one environment of one merchant. */

import { OfferbookError } from './errors.ts';
import { Files } from './files.ts';
import { toJson } from './json.ts';
import { type Answer, type CallOptions, Session, type SessionOptions } from './session.ts';
import type {
  EventRecord,
  EventsAnswer,
  InventoryAnswer,
  InventoryBody,
  OfferBody,
  PriceAnswer,
  PriceBody,
  ReportState,
  ReturnsExceptionBody,
  ReviewAnswer,
  ShippingExceptionBody,
  ShoeSkuBody,
  SkuAnswer,
  SkuBody,
  VariationAnswer,
  VariationBody,
} from './types.ts';

/** Options of writes. The client adds the idempotency key itself. */
export interface WriteOptions {
  /** The write is refused with status 412 unless the part still has this tag, from `tag` of a read. */
  readonly ifMatch?: string | undefined;
  /** The write is refused with status 412 if the part exists. */
  readonly ifNoneMatch?: '*';
  readonly signal?: AbortSignal;
}

/** A part of an offer with its tag, for a conditional write. */
export interface Tagged<Value> {
  readonly value: Value;
  readonly tag: string | undefined;
}

export interface EventQuery {
  /** Cursor of the last processed event, or `latest`. Without it, reading starts with the oldest event. */
  readonly after?: string | undefined;
  readonly types?: readonly string[];
  /** Ends after the last event instead of waiting for new ones. */
  readonly once?: boolean;
  /** Ends the events, without an error. */
  readonly signal?: AbortSignal;
}

export interface ReviewWait {
  /** The longest time to wait (default: 120,000). */
  readonly timeout_ms?: number;
  /** The review from before `requestReview`. The wait then lasts until the images have been fetched again. */
  readonly after?: ReviewAnswer | undefined;
}

const PAGE = 1000;
/** Stands for the end of the feed, instead of a cursor. */
const LATEST = 'latest';
const EVENT_WAIT_SECONDS = 30;
/** Longer than the wait itself, because a response to a long poll may be a little late. */
const EVENT_ATTEMPT_MS = (EVENT_WAIT_SECONDS + 30) * 1000;
/** Small reports are ready within the first interval. */
const REPORT_POLL_MS_MIN = 50;
const REPORT_POLL_MS_MAX = 1_000;
/** How long to wait for a review by default. Reviews take seconds; with a slow image host, longer. */
const REVIEW_MS_MAX = 120_000;
const REVIEW_POLL_MS_MIN = 250;
const REVIEW_POLL_MS_MAX = 5_000;

export class Offerbook {
  readonly session: Session;
  readonly files: Files;

  constructor(options: SessionOptions) {
    this.session = new Session(options);
    this.files = new Files(this.session);
  }

  /** Makes any call of the API, with tokens, limits and retries. `path` must be percent-encoded; use `skuPath`. */
  call<Value = unknown>(method: string, path: string, options?: CallOptions): Promise<Answer<Value>> {
    return this.session.call<Value>(method, path, options);
  }

  putSku(sku: string, body: SkuBody, options?: WriteOptions): Promise<void> {
    return this.#write('PUT', skuPath(sku), body, options);
  }

  /** Uploads a shoe SKU, with `product_type_id`. */
  putSkuV2(sku: string, body: ShoeSkuBody, options?: WriteOptions): Promise<void> {
    return this.#write('PUT', skuPath(sku, '/v2'), body, options);
  }

  /** Writes several parts of an offer at once: all are stored, or none. `ifNoneMatch` needs a body with `sku`. */
  putOffer(sku: string, body: OfferBody, options?: Omit<WriteOptions, 'ifMatch'>): Promise<void> {
    return this.#write('PUT', skuPath(sku, '/offer'), body, options);
  }

  putPrice(sku: string, body: PriceBody, options?: WriteOptions): Promise<void> {
    return this.#write('PUT', skuPath(sku, '/price'), body, options);
  }

  /** Sets the quantity at the given nodes; others keep theirs. */
  patchInventory(sku: string, body: InventoryBody, options?: WriteOptions): Promise<void> {
    return this.#write('PATCH', skuPath(sku, '/inventory'), body, options);
  }

  putVariation(sku: string, body: VariationBody, options?: WriteOptions): Promise<void> {
    return this.#write('PUT', skuPath(sku, '/variation'), body, options);
  }

  putShippingException(sku: string, body: ShippingExceptionBody, options?: WriteOptions): Promise<void> {
    return this.#write('PUT', skuPath(sku, '/shippingexception'), body, options);
  }

  putReturnsException(sku: string, body: ReturnsExceptionBody, options?: WriteOptions): Promise<void> {
    return this.#write('PUT', skuPath(sku, '/returnsexception'), body, options);
  }

  /** Archives or unarchives an offer. Both set its stock to 0. */
  archive(sku: string, isArchived = true, options?: WriteOptions): Promise<void> {
    return this.#write('PUT', skuPath(sku, '/status/archive'), { is_archived: isArchived }, options);
  }

  getSku(sku: string): Promise<Tagged<SkuAnswer> | undefined> {
    return this.#read(skuPath(sku));
  }

  getPrice(sku: string): Promise<Tagged<PriceAnswer> | undefined> {
    return this.#read(skuPath(sku, '/price'));
  }

  getInventory(sku: string): Promise<Tagged<InventoryAnswer> | undefined> {
    return this.#read(skuPath(sku, '/inventory'));
  }

  getVariation(sku: string): Promise<Tagged<VariationAnswer> | undefined> {
    return this.#read(skuPath(sku, '/variation'));
  }

  /** Reads why the offer is for sale or not. */
  getReview(sku: string): Promise<Tagged<ReviewAnswer> | undefined> {
    return this.#read(skuPath(sku, '/review'));
  }

  /**
   * Reads the review until the server has done its part: no check is pending, or only the merchant can resolve the pending ones. Returns
   * the review as it is when the time is up, and undefined if the SKU does not exist. `isForSale` says how it ended.
   */
  async waitForReview(
    sku: string,
    { timeout_ms = REVIEW_MS_MAX, after }: ReviewWait = {},
  ): Promise<Tagged<ReviewAnswer> | undefined> {
    const endMs = performance.now() + timeout_ms;
    const before = new Set(after && checkTimes(after));
    for (let wait_ms = REVIEW_POLL_MS_MIN; ; wait_ms = Math.min(wait_ms * 1.5, REVIEW_POLL_MS_MAX)) {
      const review = await this.getReview(sku);
      const isPending = review?.value.checks.some(({ state, next }) => state === 'pending' && next !== 'merchant');
      const isWaiting = isPending || (review && checkTimes(review.value).some((time) => before.has(time)));
      if (!isWaiting || performance.now() + wait_ms > endMs) return review;
      await this.session.pause(wait_ms);
    }
  }

  /** Requests a new review. The server soon fetches the images again and reviews the offer. */
  async requestReview(sku: string): Promise<void> {
    await this.call('POST', skuPath(sku, '/review'));
  }

  /** Yields the ids of all SKUs, in the order of their first upload. */
  async *skus(): AsyncGenerator<string> {
    for (let after: string | undefined; ; ) {
      const { value } = await this.call<{ sku_urls: string[] }>('GET', '/merchant-skus', {
        query: { after, limit: PAGE },
      });
      const ids = value.sku_urls.map((url) => decodeURIComponent(url.slice(url.lastIndexOf('/') + 1)));
      yield* ids;
      if (ids.length < PAGE) return;
      after = ids.at(-1);
    }
  }

  /**
   * Yields the events of the account in order, and waits for new ones until the signal aborts. The `id` of an event is the cursor to
   * continue after it.
   */
  async *events(query: EventQuery = {}): AsyncGenerator<EventRecord> {
    for await (const { events } of this.eventPages(query)) yield* events;
  }

  /** Like `events`, but page by page. Store `next` of a page once its events are processed. A page without events has a `next` too. */
  async *eventPages({ after, types, once = false, signal }: EventQuery = {}): AsyncGenerator<EventsAnswer> {
    for (let cursor = after; ; ) {
      let page: EventsAnswer;
      // The first request for `latest` does not wait: if it waited and failed, its retry would skip the events of that time.
      const wait = once || cursor === LATEST ? 0 : EVENT_WAIT_SECONDS;
      try {
        const answer = await this.call<EventsAnswer>('GET', '/events', {
          query: { after: cursor, types: types?.join(','), limit: PAGE, wait },
          timeout_ms: EVENT_ATTEMPT_MS,
          ...(signal === undefined ? {} : { signal }),
        });
        page = answer.value;
      } catch (error) {
        if (signal?.aborted) return;
        throw error;
      }
      yield page;
      cursor = page.next;
      if (once && !page.more) return;
    }
  }

  /** Creates a report, waits until it is ready, and returns its bytes. */
  async report(type: string): Promise<ReadableStream<Uint8Array>> {
    const { value } = await this.call<{ report_id: string }>('POST', `/reports/${encodeURIComponent(type)}`);
    for (let wait_ms = REPORT_POLL_MS_MIN; ; wait_ms = Math.min(wait_ms * 1.5, REPORT_POLL_MS_MAX)) {
      const { value: state } = await this.call<ReportState>(
        'GET',
        `/reports/state/${encodeURIComponent(value.report_id)}`,
      );
      if (state.report_status === 'Ready' && state.report_url) return this.files.open(state.report_url);
      if (state.report_status !== 'Requested')
        throw new Error(`Report ${value.report_id} has the status ${state.report_status}. Create it again.`);
      await this.session.pause(wait_ms);
    }
  }

  async #write(method: string, path: string, body: unknown, options: WriteOptions = {}): Promise<void> {
    const { ifMatch, ifNoneMatch, signal } = options;
    if ('ifMatch' in options && ifMatch === undefined)
      throw new TypeError('ifMatch must be a tag. Without one, the write would overwrite any change.');
    const headers = {
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
    };
    await this.call(method, path, { body, headers, ...(signal === undefined ? {} : { signal }) });
  }

  /** Returns undefined if the SKU, or this part of it, does not exist. */
  async #read<Value>(path: string): Promise<Tagged<Value> | undefined> {
    try {
      const { value, headers } = await this.call<Value>('GET', path);
      return { value, tag: headers.get('etag') ?? undefined };
    } catch (error) {
      if (error instanceof OfferbookError && error.status === 404) return undefined;
      throw error;
    }
  }
}

/**
 * Returns whether the offer is for sale when it has stock: no check has failed or is pending. It ignores status texts, because marketplaces
 * may rename them.
 */
export function isForSale({ checks }: ReviewAnswer): boolean {
  return checks.every(({ state }) => state === 'passed' || state === 'skipped');
}

/** Returns the path of a SKU, or of a part of it: `skuPath('a/1', '/price')`. */
export function skuPath(sku: string, part = ''): string {
  return `/merchant-skus/${encodeURIComponent(sku)}${part}`;
}

/** Returns when the images of the offer were checked. */
function checkTimes({ checks }: ReviewAnswer): readonly string[] {
  return toJson(checks).match(/"checked_at":"[^"]*"/g) ?? [];
}
