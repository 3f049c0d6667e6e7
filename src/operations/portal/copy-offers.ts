/**
 * Use case: a merchant's user copies offers from the other environment, usually from test to live. A dry run of each offer says whether it
 * would be for sale. The copy is a bulk file of type Offers, and leaves alone what the environment already has.
 */
import type { Account } from '../../domain/account.ts';
import type { OffersCopy } from '../../domain/bodies/offers-copy.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { OfferFilter } from '../../domain/offers/offer-list.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import type { Problem } from '../../domain/problem.ts';
import { readReviewedDocument } from '../../domain/review/reviewed-document.ts';
import type { SubStatus, Verdict } from '../../domain/vocabulary/statuses.ts';
import type { Context } from '../context.ts';
import type { FileContext } from '../files/file-context.ts';
import { dryRunOffer } from '../offers/dry-run.ts';
import { type ChangedOffers, submitChange, uploadRows } from './change-file.ts';
import { chosenOffers } from './change-offers.ts';
import { wholeBody } from './export-sheet.ts';
import { onlyPreview } from './preview-offers-change.ts';
import type { ViewContext } from './view-context.ts';

/** An offer that would not be for sale. */
export interface FailingOffer {
  readonly skuId: string;
  readonly title: string;
  readonly status: Verdict['status'] | undefined;
  readonly subStatuses: readonly SubStatus[];
  /** Why the write would be refused; empty if it would not. */
  readonly problems: readonly Problem[];
}

export interface CopyPreview {
  /** SKU ids that would be for sale, as far as a dry run tells: images are checked after the copy. */
  readonly ready: readonly string[];
  /** SKU ids that would be stored with issues. */
  readonly withIssues: readonly string[];
  readonly failing: readonly FailingOffer[];
  /** Offers that the environment has, or that are archived. */
  readonly skipped: number;
  /** More offers match than are copied at once. */
  readonly isMore: boolean;
}

export interface CopyContext {
  readonly context: Context;
  readonly views: ViewContext;
  readonly files: FileContext;
}

interface Copy {
  readonly from: Account;
  readonly to: Account;
}

/** Stops reading when `gone` is aborted. */
export async function previewCopy(
  contexts: Pick<CopyContext, 'context' | 'views'>,
  copy: Copy,
  filter: OfferFilter,
  sent: SentBody,
  gone: AbortSignal,
): Promise<Outcome<CopyPreview>> {
  const checked = contexts.context.bodies.offersCopy(sent);
  if (!checked.ok) return checked;
  return onlyPreview(copy.to, () => planCopy(contexts, copy, filter, checked.value, gone), checked.ignored);
}

/** Returns the ids of the copied SKUs too, with which the copy can be undone. */
export async function copyOffers(
  contexts: CopyContext,
  copy: Copy,
  filter: OfferFilter,
  sent: SentBody,
): Promise<Outcome<ChangedOffers & { readonly skus: readonly string[] }>> {
  const checked = contexts.context.bodies.offersCopy(sent);
  if (!checked.ok) return checked;
  const { context, files } = contexts;
  // Drawn before the plan looks for offers that are not there yet, so that it does not overwrite one that is added meanwhile.
  const number = await files.store.files.drawNumber(copy.to.accountId);
  const read = () => planCopy(contexts, copy, filter, checked.value);
  const planned = await onlyPreview(copy.to, read, checked.ignored);
  if (!planned.ok) return planned;
  const plan = planned.value;
  const skus = [...plan.ready, ...(checked.value.with_issues ? plan.withIssues : [])];
  const skipped = plan.skipped + plan.failing.length + plan.ready.length - skus.length;
  const bodies = async function* () {
    for (const skuId of skus) yield [{ skuId, body: await bodyIn(context, copy.from, skuId) }];
  };
  const uploaded = await uploadRows(files, copy.to, bodies(), undefined, number);
  if (!uploaded.ok) return uploaded;
  const offers = skus.length;
  if (uploaded.value === undefined) return accept({ offers, skipped, skus, file: undefined }, checked.ignored);
  const name = `Copy from ${copy.from.environment} (${offers} ${offers === 1 ? 'offer' : 'offers'})`;
  const file = await submitChange(files, copy.to, { ...uploaded.value, type: 'Offers', name }, undefined);
  return file.ok ? accept({ offers, skipped, skus, file: file.value }, checked.ignored) : file;
}

async function planCopy(
  { context, views }: Pick<CopyContext, 'context' | 'views'>,
  { from, to }: Copy,
  filter: OfferFilter,
  { skus, with_issues: withIssues }: OffersCopy,
  gone?: AbortSignal,
): Promise<CopyPreview> {
  const plan = { ready: [] as string[], withIssues: [] as string[], failing: [] as FailingOffer[], skipped: 0 };
  let examined = 0;
  for await (const page of chosenOffers(views, from, filter, skus)) {
    for (const { skuId, archived, document } of page) {
      if (gone?.aborted) return { ...plan, isMore: true };
      // Offers that are not copied do not count, or those behind them would never be copied.
      const copied = plan.ready.length + (withIssues ? plan.withIssues.length : 0);
      if (copied === LIMITS.offers_per_copy_max || examined++ === LIMITS.copy_examined_max)
        return { ...plan, isMore: true };
      const isThere = (await views.store.offers.readSkuState({ accountId: to.accountId, skuId })) !== 'unknown';
      const body = archived || isThere ? undefined : await bodyIn(context, from, skuId);
      if (body === undefined) {
        plan.skipped += 1;
        continue;
      }
      const tried = await dryRunOffer(context, { account: to, skuId, body: { value: body, problems: [] } });
      const title = readReviewedDocument(document).product_title;
      if (!tried.ok) {
        plan.failing.push({ skuId, title, status: undefined, subStatuses: [], problems: tried.problems });
        continue;
      }
      const { status, subStatuses } = tried.value;
      // While an image waits for its check, an offer with issues is in review too.
      if (subStatuses.length === 0 && (status === 'available' || status === 'review')) {
        plan.ready.push(skuId);
        continue;
      }
      plan.withIssues.push(skuId);
      plan.failing.push({ skuId, title, status, subStatuses, problems: [] });
    }
  }
  return { ...plan, isMore: false };
}

async function bodyIn(context: Context, { accountId }: Account, skuId: string): Promise<object | undefined> {
  return wholeBody(await context.store.offers.readWholeOffer({ accountId, skuId }), context.names);
}
