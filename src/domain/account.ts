/** Defines an account: a merchant in one of its two environments, with its settings. */
import type { ServiceLevel } from './vocabulary/service-levels.ts';
import type { ReturnShippingMethod, ShippingMethod } from './vocabulary/shipping-methods.ts';

export const ENVIRONMENTS = Object.freeze(['test', 'live'] as const);
export type Environment = (typeof ENVIRONMENTS)[number];

export const RATE_KINDS = Object.freeze(['flat', 'per_pound'] as const);
/** How a node charges for shipping. Offers at a node that charges by the pound need a shipping weight. */
export type RateKind = (typeof RATE_KINDS)[number];

export interface FulfillmentNode {
  readonly id: string;
  readonly rateKind: RateKind;
  readonly methods: readonly ShippingMethod[];
  readonly levels: readonly ServiceLevel[];
}

export interface Account {
  /** Identifies the merchant and the environment. Every stored offer belongs to one account. */
  readonly accountId: number;
  readonly merchantId: string;
  readonly environment: Environment;
  readonly suspended: boolean;
  readonly nodes: ReadonlyMap<string, FulfillmentNode>;
  readonly returnLocationIds: ReadonlySet<string>;
  readonly timeToReturnDays: number;
  readonly returnShippingMethods: readonly ReturnShippingMethod[];
  /** Set if the request log keeps the bodies of failed requests. */
  readonly logsBodies?: true;
}
