/** The price of an offer, with the prices of individual nodes. A write replaces the whole price. */
import { checkNodesKnown, lastOfEachNode, NODES_KNOWN } from '../../place-rules.ts';
import type { Part } from '../part.ts';
import { UPLOADED } from '../write-state.ts';

export const PRICE: Part<'price'> = Object.freeze<Part<'price'>>({
  name: 'price',
  code: 2,
  fileType: 'Price',
  path: '/price',
  source: 'price',
  isSmall: true,
  scope: 'price',
  isInOffer: true,
  unset: ['price_unset', 'has no price yet'],
  serverRules: [UPLOADED, NODES_KNOWN],
  checkSettings: ({ fulfillment_nodes: nodes = [] }, account, _names, report) =>
    checkNodesKnown(nodes, account, report),
  toWrite: (skuId, { price, fulfillment_nodes: nodes = [] }) => {
    return { skuId, part: 'price', price, nodes: lastOfEachNode(nodes) };
  },
  valueIn: (stored) => stored,
  decode: (price, nodes) => (price === null ? null : { price, nodes: nodes === null ? [] : JSON.parse(nodes) }),
  written: ({ price, nodes }) => ({ price, nodes }),
  applied: (offer) => ({ ...offer, priced: true }),
  taggedText: ({ price, nodes }) => `${price} ${nodes.length === 0 ? '[]' : JSON.stringify(nodes)}`,
  json: ({ price, nodes }) => JSON.stringify({ price, fulfillment_nodes: nodes }),
});
