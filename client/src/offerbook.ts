/** The client of one environment of one merchant. */

import { Files } from './files.ts';
import { toJson } from './json.ts';
import { PartCalls, skuPath, type Tagged, type WriteOptions, type WriteResult, writePart } from './parts.ts';
import { Plans } from './plans.ts';
import { type Answer, type CallOptions, lastOf, PAGE, pathTo, Session, type SessionOptions } from './session.ts';
import { Taxonomy } from './taxonomy.ts';
import type {
  EventRecord,
  EventsAnswer,
  FulfillmentNode,
  HistoryAnswer,
  HistoryChange,
  ReportState,
  RequirementChange,
  ReturnLocationsAnswer,
  ReviewAnswer,
  UpcomingChange,
  UpcomingFailures,
} from './types.ts';
import { Webhooks } from './webhook-calls.ts';

/** Filters of the list of SKUs, as of their last review. A SKU must match all of them. */
export interface SkuFilter {
  readonly status?: string | undefined;
  readonly sub_status?: string | undefined;
  /** Words of title, brand, SKU id or product codes, or their beginnings. */
  readonly q?: string | undefined;
  /** Id of an announced change under which the SKU would fail, or `yes` for any. */
  readonly upcoming?: number | string | undefined;
}

export interface EventQuery {
  /** Cursor of the last processed event, or `latest`. Without it, reading starts with the oldest event. */
  readonly after?: string | undefined;
  readonly types?: readonly string[];
  /** `['changes']`: events of offers show which fields changed. */
  readonly include?: readonly string[];
  /** Ends after the last event instead of waiting for new ones. */
  readonly once?: boolean;
  /** Ends the events, without an error. */
  readonly signal?: AbortSignal;
}

export interface ReportOptions {
  /** Only for the report `Offers`, which is NDJSON by default. */
  readonly format?: 'NDJSON' | 'CSV' | undefined;
}

export interface ReviewWait {
  /** The longest time to wait (default: 120,000). */
  readonly timeout_ms?: number;
  /** The review from before `requestReview`. The wait then lasts until the images have been fetched again. */
  readonly after?: ReviewAnswer | undefined;
}

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

export class Offerbook extends PartCalls {
  readonly files: Files;
  readonly plans: Plans;
  readonly taxonomy: Taxonomy;
  readonly webhooks: Webhooks;

  constructor(options: SessionOptions) {
    const session = new Session(options);
    super(session);
    this.files = new Files(session);
    this.plans = new Plans(session);
    this.taxonomy = new Taxonomy(session);
    this.webhooks = new Webhooks(session);
  }

  /** Makes any call of the API, with tokens, limits and retries. `path` must be percent-encoded; use `skuPath`. */
  call<Value = unknown>(method: string, path: string, options?: CallOptions): Promise<Answer<Value>> {
    return this.session.call<Value>(method, path, options);
  }

  /** Checks the keys. Throws an `OfferbookError` if they are wrong. */
  async checkKeys(): Promise<void> {
    await this.call('GET', '/authcheck');
  }

  /** Archives or unarchives an offer. Both set its stock to 0. */
  archive<const Options extends WriteOptions = Record<never, never>>(
    sku: string,
    isArchived = true,
    options?: Options,
  ): Promise<WriteResult<Options>> {
    return writePart(this.session, 'PUT', skuPath(sku, '/status/archive'), { is_archived: isArchived }, options);
  }

  /** Yields the changes of a SKU, newest first. `limit` is the number of changes per request. */
  async *history(sku: string, limit?: number): AsyncGenerator<HistoryChange> {
    for (let after: string | null = ''; after !== null; ) {
      const query = { limit, after: after || undefined };
      const page: HistoryAnswer = await this.session.value('GET', skuPath(sku, '/history'), { query });
      yield* page.changes;
      after = page.next;
    }
  }

