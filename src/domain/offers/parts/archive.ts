/** The archive flag of an offer. A change to it also sets all stock to zero. */
import type { Part } from '../part.ts';
import { stockChange } from './inventory.ts';

export const ARCHIVE: Part<'archive'> = Object.freeze<Part<'archive'>>({
  name: 'archive',
  code: 4,
  fileType: 'Archive',
  // The SKU read shows the flag.
  path: '',
  source: 'offer',
  isSmall: true,
  scope: 'listing',
  isInOffer: false,
  serverRules: ['whether each SKU exists'],
  toWrite: (skuId, { is_archived: archived }) => ({ skuId, part: 'archive', archived }),
  valueIn: ({ archived }) => archived,
  decode: (amount) => amount === 1,
  changesOf: ({ archived: after }, { offer, inventory }) => {
    const before = offer?.archived ?? false;
    if (before === after) return [];
    const zeroed = (inventory?.nodes ?? []).map((node) => ({ ...node, quantity: 0 }));
    return [{ part: 'archive', before, after }, stockChange(inventory, zeroed)];
  },
  applied: (offer, { archived }) => ({ ...offer, archived }),
  // It has no tag of its own, so it uses the tag of the SKU.
  taggedText: () => null,
  storedTag: ({ documentTag }) => documentTag,
  json: (archived) => JSON.stringify({ is_archived: archived }),
});
