/**
 * Use case: a program plans changes to many offers. Each change is tried like a dry run, and the accepted ones are stored as a bulk file
 * that is not submitted yet. Its number is drawn before the offers are read, so that the file later changes only what the plan has seen.
 */
import { setImmediate } from 'node:timers/promises';
import type { Account } from '../../domain/account.ts';
import type { Author } from '../../domain/author.ts';
import type { PriceChangeBody, SentPlan } from '../../domain/bodies/plan.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { isObject } from '../../domain/check/compile.ts';
import { stringifyExactJson } from '../../domain/int64.ts';
import { LIMITS } from '../../domain/limits.ts';
import { NO_FILTER } from '../../domain/offers/offer-list.ts';
import type { StoredPrice } from '../../domain/offers/part.ts';
import { differencesOf } from '../../domain/offers/part-changes.ts';
import { PART, PARTS } from '../../domain/offers/parts.ts';
import { accept, type Outcome, refuse, refuseRequest } from '../../domain/outcome.ts';
import { approvalReasons, PLAN_LIFETIME_MS, type Plan, type PlanTotals } from '../../domain/plans.ts';
import { fieldProblem, type Problem } from '../../domain/problem.ts';
import { readReviewedDocument } from '../../domain/review/reviewed-document.ts';
import { type KeyRights, missingScopes, scopeMissing, scopeSet } from '../../domain/setup/key-scopes.ts';
import { skuIdFault } from '../../domain/sku-id.ts';
import { brandKey } from '../../domain/text/brand-key.ts';
import { searchWords } from '../../domain/text/search-words.ts';
import type { PlanStore } from '../../store/port/plans.ts';
import type { Context } from '../context.ts';
import type { FileContext } from '../files/file-context.ts';
import { removeKept } from '../files/kept-files.ts';
import type { HistoryContext } from '../history/read-history.ts';
import { type DryRun, dryRunOffer, dryRunPart } from '../offers/dry-run.ts';
import { type ChangeRow, uploadRows } from '../portal/change-file.ts';
import { type PlannedRow, planChange } from '../portal/change-offers.ts';
import type { ViewContext } from '../portal/view-context.ts';
import { fixesWrite } from '../review-fixes.ts';
import { type OfferPosition, positionWith } from '../storefront/positions.ts';
import type { StorefrontContext } from '../storefront/read-products.ts';

export interface PlanContext {
  readonly context: Context;
  readonly views: ViewContext;
  readonly history: Pick<HistoryContext, 'store' | 'history_days'>;
  readonly files: FileContext;
  readonly storefront: StorefrontContext;
  readonly plans: PlanStore;
}

/** Who makes or applies a plan. `key`: what the API key may do; undefined for a person. */
export interface Planner {
  readonly by: Author;
  readonly key: KeyRights | undefined;
}

/** A change that was tried. */
export interface TriedOffer {
  readonly skuId: string;
  /** The body of `PUT …/offer`, or of the archive flag. */
  readonly offer: unknown;
  /** Undefined if the change was refused. */
  readonly tried: DryRun | undefined;
  readonly problems: readonly Problem[];
  readonly position: OfferPosition | undefined;
}

export interface MadePlan {
  /** Undefined if no offer would change: there is nothing to apply. */
  readonly plan: Plan | undefined;
  readonly totals: PlanTotals;
  /** The offers as JSON text. */
  readonly offers: string;
}

interface Change extends Pick<TriedOffer, 'skuId' | 'offer'> {
  /** Ids of fixes of the review, instead of `offer`. */
  readonly fixes?: readonly string[] | undefined;
  /** Instead of both. */
  readonly archived?: boolean | undefined;
}

/** Offers that are tried at the same time. */
const TRIED_AT_ONCE = 20;

/** Accounts for which this process makes a plan. */
const planning = new Set<number>();
/** When this process tried the offers of plans, by account. */
const attempts = new Map<number, readonly number[]>();