  /** Restores the value before a change in the history. */
  restore<const Options extends WriteOptions = Record<never, never>>(
    sku: string,
    changeId: number,
    options?: Options,
  ): Promise<WriteResult<Options>> {
    return writePart(this.session, 'POST', skuPath(sku, pathTo`/history/${changeId}/restore`), undefined, options);
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

  /** Applies fixes of the review, by their ids. Refused with `fix_stale` if the SKU has changed since the review was read. */
  applyFixes<const Options extends WriteOptions = Record<never, never>>(
    sku: string,
    fixes: readonly string[],
    options?: Options,
  ): Promise<WriteResult<Options>> {
    return writePart(this.session, 'POST', skuPath(sku, '/review/fixes'), { fixes }, options);
  }

  /** Yields the ids of all SKUs, or of those that match the filter, in the order of their first upload. */
  async *skus(filter: SkuFilter = {}): AsyncGenerator<string> {
    for (let query: CallOptions['query'] | undefined = { ...filter, limit: PAGE }; query !== undefined; ) {
      const page: Answer<{ sku_urls: string[] }> = await this.call('GET', '/merchant-skus', { query });
      yield* page.value.sku_urls.map(lastOf);
      const next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
      query = next === undefined ? undefined : Object.fromEntries(new URL(next).searchParams);
    }
  }

  /** Returns the announced changes of requirements, next first, with the number of SKUs that would fail under each. */
  async upcoming(): Promise<UpcomingChange[]> {
    return (await this.session.value<{ changes: UpcomingChange[] }>('GET', '/requirements/upcoming')).changes;
  }

  /** Yields the ids of the SKUs that would fail under an announced change, in order. */
  async *upcomingFailures(changeId: number): AsyncGenerator<string> {
    for (let after: string | null = ''; after !== null; ) {
      const query = { limit: PAGE, after: after || undefined };
      const path = pathTo`/requirements/upcoming/${changeId}/offers`;
      const page: UpcomingFailures = await this.session.value('GET', path, { query });
      yield* page.offers.map(({ merchant_sku }) => merchant_sku);
      after = page.next;
    }
  }

  /** Returns the announced changes of requirements, next first, then those that were applied or cancelled, newest first. */
  async requirementChanges(): Promise<RequirementChange[]> {
    return (await this.session.value<{ changes: RequirementChange[] }>('GET', '/requirements/changes')).changes;
  }

  /**
   * Yields the events of the account in order, and waits for new ones until the signal aborts. The `id` of an event is the cursor to
   * continue after it.
   */
  async *events(query: EventQuery = {}): AsyncGenerator<EventRecord> {
    for await (const { events } of this.eventPages(query)) yield* events;
  }

  /** Like `events`, but page by page. Store `next` of a page once its events are processed. A page without events has a `next` too. */
  async *eventPages({ after, types, include, once = false, signal }: EventQuery = {}): AsyncGenerator<EventsAnswer> {
    for (let cursor = after; ; ) {
      let page: EventsAnswer;
      // The first request for `latest` does not wait: if it waited and failed, its retry would skip the events of that time.
      const wait = once || cursor === LATEST ? 0 : EVENT_WAIT_SECONDS;
      try {
        const answer = await this.call<EventsAnswer>('GET', '/events', {
          query: { after: cursor, types: types?.join(','), include: include?.join(','), limit: PAGE, wait },
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
  async report(type: string, { format }: ReportOptions = {}): Promise<ReadableStream<Uint8Array>> {
    const { report_id } = await this.session.value<{ report_id: string }>('POST', pathTo`/reports/${type}`, {
      query: { format },
    });
    for (let wait_ms = REPORT_POLL_MS_MIN; ; wait_ms = Math.min(wait_ms * 1.5, REPORT_POLL_MS_MAX)) {
      const state = await this.session.value<ReportState>('GET', pathTo`/reports/state/${report_id}`);
      if (state.report_status === 'Ready' && state.report_url) return this.files.open(state.report_url);
      if (state.report_status !== 'Requested')
        throw new Error(`Report ${report_id} has the status ${state.report_status}. Create it again.`);
      await this.session.pause(wait_ms);
    }
  }

  /** Returns your fulfillment nodes. */
  async nodes(): Promise<FulfillmentNode[]> {
    const { fulfillment_nodes: nodes } = await this.session.value<{ fulfillment_nodes: (FulfillmentNode | string)[] }>(
      'GET',
      '/fulfillment-nodes',
    );
    // With `COMPATIBILITY=jet`, the list has the path of each node.
    return Promise.all(
      nodes.map((node) => (typeof node === 'string' ? this.session.value<FulfillmentNode>('GET', node) : node)),
    );
  }

  /** Returns undefined if the node does not exist. */
  async node(nodeId: string): Promise<FulfillmentNode | undefined> {
    return (await this.session.found<FulfillmentNode>(pathTo`/fulfillment-nodes/${nodeId}`))?.value;
  }

  /** Returns your return locations, with the return window and methods of the account. */
  returnLocations(): Promise<ReturnLocationsAnswer> {
    return this.session.value('GET', '/setup/returnsLocations');
  }
}

/**
 * Returns whether the offer is for sale when it has stock: no check has failed or is pending. It ignores status texts, because marketplaces
 * may rename them.
 */
export function isForSale({ checks }: ReviewAnswer): boolean {
  return checks.every(({ state }) => state === 'passed' || state === 'skipped');
}

/** Returns when the images of the offer were checked. */
function checkTimes({ checks }: ReviewAnswer): readonly string[] {
  return toJson(checks).match(/"checked_at":"[^"]*"/g) ?? [];
}
