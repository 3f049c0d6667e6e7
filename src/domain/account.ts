/** Defines merchants, their credentials, and accounts: a merchant in one of its two environments, with its settings. */
import type { KeyRights } from './setup/key-scopes.ts';
import type { ServiceLevel } from './vocabulary/service-levels.ts';
import type { ReturnShippingMethod, ShippingMethod } from './vocabulary/shipping-methods.ts';

export const ENVIRONMENTS = Object.freeze(['test', 'live'] as const);
export type Environment = (typeof ENVIRONMENTS)[number];

export const RATE_KINDS = Object.freeze(['flat', 'per_pound'] as const);
/** How a node charges for shipping. Offers that must ship from nodes that charge by the pound need a shipping weight. */
export type RateKind = (typeof RATE_KINDS)[number];

export interface FulfillmentNode {
  readonly id: string;
  readonly rateKind: RateKind;
  readonly methods: readonly ShippingMethod[];
  readonly levels: readonly ServiceLevel[];
}

/** How buyers return products of a merchant. */
export interface Returns {
  readonly timeToReturnDays: number;
  readonly returnShippingMethods: readonly ReturnShippingMethod[];
}

export interface Account extends Returns {
  /** Identifies the merchant and the environment. Every stored offer belongs to one account. */
  readonly accountId: number;
  /** Empty for the account of the marketplace, which has API keys and no offers. */
  readonly merchantId: string;
  readonly environment: Environment;
  readonly suspended: boolean;
  readonly nodes: ReadonlyMap<string, FulfillmentNode>;
  readonly returnLocationIds: ReadonlySet<string>;
  /** Set if the request log keeps the bodies of failed requests. */
  readonly logsBodies?: true;
}

export function isMarketplace({ merchantId }: Pick<Account, 'merchantId'>): boolean {
  return merchantId === '';
}

export type Unfinished = 'import' | 'removal';

export interface Merchant extends Returns {
  readonly merchantId: string;
  readonly name: string;
  readonly createdMs: number;
  readonly suspended: boolean;
  /** An import or removal that has not finished. */
  readonly unfinished: Unfinished | null;
  readonly accounts: Readonly<Record<Environment, number>>;
}

export interface NewMerchant extends Returns, Pick<Merchant, 'merchantId' | 'name'> {
  readonly credentials: Readonly<Record<Environment, NewCredential>>;
}

export interface NewCredential {
  readonly user: string;
  readonly salt: Uint8Array;
  readonly secretHash: Uint8Array;
}

export interface Credential extends NewCredential, KeyRights {
  /** Never reused, because tokens name it. */
  readonly credentialId: number;
  readonly accountId: number;
  /** A display name; '' if it has none. */
  readonly name: string;
  readonly createdMs: number;
  /** When a rolled set stops working; null until it is rolled. */
  readonly endsMs: number | null;
  /** Accurate to the minute, and updated a few seconds late; null: never used. */
  readonly lastUsedMs: number | null;
}