/** `shown` returns the offers as JSON text. */
export async function makePlan(
  contexts: PlanContext,
  account: Account,
  planner: Planner,
  body: SentBody,
  shown: (offers: readonly TriedOffer[]) => string,
): Promise<Outcome<MadePlan>> {
  const { accountId } = account;
  const checked = contexts.context.bodies.plan(body);
  if (!checked.ok) return checked;
  const needs = neededScopes(checked.value);
  const missing = planner.key === undefined ? [] : missingScopes(planner.key, needs);
  if (missing.length > 0) return refuse([scopeMissing(missing)]);
  if (planning.has(accountId)) return tooMany();
  planning.add(accountId);
  try {
    const sinceMs = contexts.context.nowMs() - PLAN_LIFETIME_MS;
    if ((await contexts.plans.countPlans(accountId, sinceMs)) >= LIMITS.plans_per_hour_max) return tooMany();
    const made = await plan(contexts, account, planner, checked.value, needs, shown);
    return made.ok ? accept(made.value, checked.ignored) : made;
  } finally {
    planning.delete(accountId);
  }
}

function tooMany() {
  return refuseRequest('plans_too_many');
}

function neededScopes({ offers = [], bodies, price_change }: SentPlan): number {
  const sent = bodies.flatMap((body) => (isObject(body) ? Object.keys(body) : []));
  if (offers.some(({ fixes }) => fixes !== undefined)) sent.push('sku');
  if (offers.some(({ is_archived }) => is_archived !== undefined)) sent.push('archive');
  const parts = PARTS.filter(({ name }) => sent.includes(name) || (name === 'price' && price_change));
  return scopeSet(parts.map(({ scope }) => scope));
}

async function plan(
  contexts: PlanContext,
  account: Account,
  { by, key }: Planner,
  sent: SentPlan,
  needs: number,
  shown: (offers: readonly TriedOffer[]) => string,
): Promise<Outcome<MadePlan>> {
  const { context, files, plans } = contexts;
  const { accountId } = account;
  const createdMs = context.nowMs();
  const number = await files.store.files.drawNumber(accountId);
  // Their rows would replace values that the plan shows, without a higher number.
  if (await files.store.files.hasEarlierSince(accountId, number, createdMs)) {
    return refuseRequest('plan_waits_for_files');
  }
  if (!countAttempt(accountId, createdMs)) return tooMany();
  const found = await changesIn(contexts, account, sent);
  if (found === undefined) return refuseRequest('plan_too_large');
  const { changes, skipped } = found;
  let totals: PlanTotals = {
    offers: 0,
    unchanged: 0,
    refused: 0,
    skipped,
    archived: 0,
    percentMax: null,
    lowestPrice: null,
  };
  const rows: ChangeRow[] = [];
  const texts: string[] = [];
  let bytes = 0;
  for (let start = 0; start < changes.length; start += TRIED_AT_ONCE) {
    const some = changes.slice(start, start + TRIED_AT_ONCE);
    const tried = await Promise.all(some.map((change) => tryChange(contexts, account, change)));
    totals = tried.reduce(totalsWith, totals);
    const changed = tried.filter(isChanged).map(rowOf);
    const text = shown(tried).slice(1, -1);
    bytes += changed.reduce(
      (sum, { body }) => sum + Buffer.byteLength(stringifyExactJson(body)),
      Buffer.byteLength(text),
    );
    if (bytes > LIMITS.plan_bytes_max) return refuseRequest('plan_too_large');
    texts.push(text);
    rows.push(...changed);
    // SQLite works synchronously: without a tick of the event loop, other requests would wait.
    await setImmediate();
  }
  const offers = `[${texts.join(',')}]`;
  const uploaded = await uploadRows(files, account, pagesOf(rows), undefined, number);
  if (!uploaded.ok) return uploaded;
  if (uploaded.value === undefined) return accept({ plan: undefined, totals, offers });
  const reasons = approvalReasons(totals, key?.planLimits, createdMs);
  const { fileId: planId } = uploaded.value;
  const made = { accountId, planId, number, by, createdMs, needs, totals, reasons, decision: null, decidedBy: null };
  let isStored = false;
  try {
    const stored = await plans.addPlan(
      { ...made, offers },
      { sinceMs: createdMs - PLAN_LIFETIME_MS, recent_max: LIMITS.plans_per_hour_max, kept_max: LIMITS.plans_kept_max },
    );
    isStored = stored === 'stored';
  } finally {
    if (!isStored) await removeKept(files.store.files, files.storage, { kind: 'file', accountId, id: planId });
  }
  return isStored ? accept({ plan: made, totals, offers }) : tooMany();
}

