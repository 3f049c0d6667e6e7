/**
 * Ports of what an operator sets up: account settings (merchants, credentials, fulfillment nodes, return locations and signing
 * keys), the taxonomy, and review policies with the rules in force.
 */
import type { Account, Environment, FulfillmentNode } from '../../domain/account.ts';
import type { Policy } from '../../domain/review/policies.ts';
import type { ReturnShippingMethod } from '../../domain/vocabulary/shipping-methods.ts';

export interface NewCredential {
  readonly user: string;
  readonly salt: Uint8Array;
  readonly secretHash: Uint8Array;
}

export interface Credential extends NewCredential {
  /** Never used again for another credential set, so that a token can name it. */
  readonly credentialId: number;
  readonly accountId: number;
  readonly createdMs: number;
  /** Set when it was replaced with an overlap; it stops working then. */
  readonly endsMs: number | null;
  /** To the minute, some seconds late; null where it was not used yet. */
  readonly lastUsedMs: number | null;
}

export interface Merchant {
  readonly merchantId: string;
  readonly name: string;
  readonly createdMs: number;
  readonly suspended: boolean;
  /** Null where it is whole. */
  readonly unfinished: Unfinished | null;
  /** The account of each environment. */
  readonly accounts: Readonly<Record<Environment, number>>;
}

/** How products of a merchant come back. */
export interface Returns {
  readonly timeToReturnDays: number;
  readonly returnShippingMethods: readonly ReturnShippingMethod[];
}

export interface NewMerchant extends Returns {
  readonly merchantId: string;
  readonly name: string;
  readonly credentials: Readonly<Record<Environment, NewCredential>>;
}

export interface SigningKey {
  readonly keyId: string;
  readonly secret: Uint8Array;
  readonly createdMs: number;
  /** Set once it was replaced: until then it still verifies. */
  readonly endsMs: number | null;
}

/** Merchants, their keys and their setup. Small data, changed by people; a server follows it by `setupVersion`. */
export interface SettingsStore {
  /** Grows with every change below, whichever process made it. */
  readSetupVersion(): Promise<number>;

  /** `exists`: a merchant of that id, or a user of one of those names. */
  addMerchant(merchant: NewMerchant, nowMs: number): Promise<'stored' | 'exists'>;
  /** In order of merchant id. */
  listMerchants(): Promise<readonly Merchant[]>;
  readMerchant(merchantId: string): Promise<Merchant | undefined>;
  /**
   * A merchant that is let in is not removed: a removal that has erased nothing yet is over. `unfinished`: half of it is not
   * here, so that it cannot be let in.
   */
  setSuspended(merchantId: string, suspended: boolean): Promise<'stored' | 'unknown' | 'unfinished'>;
  /** How its products come back, in both environments. */
  setReturns(merchantId: string, returns: Returns): Promise<'stored' | 'unknown'>;
  readAccount(accountId: number): Promise<Account | undefined>;

  readCredentialOfUser(user: string): Promise<Credential | undefined>;
  readCredential(credentialId: number): Promise<Credential | undefined>;
  /** Those that still work at `nowMs`, in the order in which they were made. */
  listCredentials(accountId: number, nowMs: number): Promise<readonly Credential[]>;
  /**
   * The sets in use now are replaced: they end at `overlapEndsMs`, or at once when that is not after `nowMs`. One that
   * was to end earlier still does; one that has ended is no longer there to be read.
   */
  rollCredential(accountId: number, next: NewCredential, nowMs: number, overlapEndsMs: number): Promise<void>;

  /** Adds the node or replaces its setup. */
  putNode(accountId: number, node: FulfillmentNode): Promise<void>;
  addReturnLocation(accountId: number, locationId: string): Promise<'stored' | 'exists'>;

  /** Newest first. */
  listSigningKeys(): Promise<readonly SigningKey[]>;
  /**
   * Replaces the keys in use, which go on verifying until `previousEndMs`, or until the end they already had where that
   * is earlier; keys past their end are dropped.
   */
  addSigningKey(key: { keyId: string; secret: Uint8Array }, nowMs: number, previousEndMs: number): Promise<void>;
  /** Adds the key unless there is one: processes that start together end with the same one. */
  addFirstSigningKey(key: { keyId: string; secret: Uint8Array }, nowMs: number): Promise<void>;

  /** Drops links, credential sets and signing keys whose end is not after `nowMs`. None of them works any more. */
  dropEnded(nowMs: number): Promise<DroppedSetup>;
}

/** How many of each were dropped because their time was over. */
export interface DroppedSetup {
  readonly links: number;
  readonly credentials: number;
  readonly signingKeys: number;
}

/** What was begun with a merchant and has not ended: it is half moved in, or half erased. */
export type Unfinished = 'import' | 'removal';

export interface TaxonomyHead {
  /** Tells it from every other taxonomy. */
  readonly tag: string;
  /** Where it came from, for people. */
  readonly source: string;
  readonly nodes: number;
  readonly importedMs: number;
}

export interface StoredTaxonomy extends TaxonomyHead {
  /** Lines of domain/taxonomy/entries.ts, parents before their children, in parts of which each is read at once. */
  readonly parts: readonly string[];
}

/** It comes, goes and is replaced as a whole. Each change moves the setup version. */
export interface TaxonomyStore {
  /** Undefined while there is none, and the starter taxonomy is in force. */
  readTaxonomyHead(): Promise<TaxonomyHead | undefined>;
  readTaxonomy(): Promise<StoredTaxonomy | undefined>;
  /** Replaces the one that there is. */
  putTaxonomy(taxonomy: StoredTaxonomy): Promise<void>;
  /** `unset`: there was none. */
  dropTaxonomy(): Promise<'stored' | 'unset'>;
  /** Reviewed offers of all accounts by the id of their category; offers without one are not counted. */
  countOffersByCategory(): Promise<readonly (readonly [categoryId: string, offers: number])[]>;
}

/** An image that stands for no image, by the hash of domain or review code that compares them. */
export interface Placeholder {
  /** Hexadecimal. */
  readonly hash: string;
  readonly note: string;
}

/** What the operator decides. Each change moves the setup version and begins a sweep of all accounts. */
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
   * are. No change of the setup.
   */
  holdRules(rules: string): Promise<{ readonly inForce: boolean; readonly holds: number }>;
}
