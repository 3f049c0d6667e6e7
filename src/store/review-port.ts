/** What Offerbook asks of a database for the review of offers; a part of the store, see port.ts. */
import type { Environment } from '../domain/account.ts';
import type { KnownProduct } from '../domain/review/catalog.ts';
import type { Listing } from '../domain/review/listing.ts';
import type { Policy } from '../domain/review/policies.ts';
import type { CatalogCode } from '../domain/review/product-code.ts';
import type { GroupStanding } from '../domain/variation-group.ts';
import type { Status, SubStatus } from '../domain/vocabulary/statuses.ts';

/** Background work (see work-port.ts): to judge the due offers of an account, and to mark all of them. */
export const REVIEW_KIND = 'review';
export const SWEEP_KIND = 'review-sweep';
/** To mark the offers of products that the catalog has learned something of. It is for no account in particular. */
export const NEWS_KIND = 'catalog-news';
export const NEWS_ACCOUNT = 0;

/** An offer that is due for review, with all that it is judged by. */
export interface DueOffer {
  readonly skuId: string;
  /** The number of the write, or of the sweep, that made it due. */
  readonly mark: number;
  /** JSON text of the uploaded fields. */
  readonly document: string;
  readonly archived: boolean;
  readonly priced: boolean;
  /** Nodes that the merchant has sent a quantity for, 0 included, in order of id. */
  readonly stockNodeIds: readonly string[];
  readonly inGroup: boolean;
  /** JSON text of what was found before; null: nothing yet. */
  readonly evidence: string | null;
}

export interface StoredJudgement {
  readonly status: Status;
  readonly subStatuses: readonly SubStatus[];
  /** Names the rules that it was made by, and all else that is not stored with the offer. */
  readonly rules: string;
}

export interface OfferReview extends StoredJudgement {
  readonly skuId: string;
  /** That it was judged for. An offer that was marked again meanwhile stays due. */
  readonly mark: number;
  /** JSON text; it names what it was found for, so that it is never wrong, only incomplete. */
  readonly evidence: string;
  /** Tells which shoes of the account belong together; null for other offers. */
  readonly shoeKey: string | null;
  /** What the list of offers finds it by (see offer-list-port.ts). */
  readonly listing: Listing;
}

/**
 * Which offers are due, and what the review made of them.
 *
 * The writes of offers mark what they touch in their own commit, where it can change a judgement: every upload, change
 * of the archive flag and of a group (all that are in it, before or then), the first price, the first stock record at a node.
 * They announce work of the kind `review` for the account (see work-port.ts). Who stays in a group that loses a member to
 * another, or whose member is uploaded again, is marked by the review once it comes to that member. Changes of the set-up that can change judgements (nodes, taxonomy,
 * policies, placeholders) begin a sweep in their own commit, which marks all offers of the accounts they concern.
 */
export interface OfferReviewStore {
  /**
   * Those marked first, first, and of those marked together the ones uploaded first. What they are judged by must not be
   * older than this read: a change of the set-up that began a sweep is not seen in the marks.
   */
  readDueOffers(accountId: number, limit: number): Promise<readonly DueOffer[]>;
  /**
   * Stores evidence, verdict and listing, and takes the mark away where it is still the one that was judged. Of an offer
   * that is not due any more nothing is stored: somebody has judged it meanwhile, by no less than this. Written in slices that
   * single calls do not wait for; when it fails, some may be stored and the others are due as before.
   */
  storeReviews(accountId: number, reviews: readonly OfferReview[], nowMs: number): Promise<void>;
  /** Marks those of the SKUs that exist, and announces the work. */
  markDue(accountId: number, skuIds: readonly string[]): Promise<void>;
  /** Marks some next offers, `limit` at most, of a sweep that was begun for the account; `done` when none is left. */
  sweep(accountId: number, limit: number): Promise<'more' | 'done'>;
  /**
   * Announces the work of accounts that have due offers, a sweep, unfinished files or reports that were asked for, and that
   * of news of the catalog, where there is no such work: a process may have died in between, or the store is a copy of another.
   */
  announceForgotten(): Promise<void>;
  /**
   * The variation groups in which the SKUs are, as parent or child, each group once and of one state, with what the members
   * were judged by last. A group may have 2,001 members: ask for few at a time.
   */
  readGroupsOf(accountId: number, memberSkuIds: readonly string[]): Promise<readonly GroupStanding[]>;
  /** The shoes that belong together, in order of SKU id. */
  readShoeGroup(accountId: number, shoeKey: string, limit: number): Promise<readonly string[]>;
  /**
   * Due offers, and how long the one has been due that comes first, over all accounts; for people who watch. Of a very
   * large account not more than 100,000 may be counted.
   */
  readReviewFigures(): Promise<DueFigures>;
}

