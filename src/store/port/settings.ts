/** Ports for the operator's settings: account settings and signing keys, the taxonomy, and review policies. */
import type {
  Account,
  Credential,
  Environment,
  FulfillmentNode,
  Merchant,
  NewCredential,
  NewMerchant,
  Returns,
} from '../../domain/account.ts';
import type { Precondition } from '../../domain/precondition.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { Policy } from '../../domain/review/policies.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { FailingCount } from '../../domain/review/reminders.ts';
import type { KeyRights } from '../../domain/setup/key-scopes.ts';
import type { MarkSample } from '../../domain/vocabulary/image-failures.ts';
import type { Act } from './people.ts';

export interface SigningKey {
  readonly keyId: string;
  readonly secret: Uint8Array;
  readonly createdMs: number;
  /** When a replaced key stops verifying signatures; null until it is replaced. */
  readonly endsMs: number | null;
}

/** Merchants, their keys and account settings, and the keys of the marketplace. Servers cache them and follow changes by the settings version. */
export interface SettingsStore {
  /** Returns the settings version. Every change below, by any process, raises it. */
  readSetupVersion(): Promise<number>;

  /** `exists`: the merchant id or a user name is taken. */
  addMerchant(merchant: NewMerchant, nowMs: number): Promise<'stored' | 'exists'>;
  /** Lists merchants in order of id. */
  listMerchants(): Promise<readonly Merchant[]>;
  readMerchant(merchantId: string): Promise<Merchant | undefined>;
  /** Lifting a suspension ends a removal that has erased nothing yet. `unfinished`: an import or removal is in progress. */
  setSuspended(merchantId: string, suspended: boolean): Promise<'stored' | 'unknown' | 'unfinished'>;
  /** Applies to both environments. The precondition applies to the return settings; `currentTag`: it does not match the stored settings. */
  changeMerchant(
    merchantId: string,
    change: Partial<Returns> | { readonly name: string },
    precondition?: Precondition,
  ): Promise<'stored' | 'unknown' | { readonly currentTag: string }>;
  /** What operators noted about the merchant; empty at first, undefined if the merchant is unknown. */
  readMerchantNote(merchantId: string): Promise<string | undefined>;
  /** `currentTag`: the precondition does not hold. */
  setMerchantNote(
    merchantId: string,
    note: string,
    precondition?: Precondition,
  ): Promise<'stored' | 'unknown' | { readonly currentTag: string }>;
  readAccount(accountId: number): Promise<Account | undefined>;
  /** Returns the id of the account of the marketplace; undefined before it has keys. */
  readMarketplaceAccount(environment: Environment): Promise<number | undefined>;
  /** Adds the account unless it exists, and returns its id. */
  addMarketplaceAccount(environment: Environment): Promise<number>;
  /** Sets whether the request log keeps the bodies of failed requests. */
  setLogsBodies(accountId: number, logsBodies: boolean): Promise<'stored' | 'unknown'>;

  readCredentialOfUser(user: string): Promise<Credential | undefined>;
  readCredential(credentialId: number): Promise<Credential | undefined>;
  /** Lists sets that are valid at `nowMs`, in order of creation. */
  listCredentials(accountId: number, nowMs: number): Promise<readonly Credential[]>;
  /**
   * Replaces the user's set with a set of the same name and rights, or all sets of the account with one that has all rights. Replaced sets
   * expire at `overlapEndsMs`; expired sets are dropped. When all sets are replaced, sets that were rolled before keep their expiry, unless
   * all expire now. `ending`: the user's set was already rolled. `full`: the overlap would exceed the number of replaced sets that may still
   * work.
   */
  rollCredential(
    accountId: number,
    user: string | null,
    next: NewCredential,
    nowMs: number,
    overlapEndsMs: number,
  ): Promise<'stored' | 'ending' | 'unknown' | 'full'>;
  /** Adds a set; the others stay. `full`: `sets_max` are valid at `nowMs`. */
  addCredential(
    accountId: number,
    next: NewCredential & KeyRights & { readonly name: string },
    nowMs: number,
    sets_max: number,
  ): Promise<'stored' | 'full'>;
  revokeCredential(accountId: number, user: string): Promise<'stored' | 'unknown'>;

  /** Adds the node or replaces its settings. `currentTag`: the precondition does not hold; null if there is no such node. */
  putNode(
    accountId: number,
    node: FulfillmentNode,
    precondition?: Precondition,
  ): Promise<'stored' | { readonly currentTag: string | null }>;
  addReturnLocation(accountId: number, locationId: string): Promise<'stored' | 'exists'>;
  /** Removes the place whether or not offers use it. */
  removePlace(accountId: number, kind: PlaceKind, id: string): Promise<'stored' | 'unknown'>;
  /**
   * Finds the offers that use a place. For a node, these have stock, a price or shipping exceptions there; for a return location, their
   * returns exception names it. Reads all offers of the account. Returns the first `OFFERS_NAMED_MAX`, in order of upload.
   */
  findOffersOfPlace(
    accountId: number,
    kind: PlaceKind,
    id: string,
  ): Promise<{ readonly count: number; readonly skuIds: readonly string[] }>;

