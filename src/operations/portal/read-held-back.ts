/** Use case: a merchant's user sees how many units, and of what list value, each issue keeps from being sold. */
import type { Account } from '../../domain/account.ts';
import { NO_FILTER } from '../../domain/offers/offer-list.ts';
import type { Status, SubStatus } from '../../domain/vocabulary/statuses.ts';
import { offerPages } from './offer-pages.ts';
import type { Held, HeldBack, ViewContext } from './view-context.ts';

/** Reading so many offers takes about 0.3 s on an idle machine. */
export const HELD_OFFERS_MAX = 5_000;
const KEPT_MS = 30_000;
const KEPT_MAX = 1_000;
const HOLDING = ['missing', 'unauthorized', 'excluded'] as const satisfies readonly Status[];

/** Users who look at the same time share one reading. */
export function readHeldBack(context: ViewContext, account: Account): Promise<HeldBack> {
  const { heldBack, nowMs } = context;
  const kept = heldBack.get(account.accountId);
  if (kept !== undefined && nowMs() - kept.atMs < KEPT_MS) return kept.found;
  if (heldBack.size >= KEPT_MAX) heldBack.clear();
  const found = sumHeldBack(context, account);
  heldBack.set(account.accountId, { atMs: nowMs(), found });
  found.catch(() => heldBack.delete(account.accountId));
  return found;
}

export async function sumHeldBack(
  context: ViewContext,
  account: Account,
  offers_max = HELD_OFFERS_MAX,
): Promise<HeldBack> {
  const bySubStatus = new Map<SubStatus, Held>();
  const byStatus = new Map<Status, Held>();
  let offers = 0;
  for (const status of HOLDING) {
    const pages = await offerPages(context, account, { ...NO_FILTER, status, sort: 'newest' });
    if (!pages.ok) throw new Error('The offer list in order of upload was refused.');
    for await (const page of pages.value) {
      for (const { offer, verdict } of page) {
        if (++offers > offers_max) return { bySubStatus, byStatus, isMore: true };
        const held = { units: offer.quantity, listValue: offer.quantity * (offer.price ?? 0) };
        add(byStatus, status, held);
        for (const subStatus of new Set(verdict.subStatuses)) add(bySubStatus, subStatus, held);
      }
    }
  }
  return { bySubStatus, byStatus, isMore: false };
}

function add<Key>(to: Map<Key, Held>, key: Key, { units, listValue }: Held): void {
  const before = to.get(key) ?? { units: 0, listValue: 0 };
  to.set(key, { units: before.units + units, listValue: before.listValue + listValue });
}
