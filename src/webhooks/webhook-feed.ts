/** Reads the events that webhooks send: those of the webhook's account or, for the marketplace, those of its storefront. */
import type { Environment } from '../domain/account.ts';
import { contentJson, eventId, eventJson, type FeedEvent, type FeedPosition, readCursor } from '../domain/events.ts';
import { stringifyExactJson } from '../domain/int64.ts';
import type { Names } from '../domain/names.ts';
import { spliceJson } from '../domain/offers/stored-json.ts';
import type { Webhook } from '../domain/setup/webhooks.ts';
import { EVENT_TYPES } from '../domain/vocabulary/event-types.ts';
import { endOf } from '../operations/events/read-events.ts';
import { readChanges, shopEventId, shopEventJson } from '../operations/storefront/read-shop-events.ts';
import type { FeedStore } from '../store/port/feed.ts';
import type { ShopEvent, ShopFeedState, StorefrontStore } from '../store/port/storefront.ts';

/** An event as webhooks send it. */
export interface SentEvent {
  readonly id: string;
  readonly type: string;
  readonly position: FeedPosition;
  readonly atMs: number;
  /** The SKU or product: its events are sent one after the other. Undefined: the event waits for all before it. */
  readonly key: string | undefined;
  /** Returns JSON text: the `data` of a message. */
  content(): string;
  /** Returns JSON text: the event as the API shows it. */
  shown(): string;
}

export interface SentPage {
  readonly events: readonly SentEvent[];
  /** Where the next page starts. */
  readonly next: FeedPosition;
  readonly more: boolean;
}

type Source = Pick<Webhook, 'accountId' | 'shop'>;

export interface WebhookFeed {
  /** Cheap enough to poll. */
  hasEvents(webhook: Webhook): Promise<boolean>;
  readEvents(webhook: Webhook, after: FeedPosition, limit: number): Promise<SentPage>;
  /** Undefined if the id is invalid, or the event was dropped. */
  findEvent(webhook: Webhook, id: string): Promise<SentEvent | undefined>;
  /** Returns the position after all events so far. */
  endOf(source: Source): Promise<FeedPosition>;
}

interface Stores {
  readonly feed: FeedStore;
  readonly storefront: Pick<StorefrontStore, 'readShopFeed' | 'readShopEvents'>;
}

export function webhookFeed({ feed, storefront }: Stores, names: Names): WebhookFeed {
  const ofShops = shopFeed(storefront);
  return {
    async hasEvents({ accountId, shop, position }) {
      if (shop !== null) return ofShops.hasEvents(shop, position);
      const state = await feed.readFeedState(accountId);
      return state === undefined || state.hasUnnumbered || state.end >= position.number;
    },
    async readEvents({ accountId, shop, types, include }, after, limit) {
      if (shop !== null) return ofShops.readEvents(shop, after, limit);
      const page = await feed.readEvents(accountId, { after, types, limit, withChanges: include.includes('changes') });
      return { ...page, events: page.events.map((event) => sentEvent(event, page.tag, names)) };
    },
    async findEvent({ accountId, shop, include }, id) {
      const cursor = readCursor(id);
      if (cursor === undefined) return undefined;
      const { number, count } = cursor;
      if (shop !== null) {
        const { events } = await ofShops.readEvents(shop, { number: number - 1, count: 0 }, 1);
        return events.find((event) => event.id === id);
      }
      const after = { number, count: Math.max(0, count - 1) };
      const query = { after, types: EVENT_TYPES, limit: 1, withChanges: include.includes('changes') };
      const { events, tag } = await feed.readEvents(accountId, query);
      return events.map((event) => sentEvent(event, tag, names)).find((event) => event.id === id);
    },
    endOf: async ({ accountId, shop }) => (shop === null ? endOf(feed, accountId) : ofShops.endOf(shop)),
  };
}

function sentEvent(event: FeedEvent, tag: string, names: Names): SentEvent {
  const { type, position, atMs } = event;
  return {
    ...{ id: eventId(event, tag), type, position, atMs },
    key: 'skuId' in event ? event.skuId : undefined,
    content: () => stringifyExactJson(contentJson(event, names)),
    shown: () => stringifyExactJson(eventJson(event, tag, names)),
  };
}

/** The position of a change is its number, with a count of 0. */
function shopFeed(store: Stores['storefront']) {
  return {
    async hasEvents(shop: Environment, { number }: FeedPosition): Promise<boolean> {
      return ((await store.readShopFeed(shop))?.last ?? 0) > number;
    },
    async readEvents(shop: Environment, after: FeedPosition, limit: number): Promise<SentPage> {
      const state = await store.readShopFeed(shop);
      if (state === undefined) return { events: [], next: after, more: false };
      const { changes, more } = await readChanges(store, shop, { state, after: after.number, limit });
      const next = { number: changes.at(-1)?.number ?? after.number, count: 0 };
      return { events: changes.map((change) => sentChange(change, state)), next, more };
    },
    async endOf(shop: Environment): Promise<FeedPosition> {
      return { number: (await store.readShopFeed(shop))?.last ?? 0, count: 0 };
    },
  };
}

function sentChange(event: ShopEvent, state: ShopFeedState): SentEvent {
  const { number, code, atMs, body } = event;
  return {
    ...{ id: shopEventId(state, number), type: 'product.changed', position: { number, count: 0 }, atMs, key: code },
    content: () => spliceJson(JSON.stringify({ code }), { change: body }),
    shown: () => shopEventJson(event, state),
  };
}
