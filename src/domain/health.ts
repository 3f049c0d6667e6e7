/** Compares the figures that an operator watches with their thresholds. */

export interface HealthFigures {
  readonly storeOldestWait_ms: number;
  readonly reviewOldestDue_ms: number;
  /** Accounts whose database node does not answer. */
  readonly accountsMissing: number;
  readonly imagesOldestWait_ms: number;
  readonly work: readonly { readonly kind: string; readonly oldestDue_ms: number }[];
  readonly freeBytes: number;
  /** The free space below which uploads are refused. */
  readonly freeBytesMin: number;
  /** Undefined without a certificate. */
  readonly certificateLeft_ms: number | undefined;
}

export interface HealthCheck {
  readonly name: string;
  readonly ok: boolean;
  /** One sentence; for a failed check also what to do. */
  readonly detail: string;
}

/** A busy database answers within milliseconds. */
const STORE_WAIT_SECONDS_MAX = 2;
/** Reviewing a whole catalog again takes minutes. A longer wait means that no worker runs, or too few. */
const WAIT_SECONDS_MAX = 900;
const CERTIFICATE_DAYS_MIN = 14;
const DAY_MS = 86_400_000;

export function checkHealth(figures: HealthFigures): readonly HealthCheck[] {
  const { work, freeBytes, freeBytesMin, accountsMissing, certificateLeft_ms: left_ms } = figures;
  const oldestWork_ms = Math.max(0, ...work.map(({ oldestDue_ms }) => oldestDue_ms));
  return [
    waiting('Database', figures.storeOldestWait_ms, STORE_WAIT_SECONDS_MAX, 'check the database and its disk'),
    waiting('Review', figures.reviewOldestDue_ms, WAIT_SECONDS_MAX, 'start a server with the role all or worker'),
    waiting('Images', figures.imagesOldestWait_ms, WAIT_SECONDS_MAX, 'check that the server can reach image hosts'),
    waiting('Background work', oldestWork_ms, WAIT_SECONDS_MAX, 'start a server with the role all or worker'),
    {
      name: 'Disk space',
      ok: freeBytes >= freeBytesMin,
      detail:
        freeBytes >= freeBytesMin
          ? `${gigabytes(freeBytes)} GB free.`
          : `${gigabytes(freeBytes)} GB free. Uploads are refused below ${gigabytes(freeBytesMin)} GB. Free some space.`,
    },
    ...(accountsMissing === 0 ? [] : [databaseNodes(accountsMissing)]),
    ...(left_ms === undefined ? [] : [certificate(left_ms)]),
  ];
}

function waiting(name: string, wait_ms: number, seconds_max: number, advice: string): HealthCheck {
  const seconds = Math.floor(wait_ms / 1000);
  if (seconds <= seconds_max) {
    return { name, ok: true, detail: seconds === 0 ? 'Idle.' : `The oldest entry is ${seconds} s old.` };
  }
  return { name, ok: false, detail: `The oldest entry is ${seconds} s old (limit ${seconds_max} s): ${advice}.` };
}

function databaseNodes(accountsMissing: number): HealthCheck {
  return {
    name: 'Database nodes',
    ok: false,
    detail: `${plural(accountsMissing, 'account')} with due offers unavailable. Start the database node that is down.`,
  };
}

function certificate(left_ms: number): HealthCheck {
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

function gigabytes(bytes: number): string {
  return (bytes / 1_000_000_000).toFixed(1);
}
