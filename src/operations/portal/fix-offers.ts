/**
 * Use case: a merchant's user reads the fixes of all offers that match a filter, and applies chosen ones. They become one bulk file, so
 * progress, errors and undo work as for any file.
 */
import type { Account } from '../../domain/account.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import { readReviewedDocument } from '../../domain/review/reviewed-document.ts';
import type { Context } from '../context.ts';
import type { FileContext } from '../files/file-context.ts';
import { fixesWrite, type OfferedFix, reviewWithFixes, withoutCatalogIfDown } from '../review-fixes.ts';
import { type ChangedOffers, submitChange, uploadRows } from './change-file.ts';
import { type ListRequest, listCurrent, type Page } from './list-offers.ts';
import type { ViewContext } from './view-context.ts';

export interface FixableOffer {
  readonly skuId: string;
  readonly title: string;
  readonly fixes: readonly OfferedFix[];
}

interface FixContexts {
  readonly context: Context;
  readonly views: ViewContext;
  readonly files: FileContext;
}

/** A page has only the offers with fixes: for the sub-status of the filter, or for any failed check without one. */
export async function listFixes(
  { context, views }: Pick<FixContexts, 'context' | 'views'>,
  account: Account,
  request: ListRequest,
): Promise<Outcome<Page<FixableOffer> & { readonly examined: number }>> {
  const page = await listCurrent(views, account, request);
  if (!page.ok) return page;
  const { subStatus: asked } = request;
  const reading = { ...withoutCatalogIfDown(context), names: context.names };
  const offers: FixableOffer[] = [];
  for (const { offer } of page.value.offers) {
    const { skuId } = offer;
    const stored = await context.store.offers.readOffer({ accountId: account.accountId, skuId });
    if (stored === undefined) continue;
    const { checks, fixes } = await reviewWithFixes(reading, account, { ...stored, skuId });
    const isAsked = new Set(
      checks.filter((one) => asked === undefined || one.subStatus === asked).map((one) => one.check),
    );
    const own = fixes.filter(({ check }) => isAsked.has(check));
    if (own.length > 0) offers.push({ skuId, title: readReviewedDocument(stored.document).product_title, fixes: own });
  }
  return accept({ ...page.value, offers, examined: page.value.offers.length });
}

/** Skips offers that have changed since their fixes were read. */
export async function fixOffers(
  { context, files }: Pick<FixContexts, 'context' | 'files'>,
  account: Account,
  sent: SentBody,
): Promise<Outcome<ChangedOffers>> {
  const checked = context.bodies.offersFix(sent);
  if (!checked.ok) return checked;
  const rows = async function* () {
    for (const { sku: skuId, fixes } of checked.value.offers) {
      const upload = await fixesWrite(context, { account, skuId, body: { value: { fixes }, problems: [] } });
      yield [{ skuId, body: upload.ok ? (upload.value.body.value as object) : undefined }];
    }
  };
  const count = { offers: 0, skipped: 0 };
  const uploaded = await uploadRows(files, account, rows(), count);
  if (!uploaded.ok) return uploaded;
  if (uploaded.value === undefined) return accept({ ...count, file: undefined }, checked.ignored);
  const name = `Apply fixes (${count.offers} ${count.offers === 1 ? 'offer' : 'offers'})`;
  const file = await submitChange(files, account, { ...uploaded.value, type: 'MerchantSKUs', name }, undefined);
  return file.ok ? accept({ ...count, file: file.value }, checked.ignored) : file;
}
