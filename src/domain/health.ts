/** In charge of whether what an operator watches needs a person: each figure against the bound from which it does. */

export interface HealthFigures {
  readonly storeOldestWait_ms: number;
  readonly reviewOldestDue_ms: number;
  /** Accounts whose database node does not answer. */
  readonly accountsMissing: number;
  readonly imagesOldestWait_ms: number;
  readonly work: readonly { readonly kind: string; readonly oldestDue_ms: number }[];
  readonly freeBytes: number;
  /** That uploads leave on the disk. */
  readonly freeBytesMin: number;
  /** Undefined where there is no certificate. */
  readonly certificateLeft_ms: number | undefined;
}

export interface HealthCheck {
  readonly name: string;
  readonly ok: boolean;
  /** One sentence; of a check that failed, also what to do. */
  readonly detail: string;
}

/** A store that is busy answers in milliseconds. */
const STORE_WAIT_SECONDS_MAX = 2;
/** A whole catalog that is reviewed again takes minutes; longer, nobody is at work, or too few are. */
const WAIT_SECONDS_MAX = 900;
const CERTIFICATE_DAYS_MIN = 14;
const DAY_MS = 86_400_000;

export function checkHealth(figures: HealthFigures): readonly HealthCheck[] {
  const { work, freeBytes, freeBytesMin, accountsMissing, certificateLeft_ms: left_ms } = figures;
  const oldestWork_ms = Math.max(0, ...work.map(({ oldestDue_ms }) => oldestDue_ms));
  return [
    waiting('Store', figures.storeOldestWait_ms, STORE_WAIT_SECONDS_MAX, 'see its disk, or the database'),
    waiting('Review', figures.reviewOldestDue_ms, WAIT_SECONDS_MAX, 'start a server with the role all or worker'),
    waiting('Images', figures.imagesOldestWait_ms, WAIT_SECONDS_MAX, 'see whether image hosts can be reached'),
    waiting('Background work', oldestWork_ms, WAIT_SECONDS_MAX, 'start a server with the role all or worker'),
    {
      name: 'Room for files',
      ok: freeBytes >= freeBytesMin,
      detail:
        freeBytes >= freeBytesMin
          ? `${gigabytes(freeBytes)} GB are free.`
          : `${gigabytes(freeBytes)} GB are free, and uploads are refused below ${gigabytes(freeBytesMin)} GB: make room.`,
    },
    ...(accountsMissing === 0 ? [] : [databaseNodes(accountsMissing)]),
    ...(left_ms === undefined ? [] : [certificate(left_ms)]),
  ];
}

function waiting(name: string, wait_ms: number, seconds_max: number, advice: string): HealthCheck {
  const seconds = Math.floor(wait_ms / 1000);
  if (seconds <= seconds_max) {
    return { name, ok: true, detail: seconds === 0 ? 'Nothing waits.' : `The oldest waits for ${seconds} s.` };
  }
  return { name, ok: false, detail: `The oldest waits for ${seconds} s, more than ${seconds_max} s: ${advice}.` };
}

function databaseNodes(accountsMissing: number): HealthCheck {
  const accounts =
    accountsMissing === 1 ? '1 account with due offers is' : `${accountsMissing} accounts with due offers are`;
  return {
    name: 'Database nodes',
    ok: false,
    detail: `${accounts} unavailable: start the database node that is down.`,
  };
}

function certificate(left_ms: number): HealthCheck {
  const name = 'Certificate';
  const days = Math.floor(left_ms / DAY_MS);
  if (days >= CERTIFICATE_DAYS_MIN) return { name, ok: true, detail: `It is valid for ${days} days.` };
  return {
    name,
    ok: false,
    detail: left_ms <= 0 ? 'It has expired: renew it.' : `It expires in ${days} days: renew it.`,
  };
}

function gigabytes(bytes: number): string {
  return (bytes / 1_000_000_000).toFixed(1);
}
