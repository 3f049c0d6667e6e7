/** The return locations of an offer, instead of those of the account settings. */
import { checkReturnLocationsKnown } from '../../node-rules.ts';
import type { Part } from '../part.ts';
import { UPLOADED } from '../write-state.ts';

export const RETURNS_EXCEPTION: Part<'returns_exception'> = Object.freeze<Part<'returns_exception'>>({
  name: 'returns_exception',
  code: 7,
  fileType: 'ReturnsException',
  path: '/returnsexception',
  source: 'offer',
  isBehindUploads: true,
  isInOffer: true,
  unset: ['returns_exception_unset', 'has no returns exception'],
  clearingBody: { return_location_ids: [] },
  serverRules: [UPLOADED, 'whether the merchant has the return locations'],
  checkSettings: ({ return_location_ids: ids = [] }, account, _names, report) =>
    checkReturnLocationsKnown(ids, account, report),
  toWrite: (skuId, { return_location_ids: ids = [] }) => {
    return { skuId, kind: 'returns_exception', locationIds: ids.length === 0 ? null : ids };
  },
  valueIn: ({ returnLocationIds }) => returnLocationIds,
  decode: (_amount, text) => text && JSON.parse(text),
  written: ({ locationIds }) => locationIds,
  taggedText: (locationIds) => JSON.stringify(locationIds),
  json: (locationIds) => JSON.stringify({ return_location_ids: locationIds }),
});
