/**
 * Use case: an operator removes a merchant for good: it is suspended, exported, and then erased.
 *
 * Suspended first, and long enough for every server to know: nothing that is accepted after the export is lost. A removal
 * that was cut off while it erased is finished by the next one, which exports nothing: what is left is not the merchant.
 */
import { setTimeout } from 'node:timers/promises';
import { ENVIRONMENTS } from '../../domain/account.ts';
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { requestProblem } from '../../domain/problem.ts';
import type { Merchant } from '../../store/port/settings.ts';
import { merchantUnknown } from '../setup/merchant-accounts.ts';
import { ALL_OFFERS, eraseOffers } from './erase-offers.ts';
import type { MoveContext } from './move-context.ts';
import { eraseUnfinished } from './unfinished-import.ts';

export interface Removal {
  readonly merchantId: string;
  /** A server may still be serving the merchant until it has noticed. */
  readonly isServed: boolean;
  /** Where the merchant will be found after it was removed. */
  readonly exportTo: string;
  /** Writes the export there and makes sure that it is whole. */
  readonly exportMerchant: () => Promise<Outcome<unknown>>;
  readonly watch?: (skus: number) => void;
}

export interface Removed {
  /** That this run erased. */
  readonly skus: number;
  /** The file of an earlier run where that had begun to erase; null where an import had not been finished. */
  readonly exportedTo: string | null;
}

export async function removeMerchant(context: MoveContext, removal: Removal): Promise<Outcome<Removed>> {
  const { merchantId } = removal;
  const merchant = await context.setup.settings.readMerchant(merchantId);
  if (merchant === undefined) return refuse([merchantUnknown(merchantId)]);
  if (merchant.unfinished === 'import') return removeImported(context, removal);
  const exported = await suspendAndExport(context, merchant, removal);
  if (!exported.ok) return exported;
  return accept({ skus: await eraseAll(context, merchant, removal.watch), exportedTo: exported.value });
}

/** Half a merchant is not exported: somebody would take the export for the whole. */
async function removeImported(context: MoveContext, removal: Removal): Promise<Outcome<Removed>> {
  const { merchantId } = removal;
  const erased = await eraseUnfinished(context, merchantId);
  // The import came to its end while it was waited for: what is there now is a whole merchant, or none.
  if (erased === 'ended') return removeMerchant(context, removal);
  if (erased === 'busy') return refuse([requestProblem('import_busy', `Merchant ${merchantId} is being imported.`)]);
  return accept({ skus: erased.skus, exportedTo: null });
}

/** Says where the whole merchant is. */
async function suspendAndExport(
  { moves, setup }: MoveContext,
  { merchantId, suspended }: Merchant,
  { isServed, exportTo, exportMerchant }: Removal,
): Promise<Outcome<string>> {
  const begun = await moves.beginRemoval(merchantId);
  if (begun === 'unknown') return refuse([merchantUnknown(merchantId)]);
  if (begun !== 'begun') return accept(begun.exportedTo);
  if (isServed) await setTimeout(LIMITS.setup_notice_seconds_max * 1000);
  const exported = await letIn(exportMerchant, () => setup.settings.setSuspended(merchantId, suspended));
  if (!exported.ok) return exported;
  if ((await moves.beginErasing(merchantId, exportTo)) === 'begun') return accept(exportTo);
  const text = `Merchant ${merchantId} was let in again, or another removal of it was begun; this one erased nothing.`;
  return refuse([requestProblem('removal_ended', text)]);
}

async function eraseAll(context: MoveContext, merchant: Merchant, watch?: (skus: number) => void): Promise<number> {
  const { moves } = context;
  let skus = 0;
  for (const environment of ENVIRONMENTS) {
    const before = skus;
    // Before the offers, to which rows of a file that is under way would add.
    await moves.discardFiles(merchant.accounts[environment]);
    skus += await eraseOffers(context, merchant.accounts[environment], ALL_OFFERS, (erased) =>
      watch?.(before + erased),
    );
  }
  // Another removal may have finished this one, and another merchant may have the name since.
  const erased = await moves.eraseMerchant(merchant.merchantId, merchant.accounts.test);
  if (erased === 'has_offers') {
    throw new Error(`Merchant ${merchant.merchantId} was given offers while it was suspended.`);
  }
  return skus;
}

/** Undoes the suspension when there is no export: the merchant is then to stay. */
async function letIn(work: () => Promise<Outcome<unknown>>, undo: () => Promise<unknown>) {
  try {
    const outcome = await work();
    if (!outcome.ok) await undo();
    return outcome;
  } catch (error) {
    await undo();
    throw error;
  }
}
