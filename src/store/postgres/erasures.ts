/** In charge of erasing: offers in slices of a few milliseconds, then a merchant with its whole set-up. */
import type { Evidence } from '../../domain/review/facts.ts';
import { REVIEW_KIND } from '../port/review.ts';
import { ERASE_PORTAL_USERS } from '../shared/people/removal.ts';
import { removeGrants } from '../shared/policies/stored-policies.ts';
import { endRemoval } from '../shared/settings/rows.ts';
import { forgetCatalogUsers } from './catalog.ts';
import { type Connection, type Database, statement } from './engine.ts';
import { discardFiles } from './file-records.ts';
import { eraseHistory } from './history-reads.ts';
import { forgetImageUsers } from './image-users.ts';
import { eraseListings } from './listing-writes.ts';
import { endImport, requireErasableAccount } from './move-marks.ts';
import { discardReports } from './report-records.ts';
import { assigned, markedLast } from './review-marks.ts';
import { type Ending, kept, undone } from './transactions.ts';
import { announceWork } from './work-leases.ts';
import { drawNumber } from './write-numbers.ts';

/** Some 4 ms of work. */
const STEP_ROWS = 400;

const LAST = statement<[uploadOrder: number | null]>(
  'find last offer',
  'SELECT max(upload_order) FROM offer WHERE account_id = $1',
);
/** No row where fewer are left than a step erases. */
const STEP_END = statement<[uploadOrder: number]>(
  'find end of erasing step',
  `SELECT upload_order FROM offer WHERE account_id = $1 AND upload_order <= $2
   ORDER BY upload_order OFFSET ${STEP_ROWS - 1} LIMIT 1`,
);
const ERASE = statement<[skuId: string, groupPosition: number | null, evidence: string | null]>(
  'erase offers',
  'DELETE FROM offer WHERE account_id = $1 AND upload_order <= $2 RETURNING sku_id, group_position, review_evidence',
);
const END_GROUPS = statement<[]>(
  'end groups of erased parents',
  `UPDATE offer SET group_parent = NULL, group_position = NULL, ${assigned(markedLast('$3', '$4'))}
   WHERE account_id = $1 AND group_parent = ANY($2::text[])`,
);

const ACCOUNTS = statement<[accountId: number]>(
  'find accounts of merchant',
  'SELECT account_id FROM account WHERE merchant_id = $1',
);
const HAS_OFFERS = statement<[1]>('has offers', 'SELECT 1 FROM offer WHERE account_id = $1 LIMIT 1');
const ERASE_OF_ACCOUNT = [
  ...['credential', 'fulfillment_node', 'return_location', 'review_sweep', 'offer_count', 'request_count', 'author'],
  'account',
].map((table) => statement<[]>(`erase ${table} of account`, `DELETE FROM ${table} WHERE account_id = $1`));
const ERASE_MERCHANT = statement<[]>('erase merchant', 'DELETE FROM merchant WHERE merchant_id = $1');

export async function readLastOffer(connection: Connection, accountId: number): Promise<number> {
  const [row] = await connection.run(LAST, [accountId]);
  return row?.[0] ?? 0;
}

export interface OfferErasure {
  readonly accountId: number;
  /** Offers up to this one. */
  readonly upTo: number;
  /** Of the mark of the merchant's import, where there is one. */
  readonly owner: string;
}

/** Each step is a transaction of its own: what a run that is cut off has erased stays erased. */
export async function eraseOffers(
  database: Database,
  { upTo, ...erasure }: OfferErasure,
  milliseconds_max: number,
): Promise<{ skus: number; more: boolean }> {
  const endMs = performance.now() + milliseconds_max;
  let skus = 0;
  do {
    const [end] = await database.run(STEP_END, [erasure.accountId, upTo]);
    skus += await eraseStep(database, { ...erasure, upTo: end?.[0] ?? upTo });
    if (end === undefined) return { skus, more: false };
  } while (performance.now() < endMs);
  return { skus, more: true };
}

/** The codes and pictures that an offer was judged by are those that it is noted for. */
function eraseStep(database: Database, { accountId, upTo, owner }: OfferErasure): Promise<number> {
  return database.inTransaction(async (connection) => {
    await requireErasableAccount(connection, accountId, owner);
    const erased = await connection.run(ERASE, [accountId, upTo]);
    const parents = erased.filter(([, groupPosition]) => groupPosition === 0).map(([skuId]) => skuId);
    if (parents.length > 0) {
      const number = await drawNumber(connection);
      await connection.run(END_GROUPS, [accountId, parents, number, Date.now()]);
      await announceWork(connection, REVIEW_KIND, accountId, 0);
    }
    await eraseHistory(connection, accountId, upTo);
    await eraseListings(
      connection,
      accountId,
      erased.map(([skuId]) => skuId),
    );
    const judged = erased.map(([skuId, , text]) => ({ skuId, evidence: JSON.parse(text ?? '{}') as Evidence }));
    await forgetCatalogUsers(
      connection,
      judged.flatMap(({ skuId, evidence }) =>
        (evidence.catalog?.codes ?? []).map((code) => ({ accountId, skuId, code })),
      ),
    );
    await forgetImageUsers(
      connection,
      judged.flatMap(({ skuId, evidence }) =>
        Object.keys(evidence.images ?? {}).map((address) => ({ accountId, skuId, address })),
      ),
    );
    return erased.length;
  });
}

/** Records and bytes are left to the next sweep for retention. */
export async function discardFilesAndReports(connection: Connection, accountId: number): Promise<void> {
  await discardFiles(connection, accountId);
  await discardReports(connection, accountId);
}

/**
 * Offers are looked for last: the import of a slice of them holds on to the account until it is stored, so that the
 * account cannot be erased in the middle of it, and none finds the account afterwards.
 */
export async function eraseMerchant(
  connection: Connection,
  merchantId: string,
): Promise<Ending<'erased' | 'unknown' | 'has_offers'>> {
  const accounts = await connection.run(ACCOUNTS, [merchantId]);
  if (accounts.length === 0) return undone('unknown');
  for (const account of accounts) {
    for (const erase of ERASE_OF_ACCOUNT) await connection.run(erase, account);
    await discardFilesAndReports(connection, account[0]);
    if ((await connection.run(HAS_OFFERS, account)).length > 0) return undone('has_offers');
  }
  for (const erase of ERASE_PORTAL_USERS) await connection.run(erase, [merchantId]);
  // An import that is undone leaves the grants that were made ahead of it.
  if (!(await endImport(connection, merchantId))) await removeGrants(connection, merchantId);
  await endRemoval(connection, merchantId);
  await connection.run(ERASE_MERCHANT, [merchantId]);
  return kept('erased');
}
