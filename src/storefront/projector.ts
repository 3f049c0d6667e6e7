/**
 * Projects live offers into the storefront: follows the change feed of each account, builds the offers that changed, and stores the
 * differences. One process at a time does this for all accounts, one batch of each account after the other, so that a large file of one
 * merchant does not delay the offers of others. A process that was killed has stored its batches whole; the next one continues.
 */
import { hash } from 'node:crypto';
import type { Merchant } from '../domain/account.ts';
import { isOfferEvent } from '../domain/events.ts';
import { stringifyExactJson } from '../domain/int64.ts';
import { LIMITS } from '../domain/limits.ts';
import type { CatalogCode } from '../domain/review/product-code.ts';
import { rankStored } from '../domain/storefront/best-offer.ts';
import { buildOffer, correctedProduct, type StorefrontSetup } from '../domain/storefront/build-offer.ts';
import type { ProductCode } from '../domain/storefront/product.ts';
import type { RankOrder } from '../domain/vocabulary/rank-parts.ts';
import { AccountUnavailableError } from '../store/port/errors.ts';
import type { SkuKey } from '../store/port/offers.ts';
import {
  type CorrectedProduct,
  PROJECTED_EVENTS,
  PROJECTED_OFFERS_MAX,
  type ProjectedOffer,
  type RankChange,
  type ShopAccount,
  type ShopRanking,
  type ShopWalk,
  type ShownShopOffer,
  STOREFRONT_ACCOUNT,
  STOREFRONT_KIND,
} from '../store/port/storefront.ts';
import type { Store } from '../store/port.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

/** The settings that offers are shown with. */
export interface ProjectorSetup {
  readonly directory: { readonly version: number };
  readonly rules: {
    readonly taxonomy: { readonly current: { readonly tree: StorefrontSetup['taxonomy']; readonly tag: string } };
    readonly policies: { readonly current: { readonly rankOrder: RankOrder } };
  };
  account(accountId: number): Promise<StorefrontSetup['account'] | undefined>;
  /** Resolves when all of the above is at least as recent as the database was at the time of the call. */
  follow(): Promise<void>;
}

export interface ProjectorOptions {
  readonly store: Pick<Store, 'catalog' | 'feed' | 'offers' | 'settings' | 'storefront'>;
  readonly setup: ProjectorSetup;
  readonly names: StorefrontSetup['names'];
  readonly telemetry: Pick<Telemetry, 'observe'>;
  readonly nowMs: () => number;
}

/** Increase it when offers are built in another form, so that all are projected again. */
const FORM = 1;
/** The basis of an account that was removed. */
const REMOVED = 'removed';
const NO_FEED = { tag: '', next: { number: 0, count: 0 } };
/** Events report at most this many offers, and the groups of these offers may add as many again, 2,001 at most. */
const PAGE_EVENTS = PROJECTED_OFFERS_MAX;
const CORRECTIONS_TOGETHER = 20;
/** A step numbers the events of at most this many accounts, and restarts the projection of as many. */
const ACCOUNTS_TOGETHER = 100;
/** Each may have as many offers as are ranked. */
const RANKED_TOGETHER = 20;
/** A transaction stores this many ranks, in a few milliseconds. */
const RANKS_STORED_MAX = 200;
/** How long to wait before an account that failed is retried. */
const RETRY_MS = 5_000;

/** An account as stored in the settings. */
interface Known {
  readonly merchant: Merchant;
  readonly basis: string;
}

export class Projector {
  readonly #options: ProjectorOptions;
  #known: ReadonlyMap<number, Known> = new Map();
  #version: number | undefined;
  /** By account, or `STOREFRONT_ACCOUNT` for ranks. */
  readonly #failedMs = new Map<number, number>();
  /** Corrections up to this one were tried. */
  #triedCorrection: CorrectedProduct | undefined;

  constructor(options: ProjectorOptions) {
    this.#options = options;
  }

