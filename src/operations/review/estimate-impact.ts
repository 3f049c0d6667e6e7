/**
 * Estimates the impact of a rule change: reviews stored offers under the current and under the proposed rules, and counts
 * the offers whose status differs. Decision 34 has the reasons and the cost.
 */
import { setImmediate as eventLoopTick } from 'node:timers/promises';
import { type Account, ENVIRONMENTS, type Environment } from '../../domain/account.ts';
import { LIMITS } from '../../domain/limits.ts';
import { LIST_LIMITS, type ListPosition, NO_FILTER, type OfferFilter } from '../../domain/offers/offer-list.ts';
import { lineageOf } from '../../domain/review/category.ts';
import type { Evidence, KnownImage, ReviewKnowledge } from '../../domain/review/facts.ts';
import { compilePolicies, type Policy } from '../../domain/review/policies.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import { evaluateOffer } from '../../domain/review/review-offer.ts';
import type { TaxonomyTree } from '../../domain/taxonomy/tree.ts';
import { brandKey } from '../../domain/text/brand-key.ts';
import { foldedText, wordsOf } from '../../domain/text/folded-text.ts';
import type { ImageEvidence } from '../../domain/vocabulary/image-failures.ts';
import { ReadsByAccount } from '../../store/port/reads-by-account.ts';
import type { Impact, Placeholder, StoredTaxonomy } from '../../store/port/settings.ts';
import type { Store } from '../../store/port.ts';
import { factsOf, imageAddresses, type ReviewRules, reviewKnowledge } from '../review-knowledge.ts';
import { estimateRanking } from './estimate-ranking.ts';
import type { Proposal } from './rule-change.ts';

export interface ImpactContext {
  readonly store: Pick<Store, 'offers' | 'offerList' | 'catalog' | 'images' | 'settings' | 'policies' | 'storefront'>;
  readonly rules: ReviewRules;
  account(accountId: number): Promise<Account | undefined>;
  /** Builds the tree of a taxonomy; null stands for the starter taxonomy. */
  treeOf(taxonomy: Pick<StoredTaxonomy, 'parts'> | null): Promise<TaxonomyTree>;
  /** Returns a function that re-reviews an image with these placeholders in addition to the built-in ones. */
  imagesWith(placeholders: readonly Placeholder[]): (image: ImageEvidence) => ImageEvidence;
  /** Chooses the positions of samples; returns a number from 0 to less than 1. */
  readonly random?: () => number;
  readonly offers_max?: number;
}

/** How many offers are read and reviewed together, in about 1 ms. Requests are served between batches. */
const BATCH_OFFERS = 20;
/** Offers per page in a search for candidates. */
const PAGE_OFFERS = 500;
/** Maximum number of pages that a search for candidates may read. Beyond that, a sample is cheaper. */
const PAGES_MAX = 400;

interface Sized {
  readonly account: Account;
  readonly offers: number;
}

type Batch = { readonly account: Account; readonly skuIds: readonly string[] };

export async function estimateImpact(context: ImpactContext, proposal: Proposal): Promise<Impact> {
  if (proposal.kind === 'policies' && proposal.touched.kind === 'rank_order') {
    const { rankOrder } = compilePolicies(proposal.policies);
    return estimateRanking(context.store.storefront, context.rules.policies.current.rankOrder, rankOrder);
  }
  const count = await ImpactCount.of(context, proposal);
  const products = codesOf(proposal);
  if (products !== undefined) return countUsers(context, products, count);
  const accounts = await readAccounts(context);
  const total = accounts.reduce((sum, { offers }) => sum + offers, 0);
  // Includes the limit itself, because offers that were never reviewed are counted only up to it.
  if (total >= offersMax(context)) {
    const candidates = await findCandidates(context, accounts, filtersOf(proposal, context));
    if (candidates === undefined) {
      for await (const batch of sample(context, accounts, total)) await count.add(batch);
      return count.impact(total);
    }
    for (const { account, skuIds } of candidates) await count.addAll(account, skuIds);
    return count.impact();
  }
  for (const { account } of accounts) {
    for await (const skuIds of skusOf(context, account.accountId)) await count.addAll(account, skuIds);
  }
  return count.impact();
}

type Replace<T> = (value: T) => T;

interface ImageRules {
  readonly before: Replace<ImageEvidence>;
  readonly after: Replace<ImageEvidence>;
}

function offersMax({ offers_max = LIMITS.impact_offers_max }: ImpactContext): number {
  return offers_max;
}

/** Counts offers whose status changes, batch by batch. */
class ImpactCount {
  readonly #context: ImpactContext;
  readonly #after: Replace<ReviewKnowledge>;
  readonly #images: ImageRules | undefined;
  readonly #product: Extract<Proposal, { kind: 'product' }> | undefined;
  readonly #merchants = new Set<string>();
  #examined = 0;
  #changed = 0;
  #live = 0;
  #offSale = 0;

