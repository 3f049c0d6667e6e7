/** Lists the requests of an account per minute, including minutes without any. */
import type { RequestCountStore, RequestCounts } from '../../store/port/traffic.ts';

export const MINUTE_MS = 60_000;

export interface RequestMinute extends RequestCounts {
  /** Start of the minute. */
  readonly atMs: number;
}

const SILENT: RequestCounts = Object.freeze({ requests: 0, errors: 0, refused: 0 });

/** The last `count` minutes, including the current one, oldest first. */
export async function readRequestMinutes(
  store: Pick<RequestCountStore, 'readRequestCounts'>,
  accountId: number,
  nowMs: number,
  count: number,
): Promise<readonly RequestMinute[]> {
  const from = Math.floor(nowMs / MINUTE_MS) - count + 1;
  const counted = new Map<number, RequestCounts>();
  for (const { minute, requests, errors, refused } of await store.readRequestCounts(accountId, from)) {
    counted.set(minute, { requests, errors, refused });
  }
  return Array.from({ length: count }, (_, place) => ({
    atMs: (from + place) * MINUTE_MS,
    ...(counted.get(from + place) ?? SILENT),
  }));
}