/** Returns false if the account has made as many attempts in the last hour as it may. Plans that are not stored count too. */
function countAttempt(accountId: number, nowMs: number): boolean {
  const sinceMs = nowMs - PLAN_LIFETIME_MS;
  // The account with the oldest last attempt is first.
  for (const [id, times] of attempts) {
    if ((times.at(-1) ?? 0) > sinceMs) break;
    attempts.delete(id);
  }
  const recent = (attempts.get(accountId) ?? []).filter((ms) => ms > sinceMs);
  if (recent.length >= LIMITS.plans_per_hour_max) return false;
  attempts.delete(accountId);
  attempts.set(accountId, [...recent, nowMs]);
  return true;
}

function isChanged({ tried }: TriedOffer): boolean {
  return (tried?.changes.length ?? 0) > 0;
}

function rowOf({ skuId, offer }: TriedOffer): ChangeRow {
  return { skuId, body: offer as object };
}

async function* pagesOf(rows: readonly ChangeRow[]) {
  if (rows.length > 0) yield rows;
}

/** Returns undefined if too many offers match, or too many had to be read. */
async function changesIn({ views }: PlanContext, account: Account, { offers = [], bodies, price_change }: SentPlan) {
  if (price_change === undefined) {
    const changes = offers.map(({ merchant_sku: skuId, fixes, is_archived: archived }, index): Change => {
      return { skuId, offer: bodies[index], fixes, archived };
    });
    return { changes, skipped: 0 };
  }
  const { percent, amount, brand, q } = price_change;
  const filter = { ...NO_FILTER, archived: false, words: searchWords([q ?? '', brand ?? ''].join(' ')) };
  const change = percent === undefined ? 'add_to_price' : 'add_percent_to_price';
  const changes: Change[] = [];
  let skipped = 0;
  let examined = 0;
  for await (const page of planChange(views, account, filter, { change, amount: percent ?? amount ?? 0 })) {
    for (const row of page) {
      if (brand !== undefined && !isOfBrand(row, brand)) continue;
      const price = newPrice(row, price_change);
      if (price === undefined) skipped += 1;
      else changes.push({ skuId: row.skuId, offer: { price } });
    }
    examined += page.length;
    if (changes.length > LIMITS.plan_offers_max || examined > LIMITS.plan_examined_max) return undefined;
    await setImmediate();
  }
  return { changes, skipped };
}

function isOfBrand({ offer }: PlannedRow, brand: string): boolean {
  return brandKey(readReviewedDocument(offer.document).brand) === brandKey(brand);
}

type PriceBody = {
  readonly price: number;
  readonly fulfillment_nodes?: readonly { fulfillment_node_id: string; fulfillment_node_price: number }[];
};

/** Undefined if the change does not apply to the offer. */
function newPrice({ body, offer }: PlannedRow, { price_min, price_max }: PriceChangeBody): PriceBody | undefined {
  if (body === undefined || offer.price === null) return undefined;
  const { price, fulfillment_nodes: nodes } = body as PriceBody;
  const bounded = (before: number, after: number) => {
    if (price_max !== undefined && after > price_max) return Math.max(before, price_max);
    return price_min !== undefined && after < price_min ? Math.min(before, price_min) : after;
  };
  const before = new Map(offer.priceNodes.map((node) => [node.fulfillment_node_id, node.fulfillment_node_price]));
  const changed = nodes?.map(({ fulfillment_node_id: id, fulfillment_node_price: after }) => ({
    fulfillment_node_id: id,
    fulfillment_node_price: bounded(before.get(id) ?? after, after),
  }));
  return { price: bounded(offer.price, price), ...(changed === undefined ? {} : { fulfillment_nodes: changed }) };
}

