/** Use case: an operator exports merchants as lines of text, from one snapshot. */
import type { Environment } from '../../domain/account.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { type Problem, requestProblem } from '../../domain/problem.ts';
import type { StoreSnapshot } from '../../store/port/moves.ts';
import type { RecordPage } from '../../store/port/offers.ts';
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
  if (merchantId !== undefined && (await snapshot.readMerchant(merchantId)) === undefined) {
    return refuse([merchantUnknown(merchantId)]);
  }
  const whole = await snapshot.listMerchantIds();
  if (merchantId !== undefined && !whole.includes(merchantId)) return refuse([notWhole(merchantId)]);
  const merchantIds = merchantId === undefined ? whole : [merchantId];
  let skusExpected = 0;
  for (const id of merchantIds) {
    for (const environment of environments) {
      const { accountId } = await snapshot.readAccount(id, environment);
      skusExpected += await snapshot.countOffers(accountId);
    }
  }
  const counts: ExportCounts = { merchants: 0, skus: 0, lines: 0 };
  return accept({ skusExpected, texts: writeAll(snapshot, merchantIds, environments, counts), counts });
}

/** Refuses a half-erased merchant, whose export would look complete. */
function notWhole(merchantId: string): Problem {
  const text = `An import or a removal of merchant ${JSON.stringify(merchantId)} is unfinished. Finish it before you export the merchant.`;
  return requestProblem('merchant_unfinished', text);
}

async function* writeAll(
  snapshot: StoreSnapshot,
  merchantIds: readonly string[],
  environments: readonly Environment[],
  counts: ExportCounts,
): AsyncGenerator<string> {
  const text = (lines: readonly string[]): string => {
    counts.lines += lines.length;
    return lines.map((line) => `${line}\n`).join('');
  };
  yield text([headerLine()]);
  for (const merchantId of merchantIds) {
    const merchant = await snapshot.readMerchant(merchantId);
    if (merchant === undefined) throw new Error(`Merchant ${merchantId} is missing from the snapshot.`);
    counts.merchants++;
    yield text([merchantLine(merchant)]);
    for (const environment of environments) {
      const { accountId, credentials, nodes, returnLocationIds } = await snapshot.readAccount(merchantId, environment);
      yield text([
        environmentLine(environment),
        ...credentials.map(credentialLine),
        ...nodes.map(nodeLine),
        ...returnLocationIds.map(returnLocationLine),
      ]);
      for await (const offers of pages((from) => snapshot.readOffers(accountId, from))) {
        counts.skus += offers.length;
        yield text(offers.map(skuLine));
      }
      for await (const groups of pages((from) => snapshot.readGroups(accountId, from)))
        yield text(groups.map(groupLine));
    }
  }
  yield text([endLine({ ...counts, lines: counts.lines + 1 })]);
}

async function* pages<T>(read: (from: number) => Promise<RecordPage<T>>): AsyncGenerator<readonly T[]> {
  for (let from: number | undefined = 0; from !== undefined; ) {
    const page: RecordPage<T> = await read(from);
    if (page.records.length > 0) yield page.records;
    from = page.next;
  }
}
