/** Defines the scopes of API keys: what a key may do. Each scope is a bit, so that one bit test checks a request. */
import { type Problem, requestProblem } from '../problem.ts';

const MERCHANT_SCOPE = Object.freeze({ read: 1, listing: 2, price: 4, stock: 8, files: 16, webhooks: 32 });

const MARKETPLACE_SCOPE = Object.freeze({ storefront: 64, operate: 128 });

export const SCOPE = Object.freeze({ ...MERCHANT_SCOPE, ...MARKETPLACE_SCOPE });

export type MerchantScope = keyof typeof MERCHANT_SCOPE;

export type MarketplaceScope = keyof typeof MARKETPLACE_SCOPE;

export type Scope = keyof typeof SCOPE;

export const MERCHANT_SCOPES = Object.freeze(Object.keys(MERCHANT_SCOPE) as MerchantScope[]);

export const MARKETPLACE_SCOPES = Object.freeze(Object.keys(MARKETPLACE_SCOPE) as MarketplaceScope[]);

/** No key has scopes of both kinds. */
export const SCOPES: readonly Scope[] = Object.freeze([...MERCHANT_SCOPES, ...MARKETPLACE_SCOPES]);

/** What a key with the scope may do, for help texts. */
export const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  read: 'read offers, reviews, history, events, account settings and the taxonomy, and request reports',
  listing: 'upload, group, archive and re-check SKUs, and set exceptions',
  price: 'set prices',
  stock: 'set quantities',
  files: 'send, read and cancel bulk files of every type, which can change all parts of all offers',
  webhooks: 'read, add, change and remove webhooks',
  storefront: 'read the live offers of all merchants, and the categories',
  operate: 'make the calls of the marketplace operator',
};

/** A set of scopes: the sum of their bits. */
export type ScopeSet = number;

export const NO_SCOPE: ScopeSet = 0;

/** What a key may do. */
export interface KeyRights {
  readonly scopes: ScopeSet;
  /** The key can only use SKU ids that begin with this text; '' allows all. */
  readonly skuPrefix: string;
  /** Guard rails for plans. Without any, the key needs no approval. */
  readonly planLimits?: PlanLimits | null;
}

/** Beyond these, a person must approve a plan. Null: no limit. */
export interface PlanLimits {
  readonly offersMax: number | null;
  readonly percentMax: number | null;
  /** Hours of the day in UTC, such as `08-18`. */
  readonly hours: string | null;
}

/** All rights of a merchant's key. */
export const ALL_RIGHTS: KeyRights = Object.freeze({ scopes: scopeSet(MERCHANT_SCOPES), skuPrefix: '' });

/** Ignores names that are not scopes, so that a key never has more rights than it was given. */
export function scopeSet(names: readonly string[]): ScopeSet {
  return SCOPES.reduce((set, scope) => (names.includes(scope) ? set | SCOPE[scope] : set), NO_SCOPE);
}

export function scopesIn(set: ScopeSet): readonly Scope[] {
  return SCOPES.filter((scope) => (set & SCOPE[scope]) !== 0);
}

/** Returns the scopes that a key lacks for a call. */
export function missingScopes({ scopes }: KeyRights, needs: ScopeSet): readonly Scope[] {
  return scopesIn(needs & ~scopes);
}

export function scopeMissing(missing: readonly Scope[]): Problem {
  const scopes = `${missing.length === 1 ? 'scope' : 'scopes'} ${missing.join(', ').replace(/, (\w+)$/, ' and $1')}`;
  const text = `This call needs the ${scopes}, which the API key does not have.`;
  return requestProblem('scope_missing', text);
}
