/** Use case: a merchant's user reads the changes of an offer: who, when, and the value before. */
import type { Account } from '../../domain/account.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import type { HistoryPage, HistoryStore } from '../../store/port/history.ts';
import { refuseUnknown } from '../sku-outcomes.ts';

export interface HistoryContext {
  readonly store: Pick<HistoryStore, 'readHistory'>;
  /** Retention of changes; 0: they are not recorded. */
  readonly historyDays: number;
  readonly nowMs: () => number;
}

const DAY_MS = 86_400_000;

export async function readHistory(
  { store, historyDays, nowMs }: HistoryContext,
  { accountId }: Account,
  skuId: string,
  page: { readonly after: number | undefined; readonly limit: number },
): Promise<Outcome<HistoryPage>> {
  const found = await store.readHistory({ accountId, skuId }, { ...page, sinceMs: nowMs() - historyDays * DAY_MS });
  return found === undefined ? refuseUnknown(skuId) : accept(found);
}
