/** Tests how query parameters are read, and that every problem with them is reported. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { QueryReading } from './query.ts';

const RANGE = { min: 1, max: 9, fallback: 5 };

it('reads parameters by their decoded names, and uses defaults for missing ones', () => {
  const reading = new QueryReading('a%5Fb=2&b=x%20y+z&c=&d=up&%zz=1&e%');
  assert.deepEqual(
    [reading.text('a_b'), reading.text('b'), reading.text('c'), reading.text('e')],
    ['2', 'x y z', '', undefined],
  );
  assert.deepEqual([reading.filledText('b'), reading.filledText('c')], ['x y z', undefined]);
  assert.deepEqual([reading.wholeNumber('a_b', RANGE), reading.wholeNumber('e', RANGE)], [2, 5]);
  assert.deepEqual([reading.oneOf('d', ['up', 'down']), reading.oneOf('c', ['up'])], ['up', undefined]);
  assert.equal(
    reading.required('b', () => undefined),
    'x y z',
  );
  assert.deepEqual(reading.problems, []);
});

it('reads lists with commas and repetition, and refuses other repeated parameters', () => {
  const reading = new QueryReading('a=1,2&b=x&%61=3&b=x&a=&c=%ff&c=1');
  assert.deepEqual([reading.list('a'), reading.list('d')], [['1', '2', '3'], []]);
  assert.deepEqual(reading.problems, []);
  reading.text('b');
  reading.list('c');
  assert.deepEqual(
    reading.problems.map(({ message }) => message),
    ['b: must be sent only once.', 'c: must be percent-encoded UTF-8.'],
  );
});

it('collects every problem in the order in which parameters are read, one of each', () => {
  const reading = new QueryReading('a=%E4&b=0&c=x&d=left');
  const isEmpty = (text: string) => (text === '' ? 'must not be empty' : undefined);
  reading.text('a');
  reading.required('a', isEmpty);
  reading.wholeNumber('b', RANGE);
  reading.wholeNumber('c', RANGE);
  reading.oneOf('d', ['up', 'down']);
  reading.required('e', isEmpty);
  reading.refuse('f: is odd.', 'sku_id_invalid');
  assert.deepEqual(
    reading.problems.map(({ code, message }) => [code, message]),
    [
      ['query_invalid', 'a: must be percent-encoded UTF-8.'],
      ['query_invalid', 'a: must be percent-encoded UTF-8.'],
      ['query_invalid', 'b: must be a whole number from 1 to 9.'],
      ['query_invalid', 'c: must be a whole number from 1 to 9.'],
      ['query_invalid', 'd: must be one of up, down.'],
      ['query_invalid', 'e: must not be empty.'],
      ['sku_id_invalid', 'f: is odd.'],
    ],
  );
});