  /** Lists keys, newest first. */
  listSigningKeys(): Promise<readonly SigningKey[]>;
  /** Adds a key that replaces the current ones, which verify signatures until `previousEndMs` or an earlier end. Drops expired keys. */
  addSigningKey(key: { keyId: string; secret: Uint8Array }, nowMs: number, previousEndMs: number): Promise<void>;
  /** Adds the key if there is none, so that processes that start together share one key. */
  addFirstSigningKey(key: { keyId: string; secret: Uint8Array }, nowMs: number): Promise<void>;

  /** Drops links, credential sets and signing keys that have expired at `nowMs`. Returns how many. */
  dropEnded(nowMs: number): Promise<number>;
}

export type PlaceKind = 'node' | 'return_location';

export const OFFERS_NAMED_MAX = 5;

export interface TaxonomyHead {
  /** Unique per taxonomy. */
  readonly tag: string;
  /** The origin of the taxonomy, for people to read. */
  readonly source: string;
  readonly nodes: number;
  readonly importedMs: number;
}

export interface StoredTaxonomy extends TaxonomyHead {
  /** Lines of domain/taxonomy/entries.ts, parents before children, in parts that are parsed one by one. */
  readonly parts: readonly string[];
}

/** What a rule change does to offers, in both environments. */
export interface Impact {
  /** Offers that change their status. */
  readonly offers: number;
  /** How many of these offers are live. Undefined in impacts that earlier versions stored. */
  readonly live?: number;
  /** Number of merchants of these offers. For an estimate, only merchants in the sample count. */
  readonly merchants: number;
  /** Number of live offers that are for sale before the change and not after it. */
  readonly offSale: number;
  /** False if the figures are estimated from a sample. */
  readonly isExact: boolean;
  /** For a change of the order of offers: products with another best offer. Then `offers` counts the offers with another rank. */
  readonly products?: number;
  /** Number of offers that were reviewed under both sets of rules. */
  readonly examined: number;
}

/** Describes a change to a review rule. A change with a note is recorded with the old value, and can be undone. */
export interface ChangeNote extends Omit<Act, 'detail'> {
  /** Null: not estimated. */
  readonly impact: Impact | null;
  /** When the change applies. Undefined: at once. With a date, the change is announced, whatever the rules are today. */
  readonly enforcedFromMs?: number;
}

/** `applied`: its date came. `cancelled`: an operator cancelled it, or announced another change in its place. */
export type AnnouncedState = 'announced' | 'applied' | 'cancelled';

/** A rule change that applies at a date. */
export interface AnnouncedChange extends Omit<ChangeNote, 'enforcedFromMs'> {
  readonly announcedId: number;
  readonly enforcedFromMs: number;
  readonly state: AnnouncedState;
  /** When it was applied or cancelled; null while it is announced. */
  readonly settledMs: number | null;
  /** Who cancelled it; null if it was not cancelled. */
  readonly settledBy: string | null;
  /** What changes, for merchants: names no other merchant. */
  readonly rule: string;
  /** Days of the last reminder (see domain/review/reminders.ts). */
  readonly remindedDays: number;
  /** Live offers that would fail, once a day, oldest first. */
  readonly failing: readonly FailingCount[];
  /** Whether it is settled and the offers that would have failed are forgotten. */
  readonly cleared: boolean;
  /** Whether it was cancelled, and `announceAgain` has what it needs. */
  readonly isRestorable: boolean;
}

/** What an announced change does: a command of the store, and what it is given. */
export type RuleEdit =
  | { readonly edit: 'addPolicy' | 'removePolicy'; readonly body: Policy }
  | { readonly edit: 'addPlaceholder'; readonly body: Placeholder }
  | { readonly edit: 'removePlaceholder'; readonly body: string }
  | { readonly edit: 'putTaxonomy'; readonly body: StoredTaxonomy }
  | { readonly edit: 'dropTaxonomy'; readonly body: null };

export interface RuleChange extends ChangeNote {
  /** Higher for later changes. */
  readonly changeId: number;
  readonly undoneMs: number | null;
}

/** Identifies the changed rule among the rules of its kind, as in `ReplacedRule`. */
export interface KeyOfRule {
  readonly key: readonly string[];
}

/** The rule that an undo restores; null: there was none. */
export type ReplacedRule =
  | {
      readonly rule: 'policy';
      readonly key: readonly [kind: Policy['kind'], key: string];
      readonly value: Policy | null;
    }
  | { readonly rule: 'placeholder'; readonly key: readonly [hash: string]; readonly value: Placeholder | null }
  | { readonly rule: 'taxonomy'; readonly key: readonly []; readonly value: StoredTaxonomy | null }
  | {
      readonly rule: 'product';
      readonly key: readonly [Environment, CatalogCode];
      readonly value: KnownProduct | null;
    };

