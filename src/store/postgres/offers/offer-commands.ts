/** In charge of the vocabulary of writes to offers, as they wait to be written together, and of making one. */
import type { Author } from '../../../domain/author.ts';
import type { GroupUpload, NodePrice, NodeQuantity } from '../../port/parts.ts';

/** Whom the history names, and when. */
export interface Telling {
  readonly by: Author;
  readonly atMs: number;
}

/** One command on the row of one SKU. */
export type RowWrite = Telling & RowChange;

type RowChange =
  | {
      readonly kind: 'document';
      readonly skuId: string;
      readonly document: string;
      /** Of the first of the uploads that are written as one. */
      readonly firstMs: number;
      readonly updatedMs: number;
    }
  | {
      readonly kind: 'price';
      readonly skuId: string;
      readonly price: number;
      /** JSON text of the node prices. */
      readonly nodes: string;
      readonly updatedMs: number;
    }
  | {
      readonly kind: 'inventory';
      readonly skuId: string;
      readonly nodes: ReadonlyMap<string, { readonly quantity: number; readonly updatedMs: number }>;
    }
  | { readonly kind: 'shipping'; readonly skuId: string; readonly exceptions: string | null }
  /** JSON text of the list. */
  | { readonly kind: 'returns'; readonly skuId: string; readonly locationIds: string | null }
  | { readonly kind: 'archive'; readonly skuId: string; readonly nowMs: number }
  | { readonly kind: 'unarchive'; readonly skuId: string; readonly nowMs: number };

export type RowKind = RowWrite['kind'];

/** A write of several rows, which needs a transaction of its own. */
export interface GroupWrite extends Telling {
  readonly kind: 'group';
  readonly skuId: string;
  readonly group: GroupUpload;
}

export type OfferWrite = RowWrite | GroupWrite;

type WriteOf<Kind extends RowKind> = Extract<RowWrite, { readonly kind: Kind }>;

export function documentWrite(skuId: string, document: string, told: Telling): WriteOf<'document'> {
  return { kind: 'document', skuId, document, firstMs: told.atMs, updatedMs: told.atMs, ...told };
}

export function priceWrite(
  skuId: string,
  { price, nodes }: { readonly price: number; readonly nodes: readonly NodePrice[] },
  told: Telling,
): WriteOf<'price'> {
  const nodesText = nodes.length === 0 ? '[]' : JSON.stringify(nodes);
  return { kind: 'price', skuId, price, nodes: nodesText, updatedMs: told.atMs, ...told };
}

export function inventoryWrite(
  skuId: string,
  quantities: readonly NodeQuantity[],
  told: Telling,
): WriteOf<'inventory'> {
  const nodes = new Map(
    quantities.map(({ fulfillment_node_id, quantity }) => [fulfillment_node_id, { quantity, updatedMs: told.atMs }]),
  );
  return { kind: 'inventory', skuId, nodes, ...told };
}

export function returnsWrite(skuId: string, locationIds: readonly string[] | null, told: Telling): WriteOf<'returns'> {
  return { kind: 'returns', skuId, locationIds: locationIds === null ? null : JSON.stringify(locationIds), ...told };
}