export interface DueFigures {
  readonly due: number;
  readonly oldestDue_ms: number;
  /** Accounts with due offers that are not counted: their database node does not answer. */
  readonly accountsMissing: number;
}

/** An offer by account and SKU id, as shared data refers to it. */
export interface OfferReference {
  readonly accountId: number;
  readonly skuId: string;
}

export interface CatalogUser extends OfferReference {
  readonly code: CatalogCode;
}

/** The catalog has learned something of a product, and not all who are judged by it were told. */
export interface CatalogNews {
  readonly environment: Environment;
  readonly code: CatalogCode;
  /** Another one where there are news again. */
  readonly number: number;
  /** The offers up to this one, by account and SKU id, are marked. */
  readonly toldUpTo: OfferReference | undefined;
}

/**
 * One product for each code and environment. Reached only by its key, outside the way of requests.
 *
 * Whoever looked a code up before the catalog knew it, or knew it better, is to be judged again. That this is to be done is
 * stored in the commit of the product, as news, so that it is done whoever dies.
 */
export interface CatalogStore {
  /** In any order; codes that the catalog does not know are left out. */
  readProducts(environment: Environment, codes: readonly CatalogCode[]): Promise<readonly KnownProduct[]>;
  /**
   * Adds those whose code is not known yet, with news of them. What an offer brought is replaced where a single offer is
   * judged by it: that is the one which brings another now. Gives for each code what stands there then.
   */
  addProducts(environment: Environment, products: readonly KnownProduct[]): Promise<readonly KnownProduct[]>;
  /** Adds or replaces, as the operator says, with news of it; what offers say of it counts no longer. */
  setProduct(environment: Environment, product: KnownProduct): Promise<void>;
  /** Remembers that the offers are judged by these codes, until they are erased or it is forgotten. */
  noteCatalogUsers(environment: Environment, users: readonly CatalogUser[]): Promise<void>;
  /** They are not judged by these codes any more. */
  forgetCatalogUsers(users: readonly CatalogUser[]): Promise<void>;
  /**
   * After products were added or replaced: drops the news of those that a single offer is judged by, the one that brought
   * it, and announces work of the kind `catalog-news` where others are left.
   */
  settleCatalogNews(environment: Environment, codes: readonly CatalogCode[]): Promise<void>;
  /** In any order, in which they stay. */
  readCatalogNews(limit: number): Promise<readonly CatalogNews[]>;
  /** The offers up to the one given are marked; undefined: all are. Nothing where there are news again since. */
  moveCatalogNews(news: CatalogNews, toldUpTo: OfferReference | undefined): Promise<void>;
  /** How many offers are judged by the code. */
  countCatalogUsers(environment: Environment, code: CatalogCode): Promise<number>;
  /** In order of account and SKU id, from behind `after`. */
  readCatalogUsers(
    environment: Environment,
    code: CatalogCode,
    after: OfferReference | undefined,
    limit: number,
  ): Promise<readonly OfferReference[]>;
}

export interface StoredImage {
  readonly address: string;
  /** JSON text of domain/review/facts.ts ImageEvidence. */
  readonly evidence: string;
  readonly judgedMs: number;
  /** For `If-None-Match`. */
  readonly etag: string | null;
}

export interface WantedImage {
  readonly address: string;
  /** How often it was put back since it was wanted: it could not be fetched. */
  readonly attempts: number;
  /** Looks that were begun since anybody came back with it: 1 for all that somebody had who died, more for `beginAlone`. */
  readonly lost: number;
  /** What is known of it, where it was judged before. */
  readonly known: StoredImage | undefined;
  /** Somebody asked for a new look since it came into the queue: what is known does not do. */
  readonly isAsked: boolean;
  /** Higher than that of whoever had it before. */
  readonly fence: number;
}

/** The last of the tries at a picture that failed in a way that may pass: it is still in the queue. */
export interface FailedTry {
  readonly address: string;
  /** JSON text of domain/vocabulary/image-checks.ts ImageEvidence. */
  readonly evidence: string;
  /** Null: the next one is under way. */
  readonly nextMs: number | null;
}

/** An offer that shows, or waits for, the picture at an address. */
export interface ImageUser extends OfferReference {
  readonly address: string;
}

/** How many pictures may be under way. */
export interface ImageLimits {
  /** In all, for whoever asks. */
  readonly limit: number;
  /** These two over all processes. */
  readonly perHost: number;
  readonly perAccount: number;
}

/**
 * Pictures by their address, whichever offers show them, and the queue of those that are to be fetched.
 *
 * A picture stays in the queue until everybody who waits for it was told: whoever dies in between leaves it to the next
 * holder. What a holder whose lease went to another still sends changes nothing, and tells nobody: the newer one does.
 */