/** The operator's taxonomy. Each change raises the settings version. */
export interface TaxonomyStore {
  /** Returns undefined while the starter taxonomy is used. */
  readTaxonomyHead(): Promise<TaxonomyHead | undefined>;
  readTaxonomy(): Promise<StoredTaxonomy | undefined>;
  putTaxonomy(taxonomy: StoredTaxonomy, note?: ChangeNote): Promise<void>;
  /** `unset`: there was no taxonomy to drop. */
  dropTaxonomy(note?: ChangeNote): Promise<'stored' | 'unset'>;
  /** Counts the reviewed offers of all accounts by category id. Offers without a category are not counted. */
  countOffersByCategory(): Promise<readonly (readonly [categoryId: string, offers: number])[]>;
}

/** An image such as "no photo", identified by its perceptual hash, or a logo or watermark. */
export interface Placeholder {
  /** The hash in hexadecimal. */
  readonly hash: string;
  readonly note: string;
  /** Null for a placeholder. A logo or watermark is identified by the hash of its sample. */
  readonly sample: MarkSample | null;
}

/** The operator's policies. Each change raises the settings version and begins a sweep of all accounts. */
export interface PolicyStore {
  /** Lists policies in order of kind, then of name. */
  listPolicies(): Promise<readonly Policy[]>;
  /**
   * Spellings with the same key (see brand-key.ts) are one brand, which keeps its first spelling. A grant adds merchants to a restricted
   * brand; `exists`: it adds no merchant.
   */
  addPolicy(policy: Policy, note?: ChangeNote): Promise<'stored' | 'exists'>;
  /** Removes the given grants of a restricted brand, or the whole restriction if no grants are given. */
  removePolicy(policy: Policy, note?: ChangeNote): Promise<'stored' | 'unknown'>;
  /** Lists placeholders in order of hash. */
  listPlaceholders(): Promise<readonly Placeholder[]>;
  addPlaceholder(placeholder: Placeholder, note?: ChangeNote): Promise<'stored' | 'exists'>;
  removePlaceholder(hash: string, note?: ChangeNote): Promise<'stored' | 'unknown'>;

  /** Lists recorded changes to policies, placeholders, taxonomy and catalog products, newest first. */
  listRuleChanges(limit: number): Promise<readonly (RuleChange & KeyOfRule)[]>;
  /** Returns undefined if there is no such change. */
  readRuleChange(changeId: number): Promise<(RuleChange & { readonly replaced: ReplacedRule }) | undefined>;
  /** Restores the rule before the change, by another change. `undone`: it already was. `overtaken`: the rule was changed since. */
  undoRuleChange(changeId: number, note: ChangeNote): Promise<'stored' | 'unknown' | 'undone' | 'overtaken'>;
  /** Drops some changes. Returns whether more may be left. */
  dropRuleChangesBefore(timeMs: number): Promise<boolean>;
  /** Lists announced changes in order of their dates, then the others, newest first. */
  listAnnouncedChanges(limit: number): Promise<readonly AnnouncedChange[]>;
  /** Never changes. Returns undefined if the change is no longer announced. */
  readRuleEdit(announcedId: number): Promise<RuleEdit | undefined>;
  /** Notes that `clearUpcoming` has ended for all accounts. */
  noteCleared(announcedId: number): Promise<void>;
  /** `settled`: it is no longer announced. */
  moveAnnouncedChange(
    announcedId: number,
    enforcedFromMs: number,
    nowMs: number,
  ): Promise<'stored' | 'unknown' | 'settled'>;
  cancelAnnouncedChange(announcedId: number, nowMs: number, by: string): Promise<'stored' | 'unknown' | 'settled'>;
  /**
   * Announces a cancelled change again, with its date. `settled`: it is not cancelled, or the same change was announced since. `late`: its
   * date has passed or is too near. `full`: no more changes may be announced.
   */
  announceAgain(announcedId: number, nowMs: number): Promise<'stored' | 'unknown' | 'settled' | 'late' | 'full'>;
  /** Adds an event to each account with offers that would fail, unless a reminder with as few days was sent. */
  remindOfChange(announcedId: number, days: number, nowMs: number): Promise<void>;
  /** Notes how many offers would fail under each announced change, unless it was counted that day. */
  noteFailing(offers: ReadonlyMap<number, number>, nowMs: number): Promise<void>;
  /**
   * Applies the earliest announced change whose date has come, as the call without a date would, in one transaction: several processes
   * apply it once. A change that would do nothing any more is applied without effect. Returns false if no date has come.
   */
  applyAnnouncedChange(nowMs: number): Promise<boolean>;
  /** Drops some changes that were applied or cancelled before. Returns whether more may be left. */
  dropAnnouncedChangesBefore(timeMs: number): Promise<boolean>;
  /** Records the rules of this program and its settings, and makes them active. Changes nothing if they already are. */
  noteRules(rules: string): Promise<void>;
  /** Returns the active rules; undefined before the first. */
  readRules(): Promise<string | undefined>;
  /**
   * Reports that a process with these rules is alive. Returns whether the rules are active, and how many such reports the active rules have
   * received. Does not raise the settings version.
   */
  holdRules(rules: string): Promise<{ readonly isActive: boolean; readonly holds: number }>;
}
