/** Compares the figures that an operator watches with their thresholds, and defines the findings of `offerbook doctor`. */
import { DAY_MS } from './vocabulary/iso-time.ts';
import { sizeText } from './vocabulary/sizes.ts';

interface Backlog {
  readonly waiting: number;
  /** How long the oldest entry has waited. */
  readonly oldest_ms: number;
}

export interface HealthFigures {
  readonly store: Backlog;
  readonly review: Backlog;
  /** Number of accounts whose database node does not respond. */
  readonly accountsMissing: number;
  readonly images: Backlog;
  /** Accounts with due work that is not leased. */
  readonly work: Backlog;
  readonly freeBytes: number;
  /** The free space below which uploads are refused. */
  readonly freeBytesMin: number;
  /** Undefined without a certificate. */
  readonly certificateLeft_ms: number | undefined;
}

/** The result of one check of `offerbook doctor`. */
export interface Finding {
  /** What was checked. */
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  /** The finding and, if something is wrong, what to do. */
  readonly text: string;
}

function findingOf(state: Finding['state']) {
  return (check: string, text: string): Finding => ({ check, state, text });
}

export const ok = findingOf('ok');
export const warn = findingOf('warn');
export const fail = findingOf('fail');

export interface HealthCheck {
  readonly name: string;
  readonly ok: boolean;
  /** One sentence; for a failed check also what to do. */
  readonly detail: string;
}

/** A busy database responds within milliseconds. */
const STORE_WAIT_SECONDS_MAX = 2;
/** How long work may wait. Re-reviewing a whole catalog takes minutes; a longer wait means that no worker runs, or too few. */
const WAIT_SECONDS_MAX = 900;
const CERTIFICATE_DAYS_MIN = 14;

export function checkHealth(figures: HealthFigures): readonly HealthCheck[] {
  const { store, review, images, work, freeBytes, freeBytesMin, accountsMissing } = figures;
  const left_ms = figures.certificateLeft_ms;
  // Leased work is not waiting, but its offers and images are.
  const isRunning = work.waiting === 0 && review.waiting + images.waiting > 0;
  const workCheck = waiting(
    'Background work',
    'task',
    work,
    WAIT_SECONDS_MAX,
    'Start a server with the role all or worker',
  );
  return [
    waiting('Database', 'call', store, STORE_WAIT_SECONDS_MAX, 'Check the database and its disk'),
    waiting('Review', 'offer', review, WAIT_SECONDS_MAX, 'Start a server with the role all or worker'),
    waiting('Images', 'image', images, WAIT_SECONDS_MAX, 'Check that the server can reach image hosts'),
    isRunning ? { ...workCheck, detail: 'Running.' } : workCheck,
    {
      name: 'Disk space',
      ok: freeBytes >= freeBytesMin,
      detail:
        freeBytes >= freeBytesMin
          ? `${sizeText(freeBytes)} free.`
          : `${sizeText(freeBytes)} free. Uploads are refused below ${sizeText(freeBytesMin)}. Free some space.`,
    },
    ...(accountsMissing === 0 ? [] : [databaseNodes(accountsMissing)]),
    ...(left_ms === undefined ? [] : [checkCertificate(left_ms)]),
  ];
}

/** `noun`: one of what waits. */
function waiting(name: string, noun: string, backlog: Backlog, seconds_max: number, advice: string): HealthCheck {
  const seconds = Math.floor(backlog.oldest_ms / 1000);
  if (backlog.waiting === 0) return { name, ok: true, detail: 'Idle.' };
  const waits = `${plural(backlog.waiting, noun)} waiting, the oldest for ${duration(seconds)}`;
  if (seconds <= seconds_max) return { name, ok: true, detail: `${waits}.` };
  return { name, ok: false, detail: `${waits}. It should take at most ${duration(seconds_max)}. ${advice}.` };
}

function duration(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
}

function databaseNodes(accountsMissing: number): HealthCheck {
  return {
    name: 'Database nodes',
    ok: false,
    detail: `${plural(accountsMissing, 'account')} with offers due for review cannot be reached. Start the database node that is down.`,
  };
}

export function checkCertificate(left_ms: number): HealthCheck {
  const name = 'Certificate';
  const days = Math.floor(left_ms / DAY_MS);
  if (days >= CERTIFICATE_DAYS_MIN) return { name, ok: true, detail: `Valid for ${plural(days, 'day')}.` };
  return {
    name,
    ok: false,
    detail: left_ms <= 0 ? 'Expired. Renew it.' : `Expires in ${plural(days, 'day')}. Renew it.`,
  };
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
