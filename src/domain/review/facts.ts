/** Defines the input of a review: the stored offer, shared knowledge, and what background work has found. */
import type { Account } from '../account.ts';
import type { Int64 } from '../int64.ts';
import type { GroupEvidence } from '../offers/variation-group.ts';
import type { NodeAttribute, Taxonomy } from '../taxonomy/tree.ts';
import type { FailedImageTry, ImageEvidence } from '../vocabulary/image-failures.ts';
import type { ProductDataField } from '../vocabulary/product-data.ts';
import type { CatalogEvidence } from './catalog.ts';
import type { UploadedAttribute } from './checks/attributes.ts';
import type { Policies } from './policies.ts';
import type { SentCodes } from './product-code.ts';

/** The fields of a stored SKU document that the review reads. Integers beyond 2^53 are exact. */
export interface ReviewedDocument extends SentCodes {
  readonly product_title: string;
  readonly brand: string;
  readonly multipack_quantity: number;
  readonly main_image_url: string;
  readonly alternate_images?: readonly { readonly image_slot_id: number; readonly image_url: string }[];
  readonly swatch_image_url?: string | number | bigint | boolean;
  readonly shipping_weight_pounds?: number;
  readonly package_length_inches?: number;
  readonly package_width_inches?: number;
  readonly package_height_inches?: number;
  readonly manufacturer?: string;
  readonly product_description?: string;
  readonly mfr_part_number?: string;
  readonly bullets?: readonly string[];
  readonly product_type_id?: number;
  readonly marketplace_browse_node_id?: Int64;
  readonly attributes_node_specific?: readonly UploadedAttribute[];
  readonly external_item_type_keyword?: string;
  readonly category_path?: string;
}

/** The stored data of an offer. */
export interface OfferFacts {
  readonly document: ReviewedDocument;
  readonly archived: boolean;
  readonly priced: boolean;
  /** Nodes for which the merchant has sent a quantity, including 0. */
  readonly stockNodeIds: readonly string[];
  /** Whether the SKU is in a variation group, as parent or child. The evidence says whether it is excluded. */
  readonly inGroup: boolean;
}

/** The taxonomy with the attributes of its nodes, including inherited ones. It is immutable: a new one replaces it. */
export interface CategoryBook extends Taxonomy {
  attributes(id: Int64): readonly NodeAttribute[];
}

/** Used when the review is off: only checks of the upload and the price run. All others are skipped. */
export interface UploadKnowledge {
  readonly review: 'off';
  readonly taxonomy: Taxonomy;
}

export interface ReviewKnowledge {
  readonly review: 'on';
  readonly taxonomy: CategoryBook;
  readonly policies: Policies;
  /** The merchant of the offer, with its fulfillment nodes. */
  readonly account: Pick<Account, 'merchantId' | 'nodes'>;
  /** `off`: the operator has switched off image checks, so no image is pending. */
  readonly imageCheck: 'on' | 'off';
  /** The data that a product needs if the catalog does not know it, in categories without such a rule of their own. */
  readonly newProductData: readonly ProductDataField[];
}

export type Knowledge = UploadKnowledge | ReviewKnowledge;

/** The review uses only the verdict. The rest is for display, and is not stored with each offer that uses the image. */
export type KnownImage = Pick<ImageEvidence, 'verdict'> & Partial<ImageEvidence>;

/**
 * The results of background work so far, by product code and by image URL. If a code or URL of the document is missing
 * here, it is pending. Entries that are no longer in the document are ignored.
 */
export interface Evidence {
  readonly catalog?: CatalogEvidence;
  /** Set only for an offer in a variation group. */
  readonly group?: GroupEvidence;
  /** Images by URL. */
  readonly images?: Readonly<Record<string, KnownImage>>;
  /** Failed attempts of images that are being retried, by URL. For display only; not stored with the offer. */
  readonly failedTries?: Readonly<Record<string, FailedImageTry>>;
  /** The offer is registered as a user of these images. */
  readonly imagesNoted?: true;
}

/** Evidence before any lookup. */
export const NO_EVIDENCE: Evidence = Object.freeze({});
