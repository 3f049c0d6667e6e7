/** Tests pack-count.ts: titles that name a pack size, and titles that only seem to. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packCount } from './pack-count.ts';

const SAYS: readonly (readonly [string, number])[] = [
  ['Soap bar, pack of 6', 6],
  ['Soap (Pack of 6)', 6],
  ['PACK OF 12 Soap bars', 12],
  ['Soap Pack-of-3', 3],
  ['Soap, value pack of 4 bars', 4],
  ['Soap multipack of 8', 8],
  ['Soap multi-pack of 8', 8],
  ['Soap, pack of six', 6],
  ['Soap, pack of Twelve, unscented', 12],
  ['Beans 15 oz cans, pack of 6, 12 oz each', 6],
  ['Beans, pack of 6 12-oz cans', 6],
  ['Soda 6-Pack', 6],
  ['6 Pack Soda', 6],
  ['Soda cans 6 pack', 6],
  ['Soda 12pk', 12],
  ['Soda 12 PK', 12],
  ['Soda 6-pack of 12 oz cans', 6],
  ['Soda (6-Pack), pack of 6', 6],
  ['Shirts, 3-pack, V-neck', 3],
  ['Beans 15 oz (Case of 12)', 12],
  ['Beans, case of 24', 24],
  ['Beans, case of 24, low salt', 24],
  ['Soap, pack of 1', 1],
  ['Soap, pack of 128', 128],
];

const SAYS_NOTHING: readonly string[] = [
  'A pot with a lid',
  'Knife set of 4',
  'Diapers 128 count',
  'Tissues 12 ct',
  'Oatmeal, 8 packs',
  'Pens, box of 10',
  'Cola 6 x 330 ml',
  'Twin pack toothbrush',
  'Six pack abs trainer',
  'Hiking backpack of 30 liters',
  'Backpack of 3 pockets',
  'Screws, pack of 500',
  'Screws, 129-pack',
  'Soap, pack of 0',
  'Coffee, pack of 16 oz',
  'Coffee, pack of 12-ounce',
  'Ham, pack of 2 lbs',
  'Cloth, pack of 95%',
  'Screws 1,000-pack',
  'Dough 2.5 pack',
  'Charger 3-in-1 pack',
  'Charger 3 in 1 Pack',
  'Eggs, pack of 6-8',
  'Eggs, pack of 1/2',
  'Crisps 12-24 pack',
  'Soda 6-pack, pack of 2',
  'Soda 2 pack of 6',
  'Perry Mason and the case of 12 thieves',
  'Phone case of leather',
  'Pack of wolves',
  'Package of 6 envelopes',
  'V8-pack holder',
  'Wetsuit 3 packing cubes',
  '',
];

describe('packCount', () => {
  for (const [title, count] of SAYS) it(`reads ${count} in: ${title}`, () => assert.equal(packCount(title), count));
  for (const title of SAYS_NOTHING) it(`reads nothing in: ${title}`, () => assert.equal(packCount(title), undefined));

  it('is fast even with titles that are crafted to slow it down', () => {
    for (const part of ['pack of ', '1-', '9', 'pack-', 'case of 1 ', 'pack of 12 ']) {
      // Measures the CPU time of this thread, because the machine may be busy.
      const before = process.threadCpuUsage();
      packCount(part.repeat(500 / part.length));
      const { user, system } = process.threadCpuUsage(before);
      assert.ok((user + system) / 1000 < 50, part);
    }
  });
});