async function tryChange(
  { context, storefront }: PlanContext,
  account: Account,
  { skuId, offer: sent, fixes, archived }: Change,
): Promise<TriedOffer> {
  const refused = (problems: readonly Problem[]) => {
    return { skuId, offer: sent, tried: undefined, problems, position: undefined };
  };
  const fault = skuIdFault(skuId);
  if (fault !== undefined) return refused([fieldProblem('sku_id_invalid', ['merchant_sku'], fault)]);
  if ([fixes, sent, archived].filter((each) => each !== undefined).length > 1) {
    const field = archived === undefined ? 'fixes' : 'is_archived';
    return refused([fieldProblem('not_allowed', [field], 'must be the only one of offer, fixes and is_archived')]);
  }
  const fixed = fixes && (await fixesWrite(context, { account, skuId, body: { value: { fixes }, problems: [] } }));
  if (fixed?.ok === false) return refused(fixed.problems);
  const parts = fixed === undefined ? sent : { sku: fixed.value.body.value };
  const offer = archived === undefined ? parts : { is_archived: archived };
  const dryRun = archived === undefined ? dryRunOffer : dryRunPart(PART.archive);
  const outcome = await dryRun(context, { account, skuId, body: { value: offer, problems: [] } });
  if (!outcome.ok) return refused(outcome.problems);
  const { value: tried } = outcome;
  // As in a dry run of a single call, values that stay the same are not changes.
  const changes = tried.changes.filter((change) => differencesOf(change, context.names).length > 0);
  const [first, ...others] = changes;
  const isPrice = first?.part === 'price' && first.after !== null && others.length === 0;
  const position = isPrice
    ? await positionWith(storefront, context, account, skuId, {
        price: first.after as StoredPrice,
        status: tried.status,
      })
    : undefined;
  return { skuId, offer, tried: { ...tried, changes }, problems: [], position };
}

function totalsWith(totals: PlanTotals, { tried }: TriedOffer): PlanTotals {
  if (tried === undefined) return { ...totals, refused: totals.refused + 1 };
  if (tried.changes.length === 0) return { ...totals, unchanged: totals.unchanged + 1 };
  let { archived, percentMax, lowestPrice } = totals;
  for (const change of tried.changes) {
    if (change.part === 'archive') archived += 1;
    if (change.part !== 'price' || change.after === null) continue;
    for (const [, price] of pricesIn(change.after)) lowestPrice = Math.min(lowestPrice ?? price, price);
    for (const percent of percentsOf(change.before, change.after)) percentMax = Math.max(percentMax ?? 0, percent);
  }
  return { ...totals, offers: totals.offers + 1, archived, percentMax, lowestPrice };
}

type Prices = Pick<StoredPrice, 'price' | 'nodes'>;

/** Returns the price, with the id '', and the prices of the nodes. */
function pricesIn({ price, nodes }: Prices): readonly (readonly [id: string, price: number])[] {
  return [['', price], ...nodes.map((node) => [node.fulfillment_node_id, node.fulfillment_node_price] as const)];
}

/** By how many percent each price changes, with two decimals. A node without a price has that of the offer. */
function percentsOf(before: Prices | null, after: Prices): readonly number[] {
  if (before === null) return [];
  const [old, next] = [new Map(pricesIn(before)), new Map(pricesIn(after))];
  return [...new Set([...old.keys(), ...next.keys()])].map((id) => {
    const from = old.get(id) ?? before.price;
    return Math.round((Math.abs((next.get(id) ?? after.price) - from) / from) * 10_000) / 100;
  });
}
