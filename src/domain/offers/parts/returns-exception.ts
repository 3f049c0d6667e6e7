/** The return locations of an offer, instead of those of the account settings. */
import { checkReturnLocationsKnown } from '../../place-rules.ts';
import type { Part } from '../part.ts';
import { UPLOADED } from '../write-state.ts';
import { clearable } from './clearable.ts';

export const RETURNS_EXCEPTION: Part<'returns_exception'> = Object.freeze<Part<'returns_exception'>>({
  ...clearable('returns_exception', '/returnsexception', 'return_location_ids', 'return_location_ids'),
  code: 7,
  unset: ['returns_exception_unset', 'has no returns exception'],
  serverRules: [UPLOADED, 'whether the merchant has the return locations'],
  checkSettings: ({ return_location_ids: ids = [] }, account, _names, report) =>
    checkReturnLocationsKnown(ids, account, report),
});
