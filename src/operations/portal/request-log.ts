/** Use cases: developers read the request log of an account, and choose whether it keeps bodies. */
import type { Account } from '../../domain/account.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import type { SetupChecks } from '../../domain/setup/all-setup.ts';
import { DAY_MS } from '../../domain/vocabulary/iso-time.ts';
import type { RequestLogPage } from '../../store/port/traffic.ts';
import type { Store } from '../../store/port.ts';
import { merchantUnknown } from '../setup/merchant-accounts.ts';

export interface RequestLogContext {
  readonly store: Pick<Store, 'settings' | 'traffic'>;
  readonly checks: Pick<SetupChecks, 'requestLog'>;
  /** Stores the requests that this process served last. */
  readonly flush: () => Promise<void>;
  readonly nowMs: () => number;
}

/** `http/portal/request-log.ts` describes the values. */
export async function readRequestLog(
  { store, flush, nowMs }: RequestLogContext,
  { accountId, logsBodies }: Account,
  page: Omit<RequestLogPage, 'sinceMs'>,
) {
  await flush();
  const sinceMs = nowMs() - LIMITS.request_log_days * DAY_MS;
  const [found, groups] = await Promise.all([
    store.traffic.readRequestLog(accountId, { ...page, sinceMs, limit: page.limit + 1 }),
    store.traffic.summarizeRequestLog(accountId, sinceMs),
  ]);
  // Other processes may have stored bodies for a few seconds after the switch was turned off.
  const requests = logsBodies ? found : found.map((request) => ({ ...request, body: null }));
  return {
    requests: requests.slice(0, page.limit),
    isMore: found.length > page.limit,
    recorded: groups.reduce((sum, group) => sum + group.requests, 0),
    unrecorded: groups.reduce((sum, group) => sum + group.unlogged, 0),
    calls: distinct(groups.map(({ call }) => call)),
    users: distinct(groups.flatMap(({ user }) => user ?? [])),
    codes: distinct(groups.flatMap(({ codes }) => codes)),
  };
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}

/** Every change deletes stored bodies, so that turning the switch on never shows older bodies. */
export async function setKeepBodies(
  { store, checks }: RequestLogContext,
  { accountId, merchantId }: Account,
  body: SentBody,
): Promise<Outcome<undefined>> {
  const checked = checks.requestLog(body);
  if (!checked.ok) return checked;
  const written = await store.settings.setLogsBodies(accountId, checked.value.keep_bodies);
  if (written === 'unknown') return refuse([merchantUnknown(merchantId)]);
  await store.traffic.dropBodiesInRequestLog(accountId);
  return accept(undefined, checked.ignored);
}
