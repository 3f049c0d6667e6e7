/**
 * In charge of the log: one JSON line per event on standard error, or a readable one where that is a terminal.
 *
 * Events that strangers can cause are spaced, so that nobody can fill the disk with log lines.
 */
import { type DestinationStream, type Logger, pino } from 'pino';
import { EVENTS, type EventFields, type EventName } from './events.ts';

/** Between two lines of the same spaced event. */
export const SPACING_SECONDS = 10;

/** Of an error's causes; a longer chain has been seen only in circles. */
const CAUSES_MAX = 5;

interface Spacing {
  readonly timer: NodeJS.Timeout;
  /** Since the last line. */
  times: number;
  lastFields: object;
}

export class EventLog {
  readonly #logger: Logger;
  readonly #spacings = new Map<EventName, Spacing>();

  /** `worker` is the number of the process where there are several; every line tells it. */
  constructor(level: string, destination: DestinationStream, worker?: number) {
    const options = {
      level,
      base: worker === undefined ? null : { worker },
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label: string) => ({ level: label }) },
    };
    this.#logger = pino(options, destination);
  }

  shows(event: EventName): boolean {
    return this.#logger.isLevelEnabled(EVENTS[event].level);
  }

  write<Name extends EventName>(event: Name, fields: EventFields[Name]): void {
    if (!this.shows(event)) return;
    const spacing = this.#spacings.get(event);
    if (spacing !== undefined) {
      spacing.times++;
      spacing.lastFields = fields;
      return;
    }
    this.#line(event, fields);
    if (EVENTS[event].spaced) this.#space(event);
  }

  /** Writes what is held back; nothing is written later. */
  flush(): void {
    for (const [event, spacing] of this.#spacings) {
      clearTimeout(spacing.timer);
      this.#spacings.delete(event);
      if (spacing.times > 0) this.#line(event, { ...spacing.lastFields, times: spacing.times });
    }
  }

  #space(event: EventName): void {
    const timer = setTimeout(() => {
      const { times, lastFields } = this.#spacings.get(event) ?? { times: 0, lastFields: {} };
      this.#spacings.delete(event);
      if (times === 0) return;
      this.#line(event, { ...lastFields, times });
      this.#space(event);
    }, SPACING_SECONDS * 1000);
    // A line about the past must not keep the process from ending.
    timer.unref();
    this.#spacings.set(event, { timer, times: 0, lastFields: {} });
  }

  #line(event: EventName, fields: object): void {
    const { level, says } = EVENTS[event];
    const shown = 'error' in fields ? { ...fields, error: describeError(fields.error) } : fields;
    this.#logger[level]({ event, ...shown }, says);
  }
}

/** Name, message, stack and causes. Other properties of an error may hold what was being worked on, so they stay out. */
export function describeError(error: unknown, causesLeft = CAUSES_MAX): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const described = { name, message, stack };
  return cause === undefined || causesLeft === 0
    ? described
    : { ...described, cause: describeError(cause, causesLeft - 1) };
}

/** Nothing is written anywhere. */
export function silentLog(): EventLog {
  return new EventLog('silent', { write: () => {} });
}
