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

/** The tag of cursors from before the first event. */
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
    // One extra event shows whether there are more.
    const found = position < state.last ? await store.storefront.readShopEvents(environment, position, limit + 1) : [];
    const wait_ms = endMs - performance.now();
    const page = pageOf(state, found, position, limit);
    if (found.length > 0 || wait_ms <= 0 || waits.isOver) return accept(page);
    if (waits.isFull(waitKey)) return isFirst ? refuse([tooManyWaits()]) : accept(page);
    if (isFirst) whenClosed(() => gone.abort());
    await waits.wait(waitKey, { end: state.last, wait_ms, gone: gone.signal });
    if (gone.signal.aborted) return accept(page);
    state = (await store.storefront.readShopFeed(environment)) ?? state;
  }
}

/** The cursor after the last change so far. */
export function endCursor({ tag, last }: ShopFeedState): string {
  return cursorText({ tag, number: last, count: 0 });
}

function isValid(cursor: ReturnType<typeof readCursor>, { tag, last }: ShopFeedState): boolean {
  if (cursor === undefined || cursor.count !== 0) return false;
  return cursor.tag === tag ? cursor.number <= last : cursor.tag === BEFORE_ALL.tag && cursor.number === 0;
}

function pageOf({ tag }: ShopFeedState, found: readonly ShopEvent[], position: number, limit: number): ShopEventPage {
  const page = found.slice(0, countThatFits(found.slice(0, limit)));
  const idOf = (number: number) => cursorText({ tag, number, count: 0 });
  const events = page.map(({ number, atMs, code, body }) => {
    const head = { id: idOf(number), at: isoTime(atMs), code };
    return spliceJson(JSON.stringify(head), { change: body });
  });
  return { events, next: idOf(page.at(-1)?.number ?? position), more: found.length > page.length };
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

function expired({ tag, dropped }: ShopFeedState): Outcome<never> {
  const first = cursorText({ tag, number: dropped, count: 0 });
  return refuseRequest(
    'cursor_expired',
    `after: events are kept for ${LIMITS.event_days} days. Read all products again, then continue with after=${first}.`,
  );
}
