/** Erases the idempotency keys, the request log and the offers of an account, slice by slice, and the data of an unfinished import. */
import { setTimeout } from 'node:timers/promises';
import type { Environment } from '../../domain/account.ts';
import type { MoveContext } from './pace.ts';
import { SLICE_MS_MAX } from './pace.ts';

/** Calls `onProgress` with the number of SKUs erased so far, and returns the total. */
export async function eraseOffers(
  { moves, pace }: Pick<MoveContext, 'moves' | 'pace'>,
  accountId: number,
  upTo: number,
  onProgress: (skus: number) => void = () => {},
): Promise<number> {
  for (let more = true; more; ) more = await pace.slice(() => moves.eraseRequests(accountId));
  let erased = 0;
  for (let more = true; more; ) {
    const slice = await pace.slice(() => moves.eraseOffers(accountId, upTo, SLICE_MS_MAX));
    erased += slice.skus;
    more = slice.more;
    onProgress(erased);
  }
  return erased;
}

/** An upload order above the upload orders of all offers. */
export const ALL_OFFERS = Number.MAX_SAFE_INTEGER;

/**
 * Erases an unfinished import. If its lease is still valid, waits once for it to expire. Returns `busy` if the import renewed its lease
 * meanwhile, and `ended` if it has finished or the merchant no longer exists.
 */
export async function eraseUnfinished(
  context: MoveContext,
  merchantId: string,
): Promise<{ readonly skus: number } | 'busy' | 'ended'> {
  const { moves, setup } = context;
  let taken = await moves.takeOverImport(merchantId);
  if (typeof taken === 'object') {
    await setTimeout(taken.busy_ms);
    taken = await moves.takeOverImport(merchantId);
  }
  if (typeof taken === 'object') return 'busy';
  const left = taken === 'taken' ? await setup.settings.readMerchant(merchantId) : undefined;
  return left === undefined ? 'ended' : { skus: await eraseImported(context, merchantId, left.accounts) };
}

/** Only the command that owns the import's mark may call this. Returns the number of erased SKUs. */
export async function eraseImported(
  context: MoveContext,
  merchantId: string,
  accountIds: Readonly<Record<Environment, number>>,
): Promise<number> {
  let skus = 0;
  for (const accountId of Object.values(accountIds)) skus += await eraseOffers(context, accountId, ALL_OFFERS);
  const erased = await context.moves.eraseMerchant(merchantId);
  if (erased === 'has_offers')
    throw new Error(
      `Merchant ${merchantId} received offers while its unfinished import was being erased. It was not erased.`,
    );
  return skus;
}
