/** Defines the events of the change feed: their cursors, how the feed stores what an event reports, and how the API shows them. */
import type { Author } from './author.ts';
import { changesJson, type EventChange } from './event-changes.ts';
import type { Names } from './names.ts';
import { partOfCode } from './offers/history.ts';
import { PART } from './offers/parts.ts';
import { type ListedVerdict, subStatusesOf } from './offers/verdict-counts.ts';
import type { StoredEventType } from './vocabulary/event-types.ts';
import type { FileType } from './vocabulary/file-types.ts';
import { isoTime } from './vocabulary/iso-time.ts';
import type { OfferPart } from './vocabulary/offer-parts.ts';
import type { Status, SubStatus } from './vocabulary/statuses.ts';

/** The position of an event in the feed: the number of its batch, and the number of events in the batch up to and including this one. */
export interface FeedPosition {
  readonly number: number;
  readonly count: number;
}

export function isAfter(one: FeedPosition, other: FeedPosition): boolean {
  return one.number === other.number ? one.count > other.count : one.number > other.number;
}

interface OfferUpdated {
  readonly type: 'offer.updated';
  readonly skuId: string;
  readonly part: OfferPart;
  /** Null if no history is kept, or if it is kept for less time than events. */
  readonly by: Author | null;
  /** Only if it was requested, also below. */
  readonly change?: EventChange;
}

interface OfferStatusChanged {
  readonly type: 'offer.status_changed';
  readonly skuId: string;
  /** Null for the first review. */
  readonly before: Status | null;
  readonly after: Status;
  readonly issuesAdded: readonly SubStatus[];
  readonly issuesRemoved: readonly SubStatus[];
  readonly change?: EventChange;
}

interface OfferUpcoming {
  /** `offer.will_pass`: it would have failed under the announced change, and no longer would. */
  readonly type: 'offer.will_fail' | 'offer.will_pass';
  readonly skuId: string;
  readonly announcedId: number;
  readonly enforcedFromMs: number;
}

/** A review found another category of a live offer, and kept its status and issues. */
interface OfferRecategorized {
  readonly type: 'offer.recategorized';
  readonly skuId: string;
}

/** Any write may change the rank of an offer, also that of another merchant. */
interface OfferPositionChanged {
  readonly type: 'offer.position_changed';
  readonly skuId: string;
  readonly before: number;
  readonly after: number;
  /** Number of offers that are compared. */
  readonly rankOf: number;
}

type OfferEvent = OfferUpdated | OfferStatusChanged | OfferUpcoming | OfferRecategorized | OfferPositionChanged;

/** The events of an account that belong to no offer. */
export type AccountEvent =
  | {
      readonly type: 'file.finished';
      readonly fileId: string;
      readonly fileType: FileType;
      readonly status: string;
      /** Set if the rows were only checked. */
      readonly validateOnly?: true;
    }
  | { readonly type: 'report.ready'; readonly reportId: string; readonly status: string }
  /** `offers` of the account would fail under the announced change. */
  | {
      readonly type: 'requirement.reminder';
      readonly announcedId: number;
      readonly enforcedFromMs: number;
      readonly days: number;
      readonly offers: number;
    }
  /** `user` is null if all keys were rolled at once. */
  | { readonly type: 'key.rolled'; readonly user: string | null; readonly nextUser: string; readonly endsMs: number };

export type FeedEvent = { readonly position: FeedPosition; readonly atMs: number } & (OfferEvent | AccountEvent);

/** Opaque text names a position in a feed. An event's id is its cursor. */
export interface EventCursor extends FeedPosition {
  /** Names the feed. */
  readonly tag: string;
}

const CURSOR = /^([0-9a-f]{12})-([0-9a-z]{1,11})-([0-9a-z]{1,4})$/;

export function cursorText({ tag, number, count }: EventCursor): string {
  return `${tag}-${number.toString(36)}-${count.toString(36)}`;
}

/** Returns undefined for text that is not a cursor. */
export function readCursor(text: string): EventCursor | undefined {
  const [, tag, number = '', count = ''] = CURSOR.exec(text) ?? [];
  return tag === undefined
    ? undefined
    : { tag, number: Number.parseInt(number, 36), count: Number.parseInt(count, 36) };
}

/** Events that differ only in their offer. */
export interface EventBatch {
  readonly type: StoredEventType;
  readonly atMs: number;
  /** JSON text. */
  readonly detail: string;
  readonly offers: readonly number[];
}

type UpdatedDetail = readonly [part: number, authorId: number];
/** The detail of `offer.position_changed`. */
export type PositionDetail = readonly [before: number, after: number, rankOf: number];
type UpcomingDetail = readonly [announcedId: number, enforcedFromMs: number];
type StatusDetail = readonly [before: Status | null, after: Status, bitsBefore: number, bitsAfter: number];

/** Returns the JSON text of an `UpdatedDetail`. */
export function updatedDetail(part: OfferPart, authorId: number): string {
  return `[${PART[part].code},${authorId}]`;
}

export function isOfferEvent(type: StoredEventType): type is OfferEvent['type'] {
  return type.startsWith('offer.');
}

