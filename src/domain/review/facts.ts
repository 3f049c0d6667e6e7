/** In charge of what a verdict is made from: the stored offer, what is known to all, and what background work found. */
import type { Account } from '../account.ts';
import type { Int64 } from '../int64.ts';
import type { NodeAttribute } from '../taxonomy/tree.ts';
import type { Taxonomy } from '../taxonomy.ts';
import type { GroupEvidence } from '../variation-group.ts';
import type { FailedImageTry, ImageEvidence } from '../vocabulary/image-checks.ts';
import type { UploadedAttribute } from './attributes.ts';
import type { CatalogEvidence } from './catalog.ts';
import type { Policies } from './policies.ts';
import type { SentCodes } from './product-code.ts';

/** The fields of a stored SKU document that the verdict looks at; integers beyond 2^53 are read exactly. */
export interface ReviewedDocument extends SentCodes {
  readonly product_title: string;
  readonly brand: string;
  readonly multipack_quantity: number;
  readonly main_image_url: string;
  readonly alternate_images?: readonly { readonly image_slot_id: number; readonly image_url: string }[];
  readonly shipping_weight_pounds?: number;
  readonly product_type_id?: number;
  readonly marketplace_browse_node_id?: Int64;
  readonly attributes_node_specific?: readonly UploadedAttribute[];
}

/** What is stored of the offer. */
export interface OfferFacts {
  readonly document: ReviewedDocument;
  readonly archived: boolean;
  readonly priced: boolean;
  /** Nodes that the merchant has sent a quantity for, 0 included. */
  readonly stockNodeIds: readonly string[];
  /** Sent as a member of a variation group, as parent or child; the evidence says whether it is left out of it. */
  readonly inGroup: boolean;
}

/** The taxonomy with the attributes of its nodes, those of the nodes above included. It never changes: a new one does. */
export interface CategoryBook extends Taxonomy {
  attributes(id: Int64): readonly NodeAttribute[];
}

/** Nobody looks into the catalog or at images: only what the upload and the price show is reviewed, the rest is skipped. */
export interface UploadKnowledge {
  readonly review: 'off';
  readonly taxonomy: Taxonomy;
}

export interface ReviewKnowledge {
  readonly review: 'on';
  readonly taxonomy: CategoryBook;
  readonly policies: Policies;
  /** The merchant of the offer, with the nodes that it set up. */
  readonly account: Pick<Account, 'merchantId' | 'nodes'>;
  /** `off`: the operator has switched them off, and no image is pending for that. */
  readonly imageCheck: 'on' | 'off';
}

export type Knowledge = UploadKnowledge | ReviewKnowledge;

/** The verdict decides; the rest is for show, and need not be kept with every offer that shows the image. */
export type KnownImage = Pick<ImageEvidence, 'verdict'> & Partial<ImageEvidence>;

/**
 * What background work has found so far. It names what it was found for, the codes and the addresses; a code or an
 * address of the present document that it does not name is pending, and one that it names beside those is nothing to us.
 */
export interface Evidence {
  readonly catalog?: CatalogEvidence;
  /** Of an offer that is in a variation group. */
  readonly group?: GroupEvidence;
  /** By address. */
  readonly images?: Readonly<Record<string, KnownImage>>;
  /** By address: tries since then, of images that are tried again. Nothing is reviewed by them, nor are they kept with the offer. */
  readonly failedTries?: Readonly<Record<string, FailedImageTry>>;
  /** The offer is noted as one that is reviewed by these images. */
  readonly imagesNoted?: true;
}

/** Nothing was looked up yet. */
export const NO_EVIDENCE: Evidence = Object.freeze({});
