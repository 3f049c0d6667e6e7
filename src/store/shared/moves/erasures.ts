/** Erases offers in steps of a few milliseconds. Each step is its own transaction, so an interrupted run keeps its progress. */
import { OfferCountChanges } from '../../../domain/offers/verdict-counts.ts';
import { REVIEW_KIND } from '../../port/review.ts';
import { forgetCatalogUsers } from '../catalog/users.ts';
import { forgetImageUsers } from '../images/images.ts';
import { countValues, MOVE_COUNTS } from '../offer-list/offer-counts.ts';
import { evidenceIn } from '../offers/offer-columns.ts';
import { SLICE_END } from '../review/review.ts';
import { forgetUpcoming } from '../review/upcoming.ts';
import type { Sql, WriteSql } from '../sql.ts';
import { restartShopAccount } from '../storefront/progress.ts';
import { announceWork } from '../work.ts';
import type { MoveEngine, WholeOffers } from './engine.ts';

/** How many offers a step erases, in a few milliseconds. On SQLite, other writers wait for it. */
const STEP_OFFERS = 100;

interface Erasure {
  readonly accountId: number;
  /** The upload order of the last offer to erase. */
  readonly upTo: number;
  readonly slice_ms_max: number;
  /** Throws if the offers may not be erased. */
  readonly permit: (sql: Sql) => Promise<void>;
}

/** Erases offers for about `slice_ms_max`. */
export async function eraseOffers(engine: MoveEngine, { accountId, upTo, slice_ms_max, permit }: Erasure) {
  const endMs = performance.now() + slice_ms_max;
  let skus = 0;
  do {
    const [end] = await engine.sql.run(SLICE_END, [accountId, 0, STEP_OFFERS - 1]);
    const last = Math.min(end?.[0] ?? upTo, upTo);
    skus += await engine.write(async (sql) => {
      await permit(sql);
      return eraseStep(sql, engine.offers, accountId, last);
    });
    if (last === upTo) return { skus, more: false };
  } while (performance.now() < endMs);
  return { skus, more: true };
}

/** Erases the offers of one step, and removes them as users of the codes and images in their evidence. */
async function eraseStep(sql: WriteSql, offers: WholeOffers, accountId: number, upTo: number): Promise<number> {
  const erased = await offers.erase(sql, accountId, upTo);
  // The children of an erased parent lose their group, and are due.
  if (erased.some(({ isParent }) => isParent)) await announceWork(sql, REVIEW_KIND, accountId, 0, 'backlog');
  const counts = new OfferCountChanges();
  for (const { status, subStatusBits } of erased) if (status !== null) counts.count({ status, subStatusBits }, -1);
  await sql.run(MOVE_COUNTS, countValues(accountId, counts.list()));
  const reviewed = erased.map(({ skuId, evidence }) => ({ skuId, evidence: evidenceIn(evidence) }));
  const skuIds = erased.map(({ skuId }) => skuId);
  await forgetUpcoming(sql, accountId, skuIds);
  await restartShopAccount(sql, accountId);
  const coded = reviewed.flatMap(({ skuId, evidence }) =>
    (evidence.catalog?.codes ?? []).map((code) => ({ accountId, skuId, code })),
  );
  await forgetCatalogUsers(sql, coded);
  const shown = reviewed.flatMap(({ skuId, evidence }) =>
    Object.keys(evidence.images ?? {}).map((address) => ({ accountId, skuId, address })),
  );
  await forgetImageUsers(sql, shown);
  return erased.length;
}
