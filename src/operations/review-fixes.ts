/** Use case: a merchant applies fixes of a review to a SKU, which is an ordinary write of its data. Also finds the fixes of an offer. */
import type { Account } from '../domain/account.ts';
import type { SentBody } from '../domain/body-text.ts';
import { type Int64, parseExactJson, stringifyExactJson } from '../domain/int64.ts';
import { PART } from '../domain/offers/parts.ts';
import { refusePrecondition, refuseState, refuseUnknown } from '../domain/offers/write-state.ts';
import { accept, type Outcome, refuse, refuseRequest } from '../domain/outcome.ts';
import { isMet } from '../domain/precondition.ts';
import { fieldProblem } from '../domain/problem.ts';
import type { Evidence, OfferFacts } from '../domain/review/facts.ts';
import { codesToLookUp } from '../domain/review/fixes/code-fixes.ts';
import type { GroupClues } from '../domain/review/fixes/fix.ts';
import {
  areOpposed,
  type Fix,
  fixesFor,
  guessesCategory,
  patched,
  readsGroup,
  valueBefore,
} from '../domain/review/fixes.ts';
import { type Review, reviewOffer } from '../domain/review/review-offer.ts';
import { readReviewedDocument } from '../domain/review/reviewed-document.ts';
import { Subject } from '../domain/review/subject.ts';
import { unlessStoreIsDown } from '../store/port/errors.ts';
import type { StoredOffer } from '../store/port/offers.ts';
import { textTag } from '../store/port/part-tags.ts';
import type { Context } from './context.ts';
import { type DryRunOperation, dryRunPart } from './offers/dry-run.ts';
import { type WriteOperation, type WriteRequest, writePart } from './offers/write.ts';
import { factsOf, reviewKnowledge } from './review-knowledge.ts';

export interface OfferedFix extends Fix {
  /** Names the fix and the version of the data that it was derived from. */
  readonly id: string;
  /** The value that the patch changes; null if it is not set. */
  readonly before: unknown;
}

/** Each is one read by key. */
const MEMBERS_READ_MAX = 8;

type OfferedTo = Pick<StoredOffer, 'document' | 'group'> & {
  readonly skuId: string;
  readonly facts: OfferFacts;
  readonly evidence: Evidence;
};
type Checks = Parameters<typeof fixesFor>[1];
export type FixContext = Pick<Context, 'rules' | 'guesses'> & {
  readonly store: {
    readonly catalog: Pick<Context['store']['catalog'], 'readProducts'>;
    readonly offers: Pick<Context['store']['offers'], 'readReviewedOffer'>;
  };
};

/**
 * Costs one read of the catalog if a product code is wrong, up to 9 reads by key for a member of a variation group, and nothing for an
 * offer without a failed check.
 */
export async function findFixes(
  { store, rules, guesses }: FixContext,
  account: Account,
  offer: OfferedTo,
  checks: Checks,
): Promise<readonly OfferedFix[]> {
  if (checks.every(({ state }) => state !== 'failed')) return [];
  const { document, facts, evidence } = offer;
  const { environment } = account;
  const codes = codesToLookUp(facts.document);
  const products = codes.length === 0 ? [] : await store.catalog.readProducts(environment, codes);
  const guessCategory = guessesCategory(checks) ? guesses?.guess(environment) : undefined;
  const group = readsGroup(checks) ? await readGroup(store.offers, account, offer) : undefined;
  const clues = { tree: rules.taxonomy.current.tree, products, group, guessCategory };
  const fixes = fixesFor(new Subject(facts, reviewKnowledge(rules, account), evidence), checks, clues);
  const version = shortTag(document);
  return fixes.map((fix) => ({
    ...fix,
    id: `${version}.${shortTag(stringifyExactJson([fix.kind, fix.patch]))}`,
    before: valueBefore(facts.document, fix.patch),
  }));
}

/** The group of the last review may have ended since. */
async function readGroup(
  offers: FixContext['store']['offers'],
  { accountId }: Account,
  { skuId, group: own, facts, evidence }: OfferedTo,
): Promise<GroupClues | undefined> {
  const parent = own === null ? evidence.group?.parent : skuId;
  if (!facts.inGroup || parent === undefined) return undefined;
  const group = own ?? (await offers.readReviewedOffer({ accountId, skuId: parent }))?.group;
  const members = [parent, ...(group?.childrenSkus ?? [])];
  if (!group || !members.includes(skuId)) return undefined;
  const others = members.filter((member) => member !== skuId).slice(0, MEMBERS_READ_MAX);
  const read = await Promise.all(others.map((member) => offers.readReviewedOffer({ accountId, skuId: member })));
  const live = read.flatMap((offer) =>
    offer?.verdict?.status === 'available' ? readReviewedDocument(offer.document) : [],
  );
  return { refinements: parseExactJson(group.refinements) as Int64[], live };
}

