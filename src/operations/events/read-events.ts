/** Use case: a merchant's program reads the events after a cursor, and may wait for the next one. */
import type { Account } from '../../domain/account.ts';
import { cursorText, type FeedPosition, readCursor } from '../../domain/events.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { NameSettings } from '../../domain/names.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { type Problem, requestProblem } from '../../domain/problem.ts';
import type { EventType } from '../../domain/vocabulary/event-types.ts';
import type { FeedPage, FeedStore, FeedTextPage } from '../../store/port/feed.ts';
import type { FeedWaits } from './feed-waits.ts';

export interface FeedContext {
  readonly store: FeedStore;
  readonly waits: FeedWaits;
}

/** Stands for the end of the feed instead of a cursor. */
export const LATEST = 'latest';

export interface EventQuery {
  /** A cursor, LATEST, or undefined for the oldest event. */
  readonly after: string | undefined;
  readonly types: readonly EventType[];
  readonly limit: number;
  readonly withChanges: boolean;
  readonly names: NameSettings;
  readonly wait_seconds: number;
  readonly whenClosed: (act: () => void) => void;
}

export async function readEvents(
  { store, waits }: FeedContext,
  { accountId }: Account,
  { after, types, limit, withChanges, names, wait_seconds, whenClosed }: EventQuery,
): Promise<Outcome<FeedTextPage>> {
  const endMs = performance.now() + wait_seconds * 1000;
  const cursor = after === undefined || after === LATEST ? undefined : readCursor(after);
  if (after !== undefined && after !== LATEST && cursor === undefined) return refuse([unknownCursor()]);
  const gone = new AbortController();
  let position: FeedPosition | undefined = after === LATEST ? await endOf(store, accountId) : cursor;
  for (let isFirst = true; ; isFirst = false) {
    const page = await store.readEventTexts(accountId, { after: position, types, limit, withChanges }, names);
    const fault = isFirst && cursor !== undefined ? cursorFault(cursor, page) : undefined;
    if (fault !== undefined) return refuse([fault]);
    const wait_ms = endMs - performance.now();
    if (page.text !== '' || page.more || wait_ms <= 0 || waits.isOver) return accept(page);
    // Other requests may have begun to wait while this one read the feed.
    if (waits.isFull(accountId)) return isFirst ? refuse([tooManyWaits()]) : accept(page);
    if (isFirst) whenClosed(() => gone.abort());
    position = page.next;
    await waits.wait(accountId, { end: page.end, wait_ms, gone: gone.signal });
    if (gone.signal.aborted) return accept(page);
  }
}

/** Returns the position after all events that are committed by now. */
export async function endOf(store: FeedStore, accountId: number): Promise<FeedPosition> {
  while ((await store.tidyFeed(accountId, 0)) === 'more');
  const state = await store.readFeedState(accountId);
  return { number: (state?.end ?? 0) + 1, count: 0 };
}

/** Returns the problem with a cursor. A valid cursor is at most the first position of the next batch. */
function cursorFault(
  { tag, number }: FeedPosition & { readonly tag: string },
  page: FeedTextPage,
): Problem | undefined {
  if (tag !== page.tag || number > page.end + 1) return unknownCursor();
  return number <= page.dropped ? expiredCursor(page) : undefined;
}

export function unknownCursor(): Problem {
  return requestProblem(
    'cursor_unknown',
    'after: not a valid cursor for your events. Send the `next` of a response or an event id, or omit `after`.',
  );
}

export function expiredCursor({ tag, dropped, oldestMs }: Pick<FeedPage, 'tag' | 'dropped' | 'oldestMs'>): Problem {
  const first = cursorText({ tag, number: dropped + 1, count: 0 });
  const oldest =
    oldestMs === null ? 'No events are left' : `The oldest event is from ${new Date(oldestMs).toISOString()}`;
  return requestProblem(
    'cursor_expired',
    `after: events are kept for ${LIMITS.event_days} days. ${oldest}. Read all offers again, then continue with after=${first}.`,
  );
}

export function tooManyWaits(): Problem {
  const text = `Too many requests are waiting for events (${LIMITS.event_waits_max}). Wait for one to finish, or send wait=0.`;
  return requestProblem('event_waits_too_many', text);
}
