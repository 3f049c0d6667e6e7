/** Defines what a storefront shows of a product and of its offers, in the spelling of the API. */
import type { Int64 } from '../int64.ts';
import type { CatalogCode } from '../review/product-code.ts';
import type { PricePolicy } from '../vocabulary/price-policies.ts';
import type { RankPart } from '../vocabulary/rank-parts.ts';

/** `offer:`, the merchant, `:` and the SKU: an offer without a valid product code is a product of its own. */
export type ProductCode = CatalogCode | `offer:${string}`;

export interface StorefrontCategory {
  readonly id: Int64;
  /** From the department down to the category; empty if the taxonomy no longer has it. */
  readonly path: readonly { readonly id: Int64; readonly name: string }[];
}

export interface StorefrontAttribute {
  readonly id: Int64;
  /** Null if the category has no such attribute. */
  readonly name: string | null;
  readonly value: string;
  readonly unit: string | null;
}

/** The group of variations, such as sizes, that a product is in. */
export interface StorefrontGroup {
  /** Equal for all products of the group. */
  readonly id: string;
  readonly title: string | null;
  /** Ids of the attributes in which the products of the group differ. */
  readonly attribute_ids: readonly Int64[];
}

/** Texts that must be shown with a product. */
export interface StorefrontNotices {
  readonly prop_65: boolean;
  readonly prop_65_reasons: string | null;
  readonly legal_disclaimer: string | null;
  readonly safety_warning: string | null;
  readonly cautionary_statements: readonly string[];
  readonly country_of_origin: string | null;
}

/** A product, as the offer that has been on sale longest describes it, and as the operator corrected it in the catalog. */
export interface StorefrontProduct {
  readonly code: ProductCode;
  /** All product codes, the one that names the product first; empty if it has none. */
  readonly codes: readonly CatalogCode[];
  readonly title: string;
  readonly brand: string;
  readonly manufacturer: string | null;
  readonly mfr_part_number: string | null;
  readonly description: string | null;
  readonly bullets: readonly string[];
  readonly category: StorefrontCategory | null;
  readonly attributes: readonly StorefrontAttribute[];
  /** URLs, the main image first. */
  readonly images: readonly string[];
  readonly group: StorefrontGroup | null;
  readonly notices: StorefrontNotices;
}

/** A way to ship; `service_level` or `shipping_method` is null if the merchant named only the other one. */
export interface StorefrontWay {
  readonly service_level: string | null;
  readonly shipping_method: string | null;
}

/** An exception at the node that the offer ships from. */
export interface StorefrontException extends StorefrontWay {
  /** `only`: the item ships only this way. `never`: it never does. `charge`: this way has a charge of its own. */
  readonly rule: 'only' | 'never' | 'charge';
  /** `total` replaces the normal charge, `surcharge` is added to it; null: the normal charge. */
  readonly charge: 'total' | 'surcharge' | null;
  readonly amount: number | null;
}

/** Who may see the price: everyone, or only a signed-in customer who asks for it (policy 102). */
export type PriceVisibility = 'public' | 'on_request';
/** Whether the marketplace may reduce the price for members: openly, only on request (policy 102), or never (policy 103). */
export type MemberSavings = 'allowed' | 'on_request' | 'never';

/** An offer as it is stored. What depends on the other offers of the product is added when it is read. */
export interface StorefrontOffer {
  readonly merchant_id: string;
  readonly merchant_name: string;
  readonly merchant_sku: string;
  /** Number of items in the offer. Only offers with the same number are compared. */
  readonly multipack_quantity: number;
  /** The price of the item at the node that it ships from. */
  readonly price: number;
  readonly price_visibility: PriceVisibility;
  /** The price to show to everyone: `price`, or under policy 102 the reference price of the merchant. */
  readonly display_price: number;
  readonly price_policy: PricePolicy;
  readonly member_savings: MemberSavings;
  /** The least that the shipping exceptions make a customer pay, without the normal charge. */
  readonly shipping_at_least: number;
  /** `price` and `shipping_at_least`. */
  readonly total: number;
  /** The stock of all nodes. */
  readonly quantity: number;
  readonly msrp: number | null;
  readonly shipping_exceptions: readonly StorefrontException[];
  /** Days after delivery in which the customer may return the item. */
  readonly return_days: number;
  readonly tax_code: string | null;
}

/** Why an offer has its rank; `best` and `only` are at rank 1. */
export type RankReason = 'only' | 'best' | 'policy_103' | RankPart | 'tie';

/** The place of an offer among the offers of the product with the same multipack quantity. */
export interface StorefrontRank {
  /** 1 is the best offer. */
  readonly rank: number;
  /** Number of offers that are compared. */
  readonly rank_of: number;
  readonly rank_reason: RankReason;
  /** The difference of the totals; null at rank 1, and if one of the prices may only be shown on request. */
  readonly above_best: number | null;
  /** For people, such as "1.20 above the best offer". */
  readonly why: string;
}

/** An offer as it is shown. */
export interface RankedOffer extends StorefrontOffer, StorefrontRank {
  /** When it last came on sale. */
  readonly on_sale_since: string;
}
