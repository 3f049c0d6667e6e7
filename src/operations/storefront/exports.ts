/** Use case: a program of the marketplace exports all live offers, with the cursor for later changes. */
import type { Account, Environment } from '../../domain/account.ts';
import { accept, type Outcome, refuse, refuseRequest } from '../../domain/outcome.ts';
import { requestProblem } from '../../domain/problem.ts';
import type { ExportFormat } from '../../domain/vocabulary/file-types.ts';
import type { RankOrder } from '../../domain/vocabulary/rank-parts.ts';
import type { StorefrontStore } from '../../store/port/storefront.ts';
import type { Store } from '../../store/port.ts';
import type { FileContext } from '../files/file-context.ts';
import { requestReport } from '../files/reports.ts';
import { readGroup, type StorefrontContext, wholeProductJson } from './read-products.ts';
import { shopEventId } from './read-shop-events.ts';
import { joined, type WalkedStore, walkShop } from './shop-walk.ts';

export interface RequestedExport {
  readonly reportId: string;
  readonly feedCursor: string;
}

/**
 * Requests an export, which is created in the background. The cursor is read before the export, so the changes after it lead from any
 * state that the export contains to the present one.
 */
export async function requestExport(
  { store, isOn, hasUrl }: StorefrontContext,
  files: FileContext,
  account: Account,
  format: ExportFormat,
  reportId: string,
): Promise<Outcome<RequestedExport>> {
  if (!isOn) return refuseRequest('storefront_off');
  if (format !== 'NDJSON' && !hasUrl) {
    const text = `format: ${format} needs links to the storefront. The operator must set STOREFRONT_URL.`;
    return refuse([requestProblem('query_invalid', text)]);
  }
  const feed = await store.storefront.readShopFeed(account.environment);
  if (feed === undefined || !(await isComplete(store, account.environment))) {
    return refuseRequest('storefront_incomplete');
  }
  const feedCursor = shopEventId(feed, feed.last);
  const requested = await requestReport(files, account, { type: 'Storefront', format, feedCursor }, reportId);
  return requested.ok ? accept({ reportId: requested.value, feedCursor }) : requested;
}

/** Whether the offers of each active merchant are projected. Others are still being read, for the first time or again. */
async function isComplete(
  { settings, storefront }: Pick<Store, 'settings' | 'storefront'>,
  environment: Environment,
): Promise<boolean> {
  const [merchants, accounts] = await Promise.all([settings.listMerchants(), storefront.listShopAccounts()]);
  const projected = accounts.filter(({ basis, walk }) => basis !== '' && walk?.stage !== 'offers');
  const ids = new Set(projected.map(({ accountId }) => accountId));
  return merchants.every((merchant) => merchant.suspended || ids.has(merchant.accounts[environment]));
}

/** Returns the lines of an export: each product in the format of `GET /storefront/products/{product_code}`. */
export function exportTexts(
  store: WalkedStore & Pick<StorefrontStore, 'listShopGroup'>,
  environment: Environment,
  order: RankOrder,
): AsyncGenerator<string> {
  return joined(lines(store, environment, order));
}

async function* lines(...[store, environment, order]: Parameters<typeof exportTexts>) {
  for await (const product of walkShop(store, environment)) {
    yield `${wholeProductJson(product, await readGroup(store, environment, product), order)}\n`;
  }
}
