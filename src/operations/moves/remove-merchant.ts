/**
 * Use cases: an operator removes a merchant permanently, that is, suspends, exports and then erases it; or clears the test environment.
 *
 * The removal suspends the merchant and waits until every server has noticed, so that no write is accepted after the
 * export. If a removal is interrupted while it erases, the next one finishes it without an export, because the
 * remaining data is incomplete.
 */
import { setTimeout } from 'node:timers/promises';
import { ENVIRONMENTS, type Merchant } from '../../domain/account.ts';
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome, refuse, refuseRequest } from '../../domain/outcome.ts';
import { merchantUnknown, readWholeMerchant } from '../setup/merchant-accounts.ts';
import { ALL_OFFERS, eraseOffers, eraseUnfinished } from './erase-offers.ts';
import type { MoveContext } from './pace.ts';

export interface Removal {
  readonly merchantId: string;
  /** True if a server may be running. Then the removal waits until it has noticed the suspension. */
  readonly isServed: boolean;
  /** The export file of the merchant. */
  readonly exportTo: string;
  /** Writes the export to that file and verifies it. */
  readonly exportMerchant: () => Promise<Outcome<unknown>>;
  readonly onProgress?: (skus: number) => void;
}

export interface Removed {
  /** Number of SKUs that this run erased. */
  readonly skus: number;
  /** The export file, of this run or of an earlier run that was interrupted while it erased; null for an unfinished import. */
  readonly exportedTo: string | null;
}

export async function removeMerchant(context: MoveContext, removal: Removal): Promise<Outcome<Removed>> {
  const { merchantId } = removal;
  const merchant = await context.setup.settings.readMerchant(merchantId);
  if (merchant === undefined) return refuse([merchantUnknown(merchantId)]);
  if (merchant.unfinished === 'import') return removeImported(context, removal);
  const exported = await suspendAndExport(context, merchant, removal);
  if (!exported.ok) return exported;
  return accept({ skus: await eraseAll(context, merchant, removal.onProgress), exportedTo: exported.value });
}

/** Erases an unfinished import without an export, because an export would look complete. */
async function removeImported(context: MoveContext, removal: Removal): Promise<Outcome<Removed>> {
  const { merchantId } = removal;
  const erased = await eraseUnfinished(context, merchantId);
  // The import ended in the meantime, so the merchant is now complete or gone.
  if (erased === 'ended') return removeMerchant(context, removal);
  if (erased === 'busy') {
    return refuseRequest('import_busy', `Another command is importing merchant ${merchantId}. Wait for it to finish.`);
  }
  return accept({ skus: erased.skus, exportedTo: null });
}

/** Suspends and exports the merchant. Returns the file that holds the complete export. */
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
  const text = `Merchant ${merchantId} was resumed, or another removal of it was started. Nothing was erased.`;
  return refuseRequest('removal_ended', text);
}

async function eraseAll(
  context: MoveContext,
  merchant: Merchant,
  onProgress?: (skus: number) => void,
): Promise<number> {
  const { moves } = context;
  let skus = 0;
  for (const environment of ENVIRONMENTS) {
    const before = skus;
    // Files are erased before offers, because rows of a file in progress would add offers.
    await moves.discardFiles(merchant.accounts[environment]);
    skus += await eraseOffers(context, merchant.accounts[environment], ALL_OFFERS, (erased) =>
      onProgress?.(before + erased),
    );
  }
  // The account id is checked too: another removal may have finished first, and a new merchant may have the same id.
  const erased = await moves.eraseMerchant(merchant.merchantId, merchant.accounts.test);
  if (erased === 'has_offers') {
    throw new Error(`Merchant ${merchant.merchantId} received offers while it was suspended.`);
  }
  return skus;
}

/** Runs `work`. If it fails, calls `undo` to end the suspension, because the merchant stays. */
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

/** Clears the offers, files and request log of the test environment. Keeps its settings, and SKUs that are uploaded in the meantime. */
export async function resetSandbox(
  context: MoveContext,
  merchantId: string,
  onProgress: (skus: number) => void = () => {},
): Promise<Outcome<{ readonly skus: number }>> {
  const merchant = await readWholeMerchant(context.setup, merchantId);
  if (!merchant.ok) return merchant;
  const accountId = merchant.value.accounts.test;
  // Files are erased before offers, because rows of a file in progress would add offers again.
  await context.moves.discardFiles(accountId);
  const last = await context.moves.readLastOffer(accountId);
  return accept({ skus: await eraseOffers(context, accountId, last, onProgress) });
}
