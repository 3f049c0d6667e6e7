/** Use case: an operator exports merchants as lines of text, from one snapshot. */
import type { Environment, Merchant } from '../../domain/account.ts';
import { accept, type Outcome, refuse, refuseRequest } from '../../domain/outcome.ts';
import type { StoreSnapshot } from '../../store/port/copy.ts';
import { merchantUnknown } from '../setup/merchant-accounts.ts';
import {
  credentialLine,
  type ExportCounts,
  endLine,
  environmentLine,
  groupLine,
  headerLine,
  merchantLine,
  nodeLine,
  returnLocationLine,
  skuLine,
} from './export-lines.ts';
import { pagesOf } from './snapshot-pages.ts';

export interface ExportRequest {
  /** The merchant to export; all merchants if undefined. */
  readonly merchantId: string | undefined;
  readonly environments: readonly Environment[];
}

export interface Export {
  /** The number of SKUs in the export. */
  readonly skusExpected: number;
  /** Chunks of many whole lines. Each chunk is created on demand, so a slow reader needs no extra memory. */
  readonly texts: AsyncIterable<string>;
  /** Counts of the lines read so far; complete after the last chunk. */
  readonly counts: Readonly<ExportCounts>;
}

export async function exportMerchants(snapshot: StoreSnapshot, request: ExportRequest): Promise<Outcome<Export>> {
  const { merchantId, environments } = request;
  const all = await snapshot.listMerchants();
  const asked = merchantId === undefined ? all : all.filter((merchant) => merchant.merchantId === merchantId);
  const merchants = asked.filter(({ unfinished }) => unfinished === null);
  if (merchantId !== undefined && merchants.length === 0) {
    if (asked.length === 0) return refuse([merchantUnknown(merchantId)]);
    // A half-erased merchant is refused, because its export would look complete.
    const text = `An import or a removal of merchant ${JSON.stringify(merchantId)} is unfinished. Finish it before you export the merchant.`;
    return refuseRequest('merchant_unfinished', text);
  }
  let skusExpected = 0;
  for (const { accounts } of merchants) {
    for (const environment of environments) skusExpected += await snapshot.countOffers(accounts[environment]);
  }
  const counts: ExportCounts = { merchants: 0, skus: 0, lines: 0 };
  return accept({ skusExpected, texts: writeAll(snapshot, merchants, environments, counts), counts });
}

async function* writeAll(
  snapshot: StoreSnapshot,
  merchants: readonly Merchant[],
  environments: readonly Environment[],
  counts: ExportCounts,
): AsyncGenerator<string> {
  const text = (lines: readonly string[]): string => {
    counts.lines += lines.length;
    return lines.map((line) => `${line}\n`).join('');
  };
  yield text([headerLine()]);
  for (const merchant of merchants) {
    counts.merchants++;
    yield text([merchantLine(merchant)]);
    for (const environment of environments) {
      const { accountId, credentials, nodes, returnLocationIds } = await snapshot.readAccount(
        merchant.accounts[environment],
      );
      yield text([
        environmentLine(environment),
        ...credentials.map(credentialLine),
        ...nodes.map(nodeLine),
        ...returnLocationIds.map(returnLocationLine),
      ]);
      for await (const offers of pagesOf((after) => snapshot.readOffers(accountId, after))) {
        counts.skus += offers.length;
        yield text(offers.map(({ record }) => skuLine(record)));
      }
      for await (const groups of pagesOf((after) => snapshot.readGroups(accountId, after))) {
        yield text(groups.map(({ record }) => groupLine(record)));
      }
    }
  }
  yield text([endLine({ ...counts, lines: counts.lines + 1 })]);
}
