/**
 * Runs the API suite with two sets of names: the neutral ones, and one in which all four names are set.
 *
 * Tests use neutral names. With set names, requests and responses are translated as plain text, without the code under test; a
 * response that still contains a neutral name fails.
 */
import assert from 'node:assert/strict';

export interface Spelling {
  readonly title: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Neutral text and its replacement. */
  readonly pairs: readonly (readonly [string, string])[];
  /** Converts differing formats of responses back, so that cases about other things can compare them. */
  readonly undo?: (text: string) => string;
}

const CARRIERS = ['ParcelOne', 'SwiftShip', 'GroundCo', 'BlueVan', 'StatePost'];

export const SPELLINGS: readonly Spelling[] = [
  { title: 'neutral names', settings: {}, pairs: [] },
  {
    title: 'set names',
    settings: {
      MARKETPLACE_NAME: 'bazaar',
      EXTERNAL_NAME: 'rival',
      CARRIER_NAMES: CARRIERS.join(','),
      REVIEW_STATUS: 'Under Bazaar Review',
    },
    pairs: [
      ['marketplace_browse_node_id', 'bazaar_browse_node_id'],
      ['marketplace_node_', 'bazaar_node_'],
      ['marketplace_file_id', 'bazaar_file_id'],
      ['marketplace_level', 'bazaar_level'],
      ['external_item_type_keyword', 'rival_item_type_keyword'],
      ['Under Jet Review', 'Under Bazaar Review'],
      ...CARRIERS.map((name, index) => [`<carrier_${index + 1}>`, name] as const),
    ],
  },
];

const ORIGINAL_CARRIERS = ['DHL', 'FedEx', 'OnTrac', 'UPS', 'USPS'];

/** The names of the profile for programs of the original API. */
export const PROFILE_SPELLING: Spelling = {
  title: 'profile jet',
  settings: { COMPATIBILITY: 'jet' },
  pairs: [
    ['marketplace_browse_node_id', 'jet_browse_node_id'],
    ['marketplace_node_', 'jet_node_'],
    ['marketplace_file_id', 'jet_file_id'],
    ['marketplace_level', 'jet_level'],
    ['external_item_type_keyword', 'amazon_item_type_keyword'],
    ['Available For Purchase', 'Available for Purchase'],
    // Includes the space after the name, because a signature in a URL may contain UPS.
    ...ORIGINAL_CARRIERS.map((name, index) => [`<carrier_${index + 1}> `, `${name} `] as const),
  ],
  // Converts the children of groups, whose format test/api/compatibility.test.ts checks.
  undo: (text) => text.replaceAll(/\{"merchant_sku":("(?:[^"\\]|\\.)*")\}/g, '$1'),
};

export function respell(spelling: Spelling, text: string): string {
  return spelling.pairs.reduce((result, [neutral, set]) => result.replaceAll(neutral, set), text);
}

export function toNeutral(spelling: Spelling, text: string): string {
  for (const [neutral] of spelling.pairs) {
    assert.ok(!text.includes(neutral), `the response still says ${neutral}: ${text}`);
  }
  const neutral = spelling.pairs.reduce((result, [neutral, set]) => result.replaceAll(set, neutral), text);
  return spelling.undo?.(neutral) ?? neutral;
}
