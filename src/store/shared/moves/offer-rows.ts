/** Converts columns to whole offers for both engines, and numbers the parts of imported offers. */
import type { CopiedOffer } from '../../port/copy.ts';
import type { OfferRecord } from '../../port/moves.ts';
import type { NewOffer } from './engine.ts';

/** Parts that were never written have number 0 or null. */
export type OfferRow = readonly [
  order: number,
  skuId: string,
  archived: boolean | 0 | 1,
  firstUploadMs: number,
  stampMs: number,
  document: string,
  documentUpdatedMs: number,
  ...price: readonly [price: number, nodes: string, updatedMs: number] | readonly [null, null, null],
  nodes: string | null,
  shippingExceptions: string | null,
  returnLocationIds: string | null,
  parentSkuId: string | null,
  parentOrder: number | null,
  position: number | null,
  refinements: string | null,
  title: string | null,
  documentNumber: number,
  priceNumber: number | null,
  archiveNumber: number | null,
  shippingNumber: number | null,
  returnsNumber: number | null,
  groupNumber: number | null,
  zeroedNumber: number,
];

/** In order of node id, by code point. */
export type NodeEntry = readonly [nodeId: string, quantity: number, updatedMs: number, number: number];

/** `nodesOf` parses the stock column, if it is not null. */
export function offerOf(
  row: OfferRow,
  nodesOf: (text: string, stampMs: number, zeroedNumber: number) => readonly NodeEntry[],
): CopiedOffer {
  const [order, skuId, archived, firstUploadMs, stampMs, document, documentUpdatedMs, price, priceNodes, priceMs] = row;
  const [nodes, shippingExceptions, returnLocationIds] = [row[10], row[11], row[12]];
  const [parentSkuId, parentOrder, position, refinements, title] = [row[13], row[14], row[15], row[16], row[17]];
  const isMember = parentSkuId !== null && parentOrder !== null && position !== null;
  const entries = nodes === null ? [] : nodesOf(nodes, stampMs, row[24]);
  return {
    order,
    record: {
      skuId,
      archived: Boolean(archived),
      firstUploadMs,
      document,
      documentUpdatedMs,
      price: price === null ? null : { price, nodes: JSON.parse(priceNodes ?? '[]'), updatedMs: priceMs ?? 0 },
      inventory: {
        stampMs,
        nodes: entries.map(([nodeId, quantity, updatedMs]) => ({ fulfillment_node_id: nodeId, quantity, updatedMs })),
      },
      shippingExceptions,
      returnLocationIds: returnLocationIds === null ? null : JSON.parse(returnLocationIds),
    },
    membership: isMember ? { parentSkuId, parentOrder, position, refinements, title } : null,
    numbers: {
      document: row[18],
      price: row[19] ?? 0,
      archived: row[20] ?? 0,
      shippingExceptions: row[21] ?? 0,
      returnLocations: row[22] ?? 0,
      group: row[23] ?? 0,
      inventory: row[24],
      nodes: entries.map(([, , , number]) => number),
    },
  };
}

export function nodeEntriesOf({ record, numbers }: Pick<CopiedOffer, 'record' | 'numbers'>): NodeEntry[] {
  return record.inventory.nodes.map(({ fulfillment_node_id, quantity, updatedMs }, place) => {
    return [fulfillment_node_id, quantity, updatedMs, numbers.nodes[place] ?? 0];
  });
}

/** Each part gets the number of the import, because numbers of another database do not apply. */
export function importedOffer(record: OfferRecord, number: number, order: number | null): NewOffer {
  const numberOf = (part: unknown) => (part === null || part === false ? 0 : number);
  return {
    order,
    record,
    membership: null,
    numbers: {
      document: number,
      price: numberOf(record.price),
      archived: numberOf(record.archived),
      shippingExceptions: numberOf(record.shippingExceptions),
      returnLocations: numberOf(record.returnLocationIds),
      group: 0,
      inventory: 0,
      nodes: record.inventory.nodes.map(() => number),
    },
  };
}