/** Returns the event of an offer; `authors` has its author by id, unless that was dropped. */
export function offerEvent(
  type: OfferEvent['type'],
  detail: unknown,
  skuId: string,
  authors: ReadonlyMap<number, Author>,
): OfferEvent {
  if (type === 'offer.updated') {
    const [part, authorId] = detail as UpdatedDetail;
    return { type, skuId, part: partOfCode(part).name, by: authors.get(authorId) ?? null };
  }
  if (type === 'offer.recategorized') return { type, skuId };
  if (type === 'offer.position_changed') {
    const [before, after, rankOf] = detail as PositionDetail;
    return { type, skuId, before, after, rankOf };
  }
  if (type !== 'offer.status_changed') {
    const [announcedId, enforcedFromMs] = detail as UpcomingDetail;
    return { type, skuId, announcedId, enforcedFromMs };
  }
  const [before, after, bitsBefore, bitsAfter] = detail as StatusDetail;
  const issuesAdded = subStatusesOf(bitsAfter & ~bitsBefore);
  const issuesRemoved = subStatusesOf(bitsBefore & ~bitsAfter);
  return { type, skuId, before, after, issuesAdded, issuesRemoved };
}

/** Returns what an event `offer.status_changed` with this detail changed. */
export function statusChange(detail: unknown): EventChange {
  const [before, after, bitsBefore, bitsAfter] = detail as StatusDetail;
  return {
    part: 'status',
    before: { status: before, subStatuses: subStatusesOf(bitsBefore) },
    after: { status: after, subStatuses: subStatusesOf(bitsAfter) },
  };
}

/** The findings of a review that events report. */
interface Reviewed extends ListedVerdict {
  readonly categoryId: string | null;
}

/** The detail of `offer.recategorized`, which has nothing to report. */
const RECATEGORIZED = '[]';

/** Collects the offers whose status or issues a review changed, and the live offers that only got another category. */
export class StatusChanges {
  readonly #offersOf = new Map<string, number[]>();

  add(offer: number, before: Reviewed | undefined, after: Reviewed): void {
    const isSame = before?.status === after.status && before.subStatusBits === after.subStatusBits;
    if (isSame && (before.categoryId === after.categoryId || after.status !== 'available')) return;
    const bits = [before?.subStatusBits ?? 0, after.subStatusBits];
    const detail = isSame ? RECATEGORIZED : JSON.stringify([before?.status ?? null, after.status, ...bits]);
    const offers = this.#offersOf.get(detail);
    if (offers === undefined) this.#offersOf.set(detail, [offer]);
    else offers.push(offer);
  }

  batches(atMs: number): EventBatch[] {
    return Array.from(this.#offersOf, ([detail, offers]) => {
      const type = detail === RECATEGORIZED ? 'offer.recategorized' : 'offer.status_changed';
      return { type, atMs, detail, offers };
    });
  }
}

export function eventId({ position }: FeedEvent, tag: string): string {
  return cursorText({ tag, ...position });
}

/** Returns an event as the API shows it. */
export function eventJson(event: FeedEvent, tag: string, names: Names): Record<string, unknown> {
  return {
    id: eventId(event, tag),
    type: event.type,
    at: isoTime(event.atMs),
    ...contentJson(event, names),
  };
}

/** Returns the content of an event without its id, type and time. */
export function contentJson(event: FeedEvent, names: Names): Record<string, unknown> {
  switch (event.type) {
    case 'offer.updated': {
      const { skuId, part, by, change } = event;
      const url = `${skuUrl(skuId)}${PART[part].path}`;
      return { merchant_sku: skuId, part, by: by && authorJson(by), url, ...changesJson(change, names) };
    }
    case 'offer.status_changed': {
      const { skuId, before, after, issuesAdded, issuesRemoved, change } = event;
      const statuses = { before: before && names.status(before), after: names.status(after) };
      const issues = { issues_added: issuesAdded, issues_removed: issuesRemoved };
      return { merchant_sku: skuId, ...statuses, ...issues, url: skuUrl(skuId), ...changesJson(change, names) };
    }
    case 'offer.recategorized':
      return { merchant_sku: event.skuId, url: skuUrl(event.skuId) };
    case 'offer.position_changed': {
      const { skuId, before, after, rankOf } = event;
      return { merchant_sku: skuId, before, after, rank_of: rankOf, url: `${skuUrl(skuId)}/position` };
    }
    case 'offer.will_fail':
    case 'offer.will_pass': {
      const { skuId, announcedId, enforcedFromMs } = event;
      const change = { change_id: announcedId, enforced_from: isoTime(enforcedFromMs) };
      return { merchant_sku: skuId, ...change, url: `${skuUrl(skuId)}/review` };
    }
    case 'file.finished': {
      const { fileId, fileType, status, validateOnly } = event;
      const checked = validateOnly && { validate_only: true };
      return { file_id: fileId, file_type: fileType, status, ...checked, url: `/files/${fileId}` };
    }
    case 'report.ready': {
      const { reportId, status } = event;
      return { report_id: reportId, status, url: `/reports/state/${reportId}` };
    }
    case 'requirement.reminder': {
      const { announcedId, enforcedFromMs, days, offers } = event;
      const change = { change_id: announcedId, enforced_from: isoTime(enforcedFromMs) };
      return { ...change, days, offers, url: `/requirements/upcoming/${announcedId}/offers` };
    }
    case 'key.rolled': {
      const { user, nextUser, endsMs } = event;
      return { user, new_user: nextUser, old_keys_end: isoTime(endsMs) };
    }
  }
}

function skuUrl(skuId: string): string {
  return `/merchant-skus/${encodeURIComponent(skuId)}`;
}

export function authorJson(by: Author): { kind: string; name: string } {
  const end = by.indexOf(':');
  return { kind: by.slice(0, end), name: by.slice(end + 1) };
}
