/** In charge of taking events: each goes to the log and to the counters, which decide what they make of it. */
import type { EventLog } from './event-log.ts';
import { EVENT_NAMES, type EventFields, type EventName } from './events.ts';
import { PauseMeter } from './pause-meter.ts';
import { RequestMeter } from './request-meter.ts';

export class Telemetry {
  /** The one event that happens for every request; it is counted without an object per event. */
  readonly requests = new RequestMeter();
  /** Of the request thread. */
  readonly pauses = new PauseMeter();
  readonly #log: EventLog;
  readonly #counts = new Map<EventName, number>(EVENT_NAMES.map((name) => [name, 0]));

  /** Whether a line per request is wanted; asked before its fields are put together. */
  readonly showsRequests: boolean;

  constructor(log: EventLog) {
    this.#log = log;
    this.showsRequests = log.shows('request_answered');
  }

  observe<Name extends EventName>(event: Name, fields: EventFields[Name]): void {
    this.#counts.set(event, this.countOf(event) + 1);
    this.#log.write(event, fields);
  }

  /** How often it was observed since the start. */
  countOf(event: EventName): number {
    return this.#counts.get(event) ?? 0;
  }
}
