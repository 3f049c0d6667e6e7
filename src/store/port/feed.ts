/** Port for the change feed: the events of an account in a fixed order, which readers follow with a cursor. */
import type { FeedEvent, FeedPosition } from '../../domain/events.ts';
import type { NameSettings } from '../../domain/names.ts';
import type { StoredEventType } from '../../domain/vocabulary/event-types.ts';

export interface FeedQuery {
  /** Undefined: reading starts with the oldest event. */
  readonly after: FeedPosition | undefined;
  readonly types: readonly StoredEventType[];
  readonly limit: number;
  /** Whether events of offers have their changes. Then a page may have fewer events than `limit`, although there are more. */
  readonly withChanges?: boolean;
}

export interface FeedState {
  /** Unique per feed, so that a cursor from another feed can be refused. */
  readonly tag: string;
  /** Batches up to this number have been dropped. */
  readonly dropped: number;
  /** The end of the feed. No event is ever added at or before it. */
  readonly end: number;
  /** Whether there are committed events after the end that have no number yet. */
  readonly hasUnnumbered: boolean;
}

export interface FeedPage extends FeedSpan {
  readonly events: readonly FeedEvent[];
}

/** A page as the API shows it. */
export interface FeedTextPage extends FeedSpan {
  /** JSON text of each event, separated by commas; '' if there is none. */
  readonly text: string;
}

/** What a page says about its position in the feed. */
interface FeedSpan extends FeedState {
  /** Where the next page starts. */
  readonly next: FeedPosition;
  /** Whether more events are already available. */
  readonly more: boolean;
  /** Time of the oldest event; null if there is none. */
  readonly oldestMs: number | null;
}

/**
 * Every change adds its event in its own commit, unnumbered if other transactions may commit at the same time. A reader that reaches the
 * end of the feed numbers the events committed by then, under a lock on the account. So no event is ever inserted before an event that was
 * already read. Events of one offer are in the order of its changes.
 */
export interface FeedStore {
  readEvents(accountId: number, query: FeedQuery): Promise<FeedPage>;
  /** Builds the text where the events are read: on SQLite in the reader thread, so that large pages do not block requests. */
  readEventTexts(accountId: number, query: FeedQuery, names: NameSettings): Promise<FeedTextPage>;
  /** Cheap enough for waiting readers to poll. Undefined if the feed was never read and never cleaned up. */
  readFeedState(accountId: number): Promise<FeedState | undefined>;
  /** Numbers waiting events and drops events older than `beforeMs`, for at most a few milliseconds. */
  tidyFeed(accountId: number, beforeMs: number): Promise<'more' | 'done'>;
}
