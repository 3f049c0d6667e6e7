/** Tests attributes.ts: the attributes that a category requires, at each limit and just beyond. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AttributeLine } from '../../taxonomy/entries.ts';
import { attributeEntry } from '../../taxonomy/entries.ts';
import { attributeFaults, type UploadedAttribute } from './attributes.ts';

const ID = 9_223_372_036_854_775_807n;

function kindsOf(line: Partial<AttributeLine>, required: boolean, ...uploaded: UploadedAttribute[]): string[] {
  const attribute = attributeEntry({ attribute: 'it', id: ID, description: 'It', ...line });
  return attributeFaults(uploaded, [{ attribute, required }]).map(({ kind }) => kind);
}

function sent(attribute_value: string, attribute_value_unit?: string): UploadedAttribute {
  return { attribute_id: ID, attribute_value, ...(attribute_value_unit === undefined ? {} : { attribute_value_unit }) };
}

describe('attributeFaults', () => {
  it('reports a required attribute that is absent or blank, but no optional one', () => {
    assert.deepEqual(kindsOf({}, true), ['absent']);
    assert.deepEqual(kindsOf({}, true, sent(' \u00a0')), ['absent']);
    assert.deepEqual(kindsOf({}, true, { attribute_id: 9_223_372_036_854_775_806n, attribute_value: 'x' }), ['absent']);
    assert.deepEqual(kindsOf({}, false), []);
    assert.deepEqual(kindsOf({ values: ['S'] }, false, sent(' ')), []);
    assert.deepEqual(attributeFaults(undefined, []), []);
  });

  it('accepts free text, with or without a unit', () => {
    assert.deepEqual(kindsOf({}, true, sent('anything')), []);
    assert.deepEqual(kindsOf({}, true, sent('anything', 'parsec')), []);
  });

  it('compares allowed values ignoring width, letter case and spacing', () => {
    const values = ['One Size', 'XL'];
    for (const value of ['One Size', ' one  size ', 'ONE SIZE', 'xl', 'ＸＬ']) {
      assert.deepEqual(kindsOf({ values }, true, sent(value)), [], value);
    }
    for (const value of ['OneSize', 'XXL', 'X L', 'XL.']) {
      assert.deepEqual(kindsOf({ values }, true, sent(value)), ['value_not_allowed'], value);
    }
  });

  it('reviews an optional attribute that was sent, and each of several values', () => {
    assert.deepEqual(kindsOf({ values: ['S'] }, false, sent('M')), ['value_not_allowed']);
    assert.deepEqual(kindsOf({ values: ['S', 'M'] }, true, sent('S'), sent('L'), sent('M')), ['value_not_allowed']);
  });

  it('requires a number within the range, bounds included', () => {
    const range = { data_type: 'number', min_value: 1, max_value: 20 } as const;
    for (const value of ['1', '20', ' 7.5 ', '+3', '19.999']) {
      assert.deepEqual(kindsOf(range, true, sent(value)), [], value);
    }
    for (const value of ['0.999', '20.001', '-5', '9'.repeat(100)]) {
      assert.deepEqual(kindsOf(range, true, sent(value)), ['out_of_range'], value);
    }
    for (const value of ['seven', '1e1', '1,5', '5 qt', '0x5', '.5', '5.']) {
      assert.deepEqual(kindsOf(range, true, sent(value)), ['not_a_number'], value);
    }
    assert.deepEqual(kindsOf({ data_type: 'number' }, true, sent('-1000000')), []);
    assert.deepEqual(kindsOf({ data_type: 'number', min_value: 0 }, true, sent('-0.1')), ['out_of_range']);
    assert.deepEqual(kindsOf({ data_type: 'number', max_value: 0 }, true, sent('0.1')), ['out_of_range']);
  });

  it('requires a whole number where the taxonomy says so', () => {
    assert.deepEqual(kindsOf({ data_type: 'integer' }, true, sent('7')), []);
    assert.deepEqual(kindsOf({ data_type: 'integer' }, true, sent('7.0')), []);
    assert.deepEqual(kindsOf({ data_type: 'integer' }, true, sent('7.5')), ['not_a_number']);
  });

  it('requires one of the units if the attribute has any', () => {
    const units = ['fl oz', 'L'];
    assert.deepEqual(kindsOf({ units }, true, sent('7', 'FL OZ')), []);
    assert.deepEqual(kindsOf({ units }, true, sent('7', ' l ')), []);
    assert.deepEqual(kindsOf({ units }, true, sent('7')), ['unit_missing']);
    assert.deepEqual(kindsOf({ units }, true, sent('7', '')), ['unit_missing']);
    assert.deepEqual(kindsOf({ units }, true, sent('7', 'oz')), ['unit_not_allowed']);
  });

  it('names a wrong value and a wrong unit together', () => {
    const line = { units: ['L'], data_type: 'number', max_value: 20 } as const;
    assert.deepEqual(kindsOf(line, true, sent('much', 'oz')), ['not_a_number', 'unit_not_allowed']);
    assert.deepEqual(kindsOf(line, true, sent('21')), ['out_of_range', 'unit_missing']);
  });
});
