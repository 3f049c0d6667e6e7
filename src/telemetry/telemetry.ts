/** Receives events and passes them to the log and the counters. */
import type { EventLog } from './event-log.ts';
import { EVENT_NAMES, type EventFields, type EventName } from './events.ts';
import { PauseMeter } from './pause-meter.ts';
import { RequestMeter } from './request-meter.ts';

export class Telemetry {
  /** Counts requests, without allocating an object for each. */
  readonly requests = new RequestMeter();
  /** Pauses of the request thread. */
  readonly pauses = new PauseMeter();
  readonly #log: EventLog;
  readonly #counts = new Map<EventName, number>(EVENT_NAMES.map((name) => [name, 0]));

  /** Whether to log each request; checked before its fields are assembled. */
  readonly showsRequests: boolean;

  constructor(log: EventLog) {
    this.#log = log;
    this.showsRequests = log.shows('request_answered');
  }

  observe<Name extends EventName>(event: Name, fields: EventFields[Name]): void {
    this.#counts.set(event, this.countOf(event) + 1);
    this.#log.write(event, fields);
  }

  /** Occurrences since the start. */
  countOf(event: EventName): number {
    return this.#counts.get(event) ?? 0;
  }
}
