/** Tests brand-key.ts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brandKey } from './brand-key.ts';

/** Names in one row are the same brand; names in different rows are different brands. */
const BRANDS: readonly (readonly string[])[] = [
  ['Potter & Sons', 'POTTER & SONS', 'potter  &  sons', ' Potter\u00a0&\tSons ', 'Ｐｏｔｔｅｒ & Sons', 'Potter-Sons.'],
  ['Acme', 'Ac\u200bme', 'Ac\u00adme\ufeff', '\u2060ACME\ufe0f', 'Ac\u034fme'],
  ['\u200b'],
  ['PotterSons'],
  ['Straße', 'STRASSE', 'strasse', 'Strasse', 'STRAẞE'],
  ['Ångström', 'A\u030angstro\u0308m', 'ÅNGSTRÖM', '\u212bngström'],
  ['Angstrom'],
  ['ΣΊΣΥΦΟΣ', 'σίσυφος', 'σίσυφοσ'],
  ['ﬁne', 'fine', 'FINE'],
  ['7½', '7½ '],
  ['東京'],
  ['!!!', '！！！'],
  ['...'],
  ['A+', 'a+'],
  ['A', '(a)', '„A“'],
];

describe('brandKey', () => {
  for (const names of BRANDS) {
    it(`is the same for ${names.join(' | ')}`, () => {
      assert.deepEqual([...new Set(names.map(brandKey))].length, 1, JSON.stringify(names.map(brandKey)));
    });
  }

  it('differs between brands', () => {
    const keys = BRANDS.map(([name]) => brandKey(name ?? ''));
    assert.deepEqual([...new Set(keys)], keys);
  });

  it('does not change when it is applied to a key', () => {
    for (const name of BRANDS.flat()) assert.equal(brandKey(brandKey(name)), brandKey(name));
  });
});