export interface ImageStore {
  readImages(addresses: readonly string[]): Promise<readonly StoredImage[]>;
  /** In any order; pictures that are not tried again are left out. */
  readFailedTries(addresses: readonly string[]): Promise<readonly FailedTry[]>;
  /**
   * The offers wait for these pictures; each is queued unless it is already. `pause_ms`: somebody asks for a new look, which
   * begins now, but no sooner than so long after the end of the last one that was asked for. A look that is under way does not
   * do, since it may have seen what was there before: another one follows it.
   */
  wantImages(wants: readonly ImageUser[], pause_ms?: number): Promise<void>;
  /** Remembers that the offers are judged by these pictures, until they are erased or it is forgotten. */
  noteImageUsers(users: readonly ImageUser[]): Promise<void>;
  /** They are not judged by these pictures any more. */
  forgetImageUsers(users: readonly ImageUser[]): Promise<void>;
  /**
   * Takes those that are due longest and in nobody's hands, at most `perHost` of one host and `perAccount` of one account
   * over all processes, which give the same numbers; theirs for `lease_ms`. A host, or an account, that had as many under
   * way gets its next turn behind those that wait already. A picture is of the account that wanted it first, until one that
   * has few in the queue wants it too.
   */
  takeImages(limits: ImageLimits, lease_ms: number): Promise<readonly WantedImage[]>;
  /**
   * Counts one more look at a picture that was lost before, and has the lease begin anew. False: another has it now. Whoever
   * begins such looks one by one finds out which of those that were lost together is to blame.
   */
  beginAlone(image: WantedImage, lease_ms: number): Promise<boolean>;
  /**
   * It is to be tried again: `failedTry` is what was found, as in `FailedTry`. Without it nobody has tried, which does not
   * count against it.
   */
  delayImage(image: WantedImage, delay_ms: number, failedTry?: string): Promise<void>;
  /**
   * Stores what was found and gives the first offers that wait for it, some hundred at most; none: it is done with.
   * `isOther`: what was known of it before is not so any more, and all who are judged by it wait from now on.
   */
  storeImage(image: WantedImage, found: StoredImage, isOther?: boolean): Promise<readonly OfferReference[]>;
  /** After they were marked due: gives the next ones that wait for it, as above, for the same to be done with them. */
  forgetWaiting(image: WantedImage, offers: readonly OfferReference[]): Promise<readonly OfferReference[]>;
  /**
   * Drops what was found before that time of pictures by which no offer is judged and for which none waits, among the next
   * `limit` behind the key `after`. Gives the last key that was looked at; undefined: there are no more.
   */
  dropUnusedImages(beforeMs: number, after: Uint8Array, limit: number): Promise<Uint8Array | undefined>;
  readImageFigures(): Promise<{ readonly waiting: number; readonly oldestWait_ms: number }>;
}

/** A picture that stands for no picture, by the hash of domain or review code that compares them. */
export interface Placeholder {
  /** Hexadecimal. */
  readonly hash: string;
  readonly note: string;
}

/** What the command line corrects the catalog with, beside running servers; open-store.ts opens it. */
export type CatalogDesk = Pick<CatalogStore, 'readProducts' | 'setProduct' | 'countCatalogUsers'> & {
  close(): Promise<void>;
};

/** What the operator decides. Each change moves the set-up version and begins a sweep of all accounts. */
export interface PolicyStore {
  /** In order of kind, then of what they name. */
  listPolicies(): Promise<readonly Policy[]>;
  /**
   * Brands are told apart by brand-key.ts; the first spelling stays. A grant adds to the merchants that a restricted brand
   * is granted to already; `exists` when it adds none.
   */
  addPolicy(policy: Policy): Promise<'stored' | 'exists'>;
  /** Of a restricted brand only the grants to the merchants given, while there are such; without any, all of it. */
  removePolicy(policy: Policy): Promise<'stored' | 'unknown'>;
  /** In order of hash. */
  listPlaceholders(): Promise<readonly Placeholder[]>;
  addPlaceholder(placeholder: Placeholder): Promise<'stored' | 'exists'>;
  removePlaceholder(hash: string): Promise<'stored' | 'unknown'>;
  /**
   * Names the rules that stand in the program and its settings: those noted last are in force. Changes something only where
   * others were noted before.
   */
  noteRules(rules: string): Promise<void>;
  /** Those in force; undefined: none were noted yet. */
  readRules(): Promise<string | undefined>;
  /**
   * A process that goes by these rules lives. Says whether they are in force, and how often that was said of those that
   * are. No change of the set-up.
   */
  holdRules(rules: string): Promise<{ readonly inForce: boolean; readonly holds: number }>;
}