  private constructor(
    context: ImpactContext,
    proposal: Proposal,
    after: Replace<ReviewKnowledge>,
    images: ImageRules | undefined,
  ) {
    this.#context = context;
    this.#after = after;
    this.#images = images;
    this.#product = proposal.kind === 'product' ? proposal : undefined;
  }

  static async of(context: ImpactContext, proposal: Proposal): Promise<ImpactCount> {
    const { store } = context;
    if (proposal.kind === 'policies') {
      const policies = compilePolicies(proposal.policies);
      return new ImpactCount(context, proposal, (knowledge) => ({ ...knowledge, policies }), undefined);
    }
    if (proposal.kind === 'taxonomy') {
      const taxonomy = await context.treeOf(proposal.taxonomy);
      return new ImpactCount(context, proposal, (knowledge) => ({ ...knowledge, taxonomy }), undefined);
    }
    const images =
      proposal.kind === 'product' || context.rules.imageCheck === 'off'
        ? undefined
        : {
            before: context.imagesWith(await store.policies.listPlaceholders()),
            after: context.imagesWith(proposal.placeholders),
          };
    return new ImpactCount(context, proposal, (knowledge) => knowledge, images);
  }

  /** Returns the impact so far, scaled to `total` if given. */
  impact(total?: number): Impact {
    const scale = total === undefined || this.#examined === 0 ? 1 : total / this.#examined;
    return {
      offers: Math.round(this.#changed * scale),
      live: Math.round(this.#live * scale),
      merchants: this.#merchants.size,
      offSale: Math.round(this.#offSale * scale),
      isExact: total === undefined,
      examined: this.#examined,
    };
  }

  async addAll(account: Account, skuIds: readonly string[]): Promise<void> {
    for (let start = 0; start < skuIds.length; start += BATCH_OFFERS) {
      await this.add({ account, skuIds: skuIds.slice(start, start + BATCH_OFFERS) });
    }
  }

  async add({ account, skuIds }: Batch): Promise<void> {
    const { accountId } = account;
    const { store, rules } = this.#context;
    const stored = await Promise.all(skuIds.map((skuId) => store.offers.readOffer({ accountId, skuId })));
    const offers = stored.flatMap((offer) =>
      offer === undefined ? [] : [{ facts: factsOf(offer), evidence: offer.evidence }],
    );
    const before = reviewKnowledge(rules, account);
    const after = this.#after(before);
    const images = await this.#readImages(offers.flatMap(({ facts }) => imageAddresses(facts.document)));
    for (const { facts, evidence } of offers) {
      const was = evaluateOffer(facts, before, withImages(evidence, images?.before)).status;
      const is = evaluateOffer(facts, after, withImages(this.#withProduct(evidence), images?.after)).status;
      this.#examined++;
      if (was === is) continue;
      this.#changed++;
      this.#merchants.add(account.merchantId);
      if (account.environment !== 'live') continue;
      this.#live++;
      if (was === 'available') this.#offSale++;
    }
    await eventLoopTick();
  }

  async #readImages(addresses: readonly string[]) {
    if (this.#images === undefined) return undefined;
    const before = new Map<string, KnownImage>();
    const after = new Map<string, KnownImage>();
    for (const { address, evidence } of await this.#context.store.images.readImages([...new Set(addresses)])) {
      before.set(address, this.#images.before(evidence));
      after.set(address, this.#images.after(evidence));
    }
    return { before, after };
  }

  #withProduct(evidence: Evidence): Evidence {
    if (this.#product === undefined || evidence.catalog === undefined) return evidence;
    const { codes, product } = this.#product;
    const others = evidence.catalog.products.filter(({ code }) => !codes.includes(code));
    const own = evidence.catalog.codes.filter((code) => codes.includes(code));
    const replaced = product === null ? [] : own.map((code) => ({ ...product, code }));
    return { ...evidence, catalog: { ...evidence.catalog, products: [...others, ...replaced] } };
  }
}

/** Replaces the evidence of known images with `found`. Adds no images that the last review did not know. */
export function withImages(evidence: Evidence, found: ReadonlyMap<string, KnownImage> | undefined): Evidence {
  if (found === undefined || evidence.images === undefined) return evidence;
  const images = Object.entries(evidence.images).map(([address, known]) => [address, found.get(address) ?? known]);
  return { ...evidence, images: Object.fromEntries(images) };
}

type ProductCode = readonly [environment: Environment, code: CatalogCode];

/** Returns the products if only their offers may change; undefined if other offers may change too. */
function codesOf(proposal: Proposal): readonly ProductCode[] | undefined {
  if (proposal.kind === 'product') return proposal.codes.map((code) => [proposal.environment, code]);
  if (proposal.kind !== 'policies' || proposal.touched.kind !== 'excluded_code') return undefined;
  const { code } = proposal.touched;
  return ENVIRONMENTS.map((environment) => [environment, code]);
}

async function countUsers(context: ImpactContext, products: readonly ProductCode[], count: ImpactCount) {
  const { catalog } = context.store;
  let [total, examined] = [0, 0];
  // An offer may have codes of several products.
  const found = new Map<number, Set<string>>();
  for (const [environment, code] of products) {
    const offers_max = offersMax(context) - examined;
    const users = await catalog.readCatalogUsers(environment, code, null, offers_max);
    total += users.length < offers_max ? users.length : await catalog.countCatalogUsers(environment, code);
    examined += users.length;
    for (const { accountId, skuId } of users) found.set(accountId, (found.get(accountId) ?? new Set()).add(skuId));
  }
  for (const [accountId, skuIds] of found) {
    const account = await context.account(accountId);
    if (account !== undefined) await count.addAll(account, [...skuIds]);
  }
  return total > examined ? count.impact(total) : count.impact();
}

/** Leaves out accounts whose database node does not respond. */
async function readAccounts({ store, account }: ImpactContext): Promise<readonly Sized[]> {
  const reads = new ReadsByAccount();
  const accounts: Sized[] = [];
  for (const { accounts: own } of await store.settings.listMerchants()) {
    for (const accountId of Object.values(own)) {
      const counts = await reads.read(() => store.offerList.readOfferCounts(accountId));
      const offers = counts?.byStatus.values().reduce((sum, each) => sum + each, counts.unreviewed) ?? 0;
      const found = offers === 0 ? undefined : await account(accountId);
      if (found !== undefined) accounts.push({ account: found, offers });
    }
  }
  return accounts;
}

async function* skusOf({ store }: ImpactContext, accountId: number): AsyncGenerator<readonly string[]> {
  let after: string | undefined;
  for (;;) {
    const page = await store.offers.listSkus(accountId, { after, offset: 0, limit: PAGE_OFFERS });
    // The last SKU was erased in the meantime.
    if (page === 'after_unknown') return;
    yield page.skuIds;
    if (!page.more) return;
    after = page.skuIds.at(-1);
  }
}

/**
 * Returns filters of the offer list that together find every offer whose status may change; undefined if any offer may
 * change.
 */
function filtersOf(proposal: Proposal, { rules }: ImpactContext): readonly OfferFilter[] | undefined {
  return proposal.kind === 'policies' ? filtersOfPolicy(proposal.touched, rules.taxonomy.current.tree) : undefined;
}

function filtersOfPolicy(policy: Policy, tree: TaxonomyTree): readonly OfferFilter[] | undefined {
  if (policy.kind === 'excluded_category') {
    return tree.nodes
      .filter((node) => lineageOf(node, tree).some(({ id }) => id === policy.nodeId))
      .map(({ id }) => ({ ...NO_FILTER, categoryId: String(id) }));
  }
  // Other spellings of the brand may join the words of its key with apostrophes, but they begin with the first word.
  const [word] = !('brand' in policy) ? [] : wordsOf(foldedText(brandKey(policy.brand)));
  return word === undefined ? undefined : [{ ...NO_FILTER, words: [word] }];
}

/** Returns undefined if there are too many candidates, or if finding them would cost more than a sample. */
async function findCandidates(
  context: ImpactContext,
  accounts: readonly Sized[],
  filters: readonly OfferFilter[] | undefined,
): Promise<readonly Batch[] | undefined> {
  if (filters === undefined || filters.length * accounts.length > PAGES_MAX) return undefined;
  const found: Batch[] = [];
  let [pages, offers] = [0, 0];
  for (const { account } of accounts) {
    for (const filter of filters) {
      let after: ListPosition | undefined;
      do {
        const request = { ...filter, sort: 'oldest', after, limit: PAGE_OFFERS, limits: LIST_LIMITS } as const;
        const page = await context.store.offerList.listOffers(account.accountId, request);
        found.push({ account, skuIds: page.offers.map(({ skuId }) => skuId) });
        after = page.next;
        offers += page.offers.length;
        if (++pages > PAGES_MAX || offers > offersMax(context)) return undefined;
      } while (after !== undefined);
    }
  }
  return found;
}

/**
 * Samples short runs of offers at random positions in upload order. Every n-th offer, counted over all accounts, is a position, so larger
 * accounts get more positions.
 */
async function* sample(context: ImpactContext, accounts: readonly Sized[], total: number): AsyncGenerator<Batch> {
  const { store, random = Math.random } = context;
  const step = (total * BATCH_OFFERS) / offersMax(context);
  let position = random() * step;
  for (const { account, offers } of accounts) {
    const { accountId } = account;
    const list = (sort: 'oldest' | 'newest', order?: number) =>
      store.offerList.listOffers(accountId, {
        ...NO_FILTER,
        sort,
        after: order === undefined ? undefined : { key: '', order },
        limit: order === undefined ? 1 : BATCH_OFFERS,
        limits: LIST_LIMITS,
      });
    let ends: readonly [first: number, last: number] | undefined;
    for (; position < offers; position += step) {
      ends ??= [(await list('oldest')).next?.order ?? 0, (await list('newest')).next?.order ?? 0];
      const [first, last] = ends;
      const page = await list('oldest', first - 1 + Math.floor(random() * (last - first + 1)));
      yield { account, skuIds: page.offers.map(({ skuId }) => skuId) };
    }
    position -= offers;
  }
}
