/**
 * Writes events to the log: one JSON line each on standard error, or readable text if that is a terminal.
 *
 * Events that clients can cause at any rate are spaced, so that a client cannot fill the disk with log lines.
 */
import { type DestinationStream, type Logger, pino } from 'pino';
import { EVENTS, type EventFields, type EventName, isSpaced } from './events.ts';

/** Minimum time between two lines of the same spaced event. */
export const SPACING_SECONDS = 10;

/** Maximum number of causes that are logged, because a chain of causes may be circular. */
const CAUSES_MAX = 5;

interface Spacing {
  readonly timer: NodeJS.Timeout;
  /** Occurrences since the last line. */
  times: number;
  lastFields: object;
}

export class EventLog {
  readonly #logger: Logger;
  readonly #spacings = new Map<EventName, Spacing>();

  /** `worker` is the number of the process if there are several. It is added to every line. */
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
    if (isSpaced(event)) this.#space(event);
  }

  /** Writes pending counts of spaced events. Call it before exit. */
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
    // A pending count must not keep the process alive.
    timer.unref();
    this.#spacings.set(event, { timer, times: 0, lastFields: {} });
  }

  #line(event: EventName, fields: object): void {
    const { level, message } = EVENTS[event];
    const shown = 'error' in fields ? { ...fields, error: describeError(fields.error) } : fields;
    this.#logger[level]({ event, ...shown }, message);
  }
}

/** Keeps name, message, stack and causes. Other properties of an error may contain client data, so they are dropped. */
export function describeError(error: unknown, causesLeft = CAUSES_MAX): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const described = { name, message, stack };
  return cause === undefined || causesLeft === 0
    ? described
    : { ...described, cause: describeError(cause, causesLeft - 1) };
}

/** Standard output is reserved for command output, which programs may read. */
const STANDARD_ERROR = 2;

/** Opens the destination of the log: standard error, as JSON lines, or readable text on a terminal. */
export async function openLogDestination(isTerminal: boolean): Promise<DestinationStream> {
  if (!isTerminal) return pino.destination(STANDARD_ERROR);
  // Loaded on demand: a server without a terminal does not need it.
  const { PinoPretty } = await import('pino-pretty');
  return PinoPretty({
    destination: STANDARD_ERROR,
    sync: true,
    messageKey: 'message',
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    errorLikeObjectKeys: ['error'],
  });
}
