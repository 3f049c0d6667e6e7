/** Tests which values of a form differ from those that another user saved. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { differencesOf } from '../../portal/src/ui/forms/differences.ts';

it('names each field that differs, in lists by entry', () => {
  const mine = {
    price: 9,
    nodes: [
      { id: 'east', price: 8 },
      { id: 'west', price: '' },
    ],
    flag: true,
    kept: 'x',
  };
  const saved = {
    price: 7,
    nodes: [
      { id: 'east', price: '' },
      { id: 'north', price: 5 },
    ],
    flag: false,
    kept: 'x',
  };
  assert.deepEqual(differencesOf(mine, saved), [
    { name: 'price', entry: '', mine: '9', saved: '7' },
    { name: 'price', entry: 'east', mine: '8', saved: '' },
    { name: 'flag', entry: '', mine: 'Yes', saved: 'No' },
    { name: 'price', entry: 'north', mine: '', saved: '5' },
  ]);
  assert.deepEqual(differencesOf(mine, structuredClone(mine)), []);
});

it('compares lists without ids as a whole, and fields of groups under their own names', () => {
  const code = { code: '1', type: 'UPC' };
  const mine = { plain: { brand: 'A', size: null }, codes: [code, { code: '2', type: null }], methods: ['a', 'b'] };
  const saved = { plain: { brand: 'B', size: '' }, codes: [code], methods: [] };
  assert.deepEqual(differencesOf(mine, saved), [
    { name: 'brand', entry: '', mine: 'A', saved: 'B' },
    { name: 'codes', entry: '', mine: '1 UPC, 2', saved: '1 UPC' },
    { name: 'methods', entry: '', mine: 'a · b', saved: '' },
  ]);
});

it('attributes of a category are told apart by their id', () => {
  const attribute = (attribute_id: string, attribute_value: string, attribute_value_unit = '') => ({
    attribute_id,
    attribute_value,
    attribute_value_unit,
  });
  const mine = { attributes: [attribute('7', 'L'), attribute('8', '5', 'oz')] };
  const saved = { attributes: [attribute('8', '6', 'oz')] };
  assert.deepEqual(differencesOf(mine, saved), [
    { name: 'attributes', entry: '7', mine: 'L', saved: '' },
    { name: 'attributes', entry: '8', mine: '5 oz', saved: '6 oz' },
  ]);
});
