/**
 * Use case: an operator removes a merchant for good: it is suspended, exported, and then erased.
 *
 * Suspended first, and long enough for every server to know: nothing that is accepted after the export is lost.
 */
import { setTimeout } from 'node:timers/promises';
import { ENVIRONMENTS } from '../../domain/account.ts';
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { merchantUnknown } from '../setup/merchant-accounts.ts';
import { ALL_OFFERS, eraseOffers } from './erase-offers.ts';
import type { MoveContext } from './move-context.ts';

export interface Removal {
  readonly merchantId: string;
  /** A server may still be serving the merchant until it has noticed. */
  readonly besideServer: boolean;
  /** Writes the export and makes sure that it is whole. */
  readonly exportMerchant: () => Promise<Outcome<undefined>>;
  readonly watch?: (skus: number) => void;
}

/** A removal that was cut off can be started again: what is left is exported, and erased. */
export async function removeMerchant(
  context: MoveContext,
  { merchantId, besideServer, exportMerchant, watch }: Removal,
): Promise<Outcome<{ readonly skus: number }>> {
  const { setup, moves } = context;
  const merchant = await setup.readMerchant(merchantId);
  if (merchant === undefined) return refuse([merchantUnknown(merchantId)]);
  await setup.setSuspended(merchantId, true);
  if (besideServer) await setTimeout(LIMITS.setup_notice_seconds_max * 1000);
  const exported = await letIn(exportMerchant, () => setup.setSuspended(merchantId, merchant.suspended));
  if (!exported.ok) return exported;
  let skus = 0;
  for (const environment of ENVIRONMENTS) {
    const before = skus;
    // Before the offers, to which rows of a file that is under way would add.
    await moves.discardFiles(merchant.accounts[environment]);
    skus += await eraseOffers(context, merchant.accounts[environment], ALL_OFFERS, (erased) =>
      watch?.(before + erased),
    );
  }
  const erased = await moves.eraseMerchant(merchantId);
  if (erased === 'has_offers') throw new Error(`Merchant ${merchantId} was given offers while it was suspended.`);
  return accept({ skus });
}

/** Undoes the suspension when there is no export: the merchant is then to stay. */
async function letIn(work: () => Promise<Outcome<undefined>>, undo: () => Promise<unknown>) {
  try {
    const outcome = await work();
    if (!outcome.ok) await undo();
    return outcome;
  } catch (error) {
    await undo();
    throw error;
  }
}