/** Without the products there are fewer fixes, but the rest of the response is complete. */
export function withoutCatalogIfDown(context: Context): FixContext {
  const { catalog } = context.store;
  const readProducts: typeof catalog.readProducts = (...asked) => unlessStoreIsDown(catalog.readProducts(...asked), []);
  return { ...context, store: { ...context.store, catalog: { readProducts } } };
}

/** Reviews a stored offer, and finds its fixes. */
export async function reviewWithFixes(
  context: FixContext & Pick<Context, 'names'>,
  account: Account,
  offer: StoredOffer & { readonly skuId: string },
): Promise<Pick<Review, 'checks'> & { readonly fixes: readonly OfferedFix[] }> {
  const { evidence } = offer;
  const facts = factsOf(offer);
  const { checks } = reviewOffer(facts, reviewKnowledge(context.rules, account), evidence, context.names);
  return { checks, fixes: await findFixes(context, account, { ...offer, facts }, checks) };
}

const FIX_ID = /^[\w-]{10}\.[\w-]{10}$/;
const shortTag = (text: string) => textTag(text).slice(0, 10);

/** Writes only if the data is still that of the fixes. */
export const applyFixes: WriteOperation = async (context, request, by) => {
  const { store } = context;
  const { account, skuId, firstRunNumber } = request;
  if (firstRunNumber !== undefined) {
    // The first run of a repeat changed the data, so its fixes are no longer offered.
    const numbers = await store.offers.readNumbers({ accountId: account.accountId, skuId });
    if (numbers !== undefined && numbers.sku >= firstRunNumber) return accept(undefined);
  }
  const write = await fixesWrite(context, request);
  if (!write.ok) return write;
  const { precondition, ...rest } = write.value;
  const written = await writePart(PART.sku)(context, { ...rest, precondition }, by);
  const isOwn = request.precondition === undefined && !written.ok && written.currentTag !== undefined;
  return isOwn ? { ...written, ...refuseRequest('fix_stale') } : written;
};

export const dryRunFixes: DryRunOperation = async (context, request) => {
  const write = await fixesWrite(context, request);
  return write.ok ? dryRunPart(PART.sku)(context, write.value) : write;
};

type FixesContext = Parameters<DryRunOperation>[0];

/** Returns the upload of the SKU that applies the fixes. */
export async function fixesWrite(context: FixesContext, request: WriteRequest): Promise<Outcome<WriteRequest>> {
  const { account, skuId, precondition } = request;
  const checked = context.bodies.fixes(request.body);
  if (!checked.ok) return checked;
  const { ignored } = checked;
  const offer = await context.store.offers.readOffer({ accountId: account.accountId, skuId });
  if (offer === undefined) return refuseUnknown(skuId, ignored);
  if (offer.archived) return refuseState('archived', skuId, ignored);
  const { document } = offer;
  const tag = textTag(document);
  if (precondition !== undefined && !isMet(precondition, tag)) return refusePrecondition(skuId, tag, ignored);
  const { fixes } = await reviewWithFixes(context, account, { ...offer, skuId });
  const offered = new Map(fixes.map((fix) => [fix.id, fix]));
  const missing = checked.value.fixes.flatMap((id, index) => (offered.has(id) ? [] : { id, index }));
  if (missing.some(({ id }) => FIX_ID.test(id) && !id.startsWith(shortTag(document)))) {
    return { ...refuseRequest('fix_stale', undefined, ignored), currentTag: tag };
  }
  if (missing.length > 0) {
    const problems = missing.map(({ index }) =>
      fieldProblem('fix_unknown', ['fixes', index], 'is not a fix of the current review'),
    );
    return refuse(problems, ignored);
  }
  const patches = checked.value.fixes.map((id) => offered.get(id)?.patch ?? []);
  const opposed = patches.flatMap((patch, index) => {
    const other = patches.findIndex((earlier, at) => at < index && areOpposed(earlier, patch));
    const text = `changes the same data as fixes[${other}]: apply one of them, then read the review again`;
    return other === -1 ? [] : [fieldProblem('not_allowed', ['fixes', index], text)];
  });
  if (opposed.length > 0) return refuse(opposed, ignored);
  const value = patched(parseExactJson(document) as object, [...new Set(patches)]);
  const body: SentBody = { value, problems: [] };
  return accept({ ...request, body, precondition: { ifMatch: [tag] } }, ignored);
}
