/** Erases the data of an unfinished import. Only the command that owns the import's mark may do this. */
import { setTimeout } from 'node:timers/promises';
import type { Environment } from '../../domain/account.ts';
import { ALL_OFFERS, eraseOffers } from './erase-offers.ts';
import type { MoveContext } from './move-context.ts';

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

/** Returns the number of erased SKUs. */
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
