/** In charge of what an import has stored of a merchant that it did not finish: it is erased by whoever has its mark. */
import { setTimeout } from 'node:timers/promises';
import type { Environment } from '../../domain/account.ts';
import { ALL_OFFERS, eraseOffers } from './erase-offers.ts';
import type { MoveContext } from './move-context.ts';

/** Waits until an import that was killed counts as dead. `busy`: it lives; `ended`: it is whole or gone by now. */
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

/** Says how many SKUs there were. */
export async function eraseImported(
  context: MoveContext,
  merchantId: string,
  accountIds: Readonly<Record<Environment, number>>,
): Promise<number> {
  let skus = 0;
  for (const accountId of Object.values(accountIds)) skus += await eraseOffers(context, accountId, ALL_OFFERS);
  const erased = await context.moves.eraseMerchant(merchantId);
  if (erased === 'has_offers') throw new Error(`Merchant ${merchantId} was given offers while its import was erased.`);
  return skus;
}
