/** Computes the fingerprint of an offer from its columns, for both engines. */
import type { Fingerprint } from '../../port/files.ts';
import type { InventoryReading, NodePrice } from '../../port/offers.ts';
import { groupTag, inventoryTag, priceTag, returnsTag, textTag } from '../../port/part-tags.ts';

export type PartColumns = readonly [
  order: number,
  skuId: string,
  archived: boolean | 0 | 1,
  document: string,
  price: number | null,
  priceNodes: string | null,
  shipping: string | null,
  returns: string | null,
  refinements: string | null,
  title: string | null,
  children: string | null,
];

const NO_NODES: readonly NodePrice[] = Object.freeze([]);

/** `stock` in order of node id; its times do not count. */
export function fingerprintOf(columns: PartColumns, stock: InventoryReading['nodes']): Fingerprint {
  const [, skuId, archived, document, price, priceNodes, shipping, returns, refinements, title, children] = columns;
  const nodes = priceNodes === null || priceNodes === '[]' ? NO_NODES : JSON.parse(priceNodes);
  const group = refinements === null ? null : { refinements, title, childrenSkus: JSON.parse(children ?? '[]') };
  return {
    skuId,
    archived: Boolean(archived),
    sku: textTag(document),
    price: price === null ? null : priceTag({ price, nodes, updatedMs: 0 }),
    inventory: inventoryTag({ nodes: stock, stampMs: null }),
    variation: group === null ? null : groupTag(group),
    shippingException: shipping === null ? null : textTag(shipping),
    returnsException: returns === null ? null : returnsTag(JSON.parse(returns)),
  };
}
