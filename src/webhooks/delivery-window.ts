/**
 * Decides which events of a webhook may be sent while others are in flight, and which position to store. Events of one SKU,
 * or of one product of the storefront, are sent one after the other. An event that belongs to neither waits for all events before it, and the
 * events after it wait for it.
 */
import { type FeedPosition, isAfter } from '../domain/events.ts';
import type { WebhookPosition } from '../domain/setup/webhooks.ts';
import type { SentEvent, SentPage } from './webhook-feed.ts';

/** An event that was read, starting with the first unconfirmed one. */
interface Entry {
  readonly event: SentEvent;
  state: 'waiting' | 'sending' | 'confirmed';
}

export class DeliveryWindow {
  readonly #entries: Entry[] = [];
  /** All events up to it are confirmed. */
  #position: FeedPosition;
  /** Confirmed events after the position. */
  #confirmed: readonly FeedPosition[];
  #readTo: FeedPosition;

  constructor({ confirmed = [], ...position }: WebhookPosition) {
    this.#position = position;
    this.#confirmed = confirmed;
    this.#readTo = position;
  }

  /** The number of events, counted from the first unconfirmed one. */
  get size(): number {
    return this.#entries.length;
  }

  /** Where the next page starts. */
  get readTo(): FeedPosition {
    return this.#readTo;
  }

  get position(): WebhookPosition {
    const confirmed = this.#confirmed;
    return confirmed.length === 0 ? this.#position : { ...this.#position, confirmed };
  }

  add({ events, next }: Pick<SentPage, 'events' | 'next'>): void {
    const known = new Set(this.#confirmed.map(keyOf));
    for (const event of events) {
      this.#entries.push({ event, state: known.has(keyOf(event.position)) ? 'confirmed' : 'waiting' });
    }
    this.#readTo = next;
    this.#advance();
  }

  /** Returns the events that are not in flight, in order. */
  waiting(): readonly SentEvent[] {
    return this.#entries.flatMap(({ event, state }) => (state === 'waiting' ? [event] : []));
  }

  /** Returns the next event that may be sent alongside those in flight. */
  next(): SentEvent | undefined {
    const busy = new Set<string>();
    for (const [index, { event, state }] of this.#entries.entries()) {
      if (state === 'confirmed') continue;
      const { key } = event;
      if (key === undefined) return index === 0 && state === 'waiting' ? event : undefined;
      if (state === 'waiting' && !busy.has(key)) return event;
      busy.add(key);
    }
    return undefined;
  }

  start(events: readonly SentEvent[]): void {
    this.#mark(events, 'sending');
  }

  confirm(events: readonly SentEvent[]): void {
    this.#mark(events, 'confirmed');
    this.#confirmed = [...this.#confirmed, ...events.map(({ position }) => position)];
    this.#advance();
  }

  #mark(events: readonly SentEvent[], state: Entry['state']): void {
    const marked = new Set(events);
    for (const entry of this.#entries) if (marked.has(entry.event)) entry.state = state;
  }

  #advance(): void {
    const first = this.#entries.findIndex(({ state }) => state !== 'confirmed');
    const passed = this.#entries.splice(0, first === -1 ? this.#entries.length : first);
    const last = passed.at(-1);
    if (this.#entries.length === 0) this.#position = this.#readTo;
    else if (last !== undefined) this.#position = last.event.position;
    this.#confirmed = this.#confirmed.filter((each) => isAfter(each, this.#position));
  }
}

function keyOf({ number, count }: FeedPosition): string {
  return `${number}-${count}`;
}
