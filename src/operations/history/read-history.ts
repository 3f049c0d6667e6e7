/** Use case: a merchant's user reads the changes to an offer: who made each change, when, and the value before it. */
import type { Account } from '../../domain/account.ts';
import { refuseUnknown } from '../../domain/offers/write-state.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import { DAY_MS } from '../../domain/vocabulary/iso-time.ts';
import type { HistoryPage, HistoryStore } from '../../store/port/history.ts';

export interface HistoryContext {
  readonly store: Pick<HistoryStore, 'readHistory' | 'readChangesBy' | 'readArchivedStock'>;
  /** Retention of changes; 0: they are not recorded. */
  readonly history_days: number;
  readonly nowMs: () => number;
}

export async function readHistory(
  { store, history_days, nowMs }: HistoryContext,
  { accountId }: Account,
  skuId: string,
  page: { readonly after: number | undefined; readonly limit: number },
): Promise<Outcome<HistoryPage>> {
  const found = await store.readHistory({ accountId, skuId }, { ...page, sinceMs: nowMs() - history_days * DAY_MS });
  return found === undefined ? refuseUnknown(skuId) : accept(found);
}
