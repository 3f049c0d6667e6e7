/** The price policies of `map_implementation`; 102 shows a reference price and therefore needs `map_price`. */
export const PRICE_POLICIES = Object.freeze(['101', '102', '103'] as const);

export type PricePolicy = (typeof PRICE_POLICIES)[number];

export const PRICE_POLICY_WITH_MAP_PRICE: PricePolicy = '102';

/** Spellings used before 2016. They are still accepted, and stored in the current spelling. */
export const DEPRECATED_PRICE_POLICIES = Object.freeze({
  Type0: '101',
  Type1: '101',
  Type2: '102',
  Type3: '103',
  Type4: '103',
} as const satisfies Record<string, PricePolicy>);

export type DeprecatedPricePolicy = keyof typeof DEPRECATED_PRICE_POLICIES;

export function currentPricePolicy(sent: PricePolicy | DeprecatedPricePolicy): PricePolicy {
  return sent in DEPRECATED_PRICE_POLICIES
    ? DEPRECATED_PRICE_POLICIES[sent as DeprecatedPricePolicy]
    : (sent as PricePolicy);
}
