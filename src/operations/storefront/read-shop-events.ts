/** Use case: a program of the marketplace reads what changed in the storefront after a cursor, and may wait for the next change. */
import { ENVIRONMENTS, type Environment } from '../../domain/account.ts';
import { cursorText, readCursor } from '../../domain/events.ts';
import { LIMITS } from '../../domain/limits.ts';
import { spliceJson } from '../../domain/offers/stored-json.ts';
import { accept, type Outcome, refuse, refuseRequest } from '../../domain/outcome.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import type { ShopEvent, ShopFeedState, StorefrontStore } from '../../store/port/storefront.ts';
import { FeedWaits } from '../events/feed-waits.ts';
import { type EventQuery, LATEST, tooManyWaits, unknownCursor } from '../events/read-events.ts';
import type { StorefrontContext } from './read-products.ts';

/** Tag used in cursors that were issued before the first event. */
const BEFORE_ALL: ShopFeedState = Object.freeze({ tag: '000000000000', last: 0, dropped: 0 });

export type ShopEventQuery = Pick<EventQuery, 'after' | 'limit' | 'wait_seconds' | 'whenClosed'>;

export interface ShopEventPage {
  /** JSON text of each event. */
  readonly events: readonly string[];
  readonly next: string;
  readonly more: boolean;
}

/** Requests that wait, by environment. */
export function shopFeedWaits(store: Pick<StorefrontStore, 'readShopFeed'>): FeedWaits {
  return new FeedWaits({
    async readFeedState(key) {
      const state = await store.readShopFeed(ENVIRONMENTS[key] as Environment);
      return state && { ...state, end: state.last, hasUnnumbered: false };
    },
  });
}

export async function readShopEvents(
  { store, isOn, waits }: StorefrontContext,
  environment: Environment,
  { after, limit, wait_seconds, whenClosed }: ShopEventQuery,
): Promise<Outcome<ShopEventPage>> {
  if (!isOn) return refuseRequest('storefront_off');
  const endMs = performance.now() + wait_seconds * 1000;
  const waitKey = ENVIRONMENTS.indexOf(environment);
  const gone = new AbortController();
  let state = (await store.storefront.readShopFeed(environment)) ?? BEFORE_ALL;
  const cursor = after === undefined || after === LATEST ? undefined : readCursor(after);
  if (after !== undefined && after !== LATEST && !isValid(cursor, state)) return refuse([unknownCursor()]);
  const position = cursor?.number ?? (after === LATEST ? state.last : state.dropped);
  if (position < state.dropped) return expired(state);
  for (let isFirst = true; ; isFirst = false) {
    const { changes, more } = await readChanges(store.storefront, environment, { state, after: position, limit });
    const next = shopEventId(state, changes.at(-1)?.number ?? position);
    const page = { events: changes.map((change) => shopEventJson(change, state)), next, more };
    const wait_ms = endMs - performance.now();
    if (changes.length > 0 || wait_ms <= 0 || waits.isOver) return accept(page);
    if (waits.isFull(waitKey)) return isFirst ? refuse([tooManyWaits()]) : accept(page);
    if (isFirst) whenClosed(() => gone.abort());
    await waits.wait(waitKey, { end: state.last, wait_ms, gone: gone.signal });
    if (gone.signal.aborted) return accept(page);
    state = (await store.storefront.readShopFeed(environment)) ?? state;
  }
}

interface Changes {
  readonly changes: readonly ShopEvent[];
  readonly more: boolean;
}

/** Reads the changes after a number, as many as a page may have. */
export async function readChanges(
  store: Pick<StorefrontStore, 'readShopEvents'>,
  environment: Environment,
  { state, after, limit }: { readonly state: ShopFeedState; readonly after: number; readonly limit: number },
): Promise<Changes> {
  // One extra event shows whether there are more.
  const found = after < state.last ? await store.readShopEvents(environment, after, limit + 1) : [];
  const changes = found.slice(0, countThatFits(found.slice(0, limit)));
  return { changes, more: found.length > changes.length };
}

/** The id of a change is the cursor after it. */
export function shopEventId({ tag }: ShopFeedState, number: number): string {
  return cursorText({ tag, number, count: 0 });
}

/** Returns a change as the API shows it. */
export function shopEventJson({ number, atMs, code, body }: ShopEvent, state: ShopFeedState): string {
  const head = { id: shopEventId(state, number), at: isoTime(atMs), code };
  return spliceJson(JSON.stringify(head), { change: body });
}

function isValid(cursor: ReturnType<typeof readCursor>, { tag, last }: ShopFeedState): boolean {
  if (cursor === undefined || cursor.count !== 0) return false;
  return cursor.tag === tag ? cursor.number <= last : cursor.tag === BEFORE_ALL.tag && cursor.number === 0;
}

/** Returns the number of events up to the limit of a page in characters: at least one. */
function countThatFits(events: readonly ShopEvent[]): number {
  let characters = 0;
  const end = events.findIndex(({ body }, place) => {
    characters += body.length;
    return place > 0 && characters > LIMITS.event_changes_page_characters_max;
  });
  return end === -1 ? events.length : end;
}

function expired(state: ShopFeedState): Outcome<never> {
  const first = shopEventId(state, state.dropped);
  return refuseRequest(
    'cursor_expired',
    `after: events are kept for ${LIMITS.event_days} days. Read all products again, then continue with after=${first}.`,
  );
}