  /** Projects one batch of each account that has work. Returns whether there was any. Stops early when the signal is aborted. */
  async step(signal: AbortSignal): Promise<boolean> {
    const { store } = this.#options;
    let hasWorked = await this.#followSettings(signal);
    let numbered = 0;
    for (const accountId of await store.storefront.findUnnumbered()) {
      signal.throwIfAborted();
      if ((await this.#endOf(accountId).catch(unlessAccountIsDown)) && ++numbered === ACCOUNTS_TOGETHER) break;
    }
    const accounts = await store.storefront.findShopWork();
    if (await this.#projectCorrections(signal)) hasWorked = true;
    for (const account of accounts) {
      signal.throwIfAborted();
      if (await this.#tried(account.accountId, () => this.#projectAccount(account))) hasWorked = true;
    }
    // While offers of a merchant are added, ranks would change with every batch.
    const adding = accounts.filter(({ walk }) => walk !== null).map(({ environment }) => environment);
    const isComplete = this.#version === this.#options.setup.directory.version;
    const order = this.#options.setup.rules.policies.current.rankOrder;
    for (const ranking of isComplete ? await store.storefront.findUnranked(order.join()) : []) {
      signal.throwIfAborted();
      if (adding.includes(ranking.environment)) continue;
      if (await this.#tried(STOREFRONT_ACCOUNT, () => this.#rankProducts(ranking, order))) hasWorked = true;
    }
    return hasWorked;
  }

  /** Works unless this failed a moment ago, and returns whether it succeeded. */
  async #tried(accountId: number, work: () => Promise<void>): Promise<boolean> {
    if (performance.now() < (this.#failedMs.get(accountId) ?? Number.NEGATIVE_INFINITY) + RETRY_MS) return false;
    try {
      await work();
      this.#failedMs.delete(accountId);
      return true;
    } catch (error) {
      this.#failedMs.set(accountId, performance.now());
      // A database node that is down delays no other account.
      if (!(error instanceof AccountUnavailableError)) {
        this.#options.telemetry.observe('work_failed', { kind: STOREFRONT_KIND, accountId, error });
      }
      return false;
    }
  }

  /** Ranks the offers of the products that changed next, and of some others after a change of the order. */
  async #rankProducts(from: ShopRanking, order: RankOrder): Promise<void> {
    const { store, nowMs } = this.#options;
    const { environment, ranked, rankOrder, rankWalk } = from;
    if (rankOrder !== order.join()) {
      await store.storefront.storeRanks(from, { ...from, rankOrder: order.join(), rankWalk: '' }, [], nowMs());
      return;
    }
    const walked =
      rankWalk === null ? [] : await store.storefront.listContested(environment, rankWalk, RANKED_TOGETHER);
    const events = await store.storefront.readShopEvents(environment, ranked, RANKED_TOGETHER);
    const codes = [...new Set([...events.map(({ code }) => code), ...walked])];
    const offers = await store.storefront.readShopOffers(environment, codes, LIMITS.storefront_offers_max);
    const changes = codes.flatMap((code) => rankChanges(code, offers.get(code) ?? [], order));
    const to = {
      ...from,
      ranked: events.at(-1)?.number ?? ranked,
      rankWalk: walked.length < RANKED_TOGETHER ? null : (walked.at(-1) ?? null),
    };
    for (let start = 0; start === 0 || start < changes.length; start += RANKS_STORED_MAX) {
      const end = start + RANKS_STORED_MAX;
      const next = end < changes.length ? from : to;
      if ((await store.storefront.storeRanks(from, next, changes.slice(start, end), nowMs())) === 'overtaken') return;
    }
  }

  /**
   * Restarts the projection of accounts whose settings have changed since their offers were projected, and of accounts that were removed.
   * Returns whether it restarted any; the rest follow in the next step.
   */
  async #followSettings(signal: AbortSignal): Promise<boolean> {
    const { store, setup } = this.#options;
    await setup.follow();
    const { version } = setup.directory;
    if (version === this.#version) return false;
    const [merchants, nodes] = await Promise.all([store.settings.listMerchants(), store.storefront.listShopNodes()]);
    // Offers are built with settings that are at least as recent as their basis. A change after `version` is found by the next step.
    await setup.follow();
    const nodesOf = Map.groupBy(nodes, ({ accountId }) => accountId);
    const known = new Map<number, Known>();
    for (const merchant of merchants) {
      for (const accountId of Object.values(merchant.accounts)) {
        known.set(accountId, { merchant, basis: this.#basisOf(merchant, nodesOf.get(accountId) ?? []) });
      }
    }
    this.#known = known;
    const stored = new Map((await store.storefront.listShopAccounts()).map((account) => [account.accountId, account]));
    const due: Pick<ShopAccount, 'accountId' | 'environment'>[] = [];
    for (const [accountId, { merchant, basis }] of known) {
      if (stored.get(accountId)?.basis === basis) continue;
      due.push({ accountId, environment: merchant.accounts.live === accountId ? 'live' : 'test' });
    }
    for (const account of stored.values()) {
      if (!known.has(account.accountId) && account.basis !== REMOVED) due.push(account);
    }
    let begun = 0;
    for (const { accountId, environment } of due) {
      signal.throwIfAborted();
      if (begun === ACCOUNTS_TOGETHER) break;
      if (await this.#begin(accountId, environment).then(() => true, unlessAccountIsDown)) begun++;
    }
    if (begun === due.length) this.#version = version;
    return begun > 0;
  }

  #basisOf({ name, suspended, timeToReturnDays }: Merchant, nodes: readonly object[]): string {
    const { setup, names } = this.#options;
    const all = [FORM, setup.rules.taxonomy.current.tag, names.settings, name, suspended, timeToReturnDays, nodes];
    return hash('sha256', JSON.stringify(all), 'base64url').slice(0, 22);
  }

  /** Projects all offers of the account again. Later events are found in its feed, so their position is read first. */
  async #begin(accountId: number, environment: ShopAccount['environment']): Promise<void> {
    const { storefront } = this.#options.store;
    const known = this.#known.get(accountId);
    // Reading the feed of an account that was removed would open it again.
    const { tag, next: position } = known === undefined ? NO_FEED : await this.#endOf(accountId);
    const isShown = known !== undefined && !known.merchant.suspended;
    const walk: ShopWalk = { stage: isShown ? 'offers' : 'shown', after: null };
    const basis = known?.basis ?? REMOVED;
    await storefront.beginShopWalk({ accountId, environment, basis, tag, position, walk });
  }

  /** Numbers the events of an account, and returns the end of its feed. */
  #endOf(accountId: number) {
    return this.#options.store.feed.readEvents(accountId, { after: undefined, types: [], limit: 1 });
  }

  async #projectAccount(account: ShopAccount): Promise<void> {
    const { accountId, environment, basis, walk } = account;
    if (basis !== (this.#known.get(accountId)?.basis ?? REMOVED)) return this.#begin(accountId, environment);
    const followed = basis === REMOVED ? account : await this.#projectEvents(account);
    if (followed !== undefined && walk !== null) await this.#continueWalk(followed, walk);
  }

  /** Returns the account after the events; undefined if its projection restarts, or another process has moved it. */
  async #projectEvents(account: ShopAccount): Promise<ShopAccount | undefined> {
    const { accountId, environment, tag, position } = account;
    const { feed, storefront } = this.#options.store;
    const page = await feed.readEvents(accountId, { after: position, types: PROJECTED_EVENTS, limit: PAGE_EVENTS });
    if (page.tag !== tag || position.number <= page.dropped) {
      await this.#begin(accountId, environment);
      return undefined;
    }
    const skuIds = new Set<string>();
    const parents = new Set<string>();
    for (const event of page.events) {
      if (!isOfferEvent(event.type) || !('skuId' in event)) continue;
      skuIds.add(event.skuId);
      if (event.type === 'offer.updated' && event.part === 'variation') parents.add(event.skuId);
    }
    const members = parents.size === 0 ? [] : await storefront.readGroupSkus(accountId, [...parents]);
    const isMoved = page.next.number !== position.number || page.next.count !== position.count;
    if (!isMoved) return account;
    return this.#store(account, { ...account, position: page.next }, [...skuIds.union(new Set(members))]);
  }

  async #continueWalk(account: ShopAccount, { stage, after }: ShopWalk): Promise<void> {
    const { accountId, basis } = account;
    const { offers, storefront } = this.#options.store;
    const limit = PROJECTED_OFFERS_MAX;
    if (stage === 'offers') {
      const page = await offers.listSkus(accountId, { after: after ?? undefined, offset: 0, limit });
      // The offer was erased; the erasure restarts the account.
      if (page === 'after_unknown') return this.#begin(accountId, account.environment);
      const next: ShopWalk = page.more ? { stage, after: page.skuIds.at(-1) ?? null } : { stage: 'shown', after: null };
      await this.#store(account, { ...account, walk: next }, page.skuIds);
      return;
    }
    const skuIds = await storefront.listShownSkus(accountId, after, limit);
    const isLast = skuIds.length < limit;
    const walk = isLast ? null : ({ stage, after: skuIds.at(-1) ?? null } as const);
    const moved = await this.#store(account, { ...account, walk }, skuIds);
    if (isLast && moved !== undefined && basis === REMOVED) await storefront.dropShopAccount(accountId);
  }

  /** Returns `to`; undefined if another process has moved the account. The account moves with the last offers. */
  async #store(from: ShopAccount, to: ShopAccount, skuIds: readonly string[]): Promise<ShopAccount | undefined> {
    const { store, nowMs } = this.#options;
    for (let start = 0; start === 0 || start < skuIds.length; start += PROJECTED_OFFERS_MAX) {
      const slice = skuIds.slice(start, start + PROJECTED_OFFERS_MAX);
      const offers = slice.length === 0 ? [] : await this.#build(from, slice);
      const next = start + PROJECTED_OFFERS_MAX < skuIds.length ? from : to;
      if ((await store.storefront.projectOffers(from, next, offers, nowMs())) === 'overtaken') return undefined;
    }
    return to;
  }

  /** Returns an offer for each SKU. */
  async #build({ accountId, environment }: ShopAccount, skuIds: readonly string[]): Promise<readonly ProjectedOffer[]> {
    const { store, setup, names } = this.#options;
    const account = await setup.account(accountId);
    const merchant = this.#known.get(accountId)?.merchant;
    if (account === undefined || merchant === undefined) return skuIds.map((skuId) => ({ skuId, shown: null }));
    const taxonomy = setup.rules.taxonomy.current.tree;
    const sources = await store.storefront.readOfferSources(accountId, skuIds);
    const built = sources.flatMap((source) => buildOffer(source, { account, merchant, taxonomy, names }) ?? []);
    const codes = new Set(built.map(({ product }) => product.code as CatalogCode));
    const known = codes.size === 0 ? [] : await store.catalog.readProducts(environment, [...codes]);
    const corrections = new Map(
      known.filter(({ origin }) => origin === 'operator').map((product) => [String(product.code), product]),
    );
    const parents = new Map(sources.map(({ skuId, group }) => [skuId, group?.parentSkuId ?? null]));
    const shown = new Map(
      built.map(({ skuId, offer, product }) => {
        const corrected = correctedProduct(product, corrections.get(product.code), taxonomy);
        const texts = { offer: JSON.stringify(offer), product: stringifyExactJson(corrected) };
        const total = Math.round(offer.total * 10_000);
        return [skuId, { code: corrected.code, parent: parents.get(skuId) ?? null, total, ...texts }] as const;
      }),
    );
    return skuIds.map((skuId) => ({ skuId, shown: shown.get(skuId) ?? null }));
  }

  /** Builds the offers of products that the operator corrected. Returns whether all offers of any product were built. */
  async #projectCorrections(signal: AbortSignal): Promise<boolean> {
    const { storefront } = this.#options.store;
    const corrections = await storefront.readShopCorrections(this.#triedCorrection, CORRECTIONS_TOGETHER);
    let failed = this.#triedCorrection;
    let hasWorked = false;
    for (const correction of corrections) {
      signal.throwIfAborted();
      if (await this.#projectProduct(correction, signal).catch(unlessAccountIsDown)) {
        await storefront.dropShopCorrection(correction);
        hasWorked = true;
      } else failed = correction;
    }
    this.#triedCorrection = corrections.length < CORRECTIONS_TOGETHER ? undefined : failed;
    return hasWorked;
  }

  /** Returns false if another process has moved one of the accounts. The caller then retries. */
  async #projectProduct({ environment, code }: CorrectedProduct, signal: AbortSignal): Promise<boolean> {
    const { storefront } = this.#options.store;
    const accounts = new Map((await storefront.listShopAccounts()).map((account) => [account.accountId, account]));
    for (let after: SkuKey | undefined, more = true; more; ) {
      signal.throwIfAborted();
      const page = await storefront.listShopOffers(environment, code, after, PROJECTED_OFFERS_MAX);
      for (const [accountId, offers] of Map.groupBy(page, (offer) => offer.accountId)) {
        const account = accounts.get(accountId);
        if (account === undefined) continue;
        const skuIds = offers.map(({ skuId }) => skuId);
        if ((await this.#store(account, account, skuIds)) === undefined) return false;
      }
      after = page.at(-1);
      more = page.length === PROJECTED_OFFERS_MAX;
    }
    return true;
  }
}

function rankChanges(code: ProductCode, offers: readonly ShownShopOffer[], order: RankOrder): RankChange[] {
  return rankStored(offers, order).flatMap(
    ({ stored: { accountId, skuId, rank: before }, rank: { rank, rank_of } }) => {
      return rank === before ? [] : [{ code, accountId, skuId, before, rank, rankOf: rank_of }];
    },
  );
}

/** Ignores a database node that is down, so that it delays no other work. */
function unlessAccountIsDown(error: unknown): false {
  if (error instanceof AccountUnavailableError) return false;
  throw error;
}
