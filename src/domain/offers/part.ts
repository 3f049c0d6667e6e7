/** Defines the parts of an offer: how a write changes them, and what is stored. */

export interface NodePrice {
  readonly fulfillment_node_id: string;
  readonly fulfillment_node_price: number;
}

export interface NodeQuantity {
  readonly fulfillment_node_id: string;
  readonly quantity: number;
}

export interface GroupUpload {
  /** JSON text of the list of attribute ids. */
  readonly refinements: string;
  readonly title: string | null;
  /** In the order sent, without the parent and without duplicates. */
  readonly childrenSkus: readonly string[];
}

/** A write of one part of an offer. */
export type PartWrite = { readonly skuId: string } & (
  | { readonly kind: 'sku'; readonly document: string }
  /** Replaces the price with its node prices. */
  | { readonly kind: 'price'; readonly price: number; readonly nodes: readonly NodePrice[] }
  /** Changes only the given nodes; each node at most once. */
  | { readonly kind: 'inventory'; readonly quantities: readonly NodeQuantity[] }
  /** JSON text of the list of nodes; null removes all exceptions. */
  | { readonly kind: 'shipping_exception'; readonly exceptions: string | null }
  /** Null removes all exceptions. */
  | { readonly kind: 'returns_exception'; readonly locationIds: readonly string[] | null }
  /** A change to the flag also sets the quantity of every node to zero, with a new time. */
  | { readonly kind: 'archive'; readonly archived: boolean }
  /** Replaces the group of this parent. Members leave their former group, and a member's own group ends. */
  | { readonly kind: 'variation'; readonly group: GroupUpload }
);

/** `unknown` and `archived`: nothing was changed. */
export type WriteOutcome = 'stored' | 'unknown' | 'archived';

export type GroupOutcome =
  | WriteOutcome
  /** These children cannot be in a group; nothing was changed. */
  | { readonly refused: readonly { readonly skuId: string; readonly state: 'unknown' | 'archived' }[] };

export interface StoredPrice {
  readonly price: number;
  readonly nodes: readonly NodePrice[];
  readonly updatedMs: number;
}

export interface StoredInventory {
  /** In order of node id, by code point. */
  readonly nodes: readonly (NodeQuantity & { readonly updatedMs: number })[];
  /** When all stock was last set to zero, or if it never was, when the SKU was first uploaded. */
  readonly stampMs: number;
}

export interface InventoryReading {
  readonly nodes: StoredInventory['nodes'];
  /** Null if there are nodes: each node has its own time, and reading this field would cost a lookup. */
  readonly stampMs: number | null;
}

/** The data that a SKU read returns. */
export interface ShownOffer {
  /** JSON text of the uploaded fields. */
  readonly document: string;
  /** `textTag` of the document, stored because hashing takes a tenth of a read. */
  readonly documentTag: string;
  readonly archived: boolean;
  /** JSON text of the list of nodes with their exceptions. */
  readonly shippingExceptions: string | null;
  readonly returnLocationIds: readonly string[] | null;
  /** The group in which this SKU is the parent. */
  readonly group: GroupUpload | null;
}
