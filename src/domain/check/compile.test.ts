/**
 * Tests compile.ts: the values that each schema keyword accepts and refuses, and its messages. Each value also goes to measure.ts, which
 * must recognize exactly those that stay unchanged.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stringifyExactJson } from '../int64.ts';
import { Names, NEUTRAL_NAMES } from '../names.ts';
import { Report } from '../problem.ts';
import { compileCheck } from './compile.ts';
import { compileMeasure } from './measure.ts';
import { Amount, type BodySchema, HttpUrl, Id, List, OneOf, Pattern, Scalar, Text, Whole } from './schema.ts';
import { type TSchema, Type } from './type.ts';

const NEUTRAL = new Names(NEUTRAL_NAMES);
const RENAMED = new Names({ ...NEUTRAL_NAMES, marketplace: 'bazaar', carriers: ['A', 'B', 'C', 'D', 'E'] });

function check(schema: TSchema, value: unknown, names = NEUTRAL) {
  const report = new Report();
  const clean = compileCheck(schema as BodySchema, names)(value, report);
  const problems = report.problems.map(({ code, field, message }) => `${code} ${field} ${message}`);
  const isUnchanged =
    problems.length + report.ignored.length === 0 && stringifyExactJson(clean) === stringifyExactJson(value);
  assert.equal(compileMeasure(schema as BodySchema, names)(value) > 0, isUnchanged, 'measure.ts disagrees');
  return { clean, problems, ignored: report.ignored };
}

const ok = (clean: unknown) => ({ clean, problems: [], ignored: [] });
const refused = (...problems: string[]) => ({ clean: undefined, problems, ignored: [] });

/** Values with their expected problem; undefined for values that are accepted unchanged. */
function takes(what: string, schema: TSchema, cases: readonly (readonly [value: unknown, problem?: string])[]): void {
  describe(what, () => {
    for (const [value, problem] of cases) {
      const shown = typeof value === 'string' && value.length > 40 ? `${value.length} characters` : String(value);
      it(`${problem === undefined ? 'takes' : 'refuses'} ${shown} (${typeof value})`, () => {
        assert.deepEqual(check(schema, value), problem === undefined ? ok(value) : refused(problem));
      });
    }
  });
}

const WHOLE = 'The body must be an integer from 1 to 128';
takes('integers', Whole(1, 128), [
  [1],
  [128],
  [0, `too_small  ${WHOLE}`],
  [129, `too_large  ${WHOLE}`],
  [Number.NEGATIVE_INFINITY, `too_small  ${WHOLE}`],
  [Number.POSITIVE_INFINITY, `too_large  ${WHOLE}`],
  [10n ** 18n, `too_large  ${WHOLE}`],
  [-(10n ** 18n), `too_small  ${WHOLE}`],
  [1.5, `wrong_type  ${WHOLE}, not a number with a fraction`],
  ['1', `wrong_type  ${WHOLE}, not a string`],
  [true, `wrong_type  ${WHOLE}, not a boolean`],
  [[1], `wrong_type  ${WHOLE}, not a list`],
  [{}, `wrong_type  ${WHOLE}, not an object`],
]);

const AMOUNT = 'The body must be a number from 0.01 to 1000000000';
takes('numbers', Amount(0.01), [
  [0.01],
  [1_000_000_000],
  [19.99],
  [0.009_999, `too_small  ${AMOUNT}`],
  [1_000_000_000.01, `too_large  ${AMOUNT}`],
  [Number.POSITIVE_INFINITY, `too_large  ${AMOUNT}`],
  [10n ** 20n, `too_large  ${AMOUNT}`],
  ['5', `wrong_type  ${AMOUNT}, not a string`],
]);
takes('numbers without an upper bound', Type.Number({ minimum: 3 }), [
  [3],
  [2, 'too_small  The body must be a number of at least 3'],
]);

const ID = 'The body must be a whole number from 1 to 9223372036854775807, in plain digits';
takes('ids', Id(), [
  [1],
  [Number.MAX_SAFE_INTEGER],
  [9_223_372_036_854_775_807n],
  [9_223_372_036_854_775_808n, `too_large  ${ID}`],
  [2 ** 53, `too_large  ${ID}`],
  [0, `too_small  ${ID}`],
  [-5n, `too_small  ${ID}`],
  [1.5, `wrong_type  ${ID}, not a number with a fraction`],
  ['1', `wrong_type  ${ID}, not a string`],
  [Number.POSITIVE_INFINITY, `too_large  ${ID}`],
]);

const TEXT = 'The body must have 2 to 4 characters';
takes('texts', Text(4, { min: 2 }), [
  ['ab'],
  ['😀😀😀😀'],
  ['a', `too_short  ${TEXT}`],
  ['😀', `too_short  ${TEXT}`],
  ['abcde', `too_long  ${TEXT}`],
  [5, 'wrong_type  The body must be a string, not a number'],
  [['ab'], 'wrong_type  The body must be a string, not a list'],
]);
takes('texts without a minimum', Text(3), [[''], ['abcd', 'too_long  The body must have at most 3 characters']]);
takes('patterns', Pattern('^[0-9]{2}$', 'must be two digits'), [
  ['12'],
  ['1', 'bad_format  The body must be two digits'],
  ['12\n', 'bad_format  The body must be two digits'],
  ['１２', 'bad_format  The body must be two digits'],
]);
takes('addresses', HttpUrl(), [
  ['https://a.example/b'],
  ['ftp://a.example', 'bad_url  The body must be an absolute http or https URL'],
  [`http://a/${'x'.repeat(2039)}`],
  [`http://a/${'x'.repeat(2040)}`, 'too_long  The body must have at most 2048 characters'],
]);
takes('truth values', Type.Boolean(), [
  [true],
  [false],
  [0, 'wrong_type  The body must be true or false, not a number'],
  ['true', 'wrong_type  The body must be true or false, not a string'],
]);
takes('one of several texts', OneOf(['a', 'b']), [
  ['a'],
  ['A', 'not_allowed  The body must be one of: a, b'],
  [1, 'wrong_type  The body must be one of: a, b (not a number)'],
]);
takes('the only text', OneOf(['Variation']), [
  ['Variation'],
  ['variation', 'not_allowed  The body must be exactly Variation'],
]);
takes('one of several numbers', OneOf([1, 2]), [
  [2],
  [3, 'not_allowed  The body must be one of: 1, 2'],
  ['1', 'wrong_type  The body must be one of: 1, 2 (not a string)'],
]);
takes('scalars', Scalar(2000), [
  ['x'],
  [''],
  [1.5],
  [false],
  [10n ** 18n],
  [Number.POSITIVE_INFINITY, 'too_large  The body must be a finite number'],
  ['x'.repeat(2001), 'too_long  The body must have at most 2000 characters'],
  [[], 'wrong_type  The body must be a string, a number, true or false, not a list'],
  [{}, 'wrong_type  The body must be a string, a number, true or false, not an object'],
]);

describe('lists', () => {
  const schema = List(Whole(1, 9), 3, { min: 1 });

  it('keep the position of an invalid entry, so that later rules find the others', () => {
    assert.deepEqual(check(schema, [1, 'x', 3]), {
      clean: [1, undefined, 3],
      problems: ['wrong_type /1 [1]: must be an integer from 1 to 9, not a string'],
      ignored: [],
    });
  });

  it('are not checked entry by entry if they are too long', () => {
    assert.deepEqual(check(schema, ['x', 'x', 'x', 'x']), refused('too_many  The body must have 1 to 3 entries'));
  });

  it('are refused when they are too short or not lists', () => {
    assert.deepEqual(check(schema, []), refused('too_few  The body must have 1 to 3 entries'));
    for (const [value, kind] of [
      [{ length: 1, 0: 1 }, 'an object'],
      ['abc', 'a string'],
      [5, 'a number'],
      [5n, 'a number'],
    ])
      assert.deepEqual(check(schema, value), refused(`wrong_type  The body must be a list, not ${kind}`));
  });

  it('refuse null as an entry', () => {
    assert.deepEqual(check(schema, [null]).problems, ['wrong_type /0 [0]: must be an integer from 1 to 9, not null']);
  });

  it('stop where the report is full', () => {
    const { problems } = check(List(Whole(1, 9), 5000), Array(5000).fill(0));
    assert.equal(problems.length, 100);
    assert.equal(
      problems.at(-1),
      'more_problems  There are more problems than this list shows. Fix these, then try again.',
    );
    assert.equal(
      check(List(Whole(1, 9), 5000), Array(100).fill(0)).problems.at(-1),
      'too_small /99 [99]: must be an integer from 1 to 9',
    );
  });
});

describe('objects', () => {
  const schema = Type.Object({
    a: Whole(1, 9),
    b: Type.Optional(Text(5)),
    c: Type.Optional(List(Type.Object({ d: Text(5) }), 3)),
  });

  it('return a clean copy: known fields, in schema order, without nulls', () => {
    const sent = { x: 1, c: [{ d: 'y', e: 1 }], b: null, a: 1 };
    const { clean, problems, ignored } = check(schema, sent);
    assert.equal(JSON.stringify(clean), '{"a":1,"c":[{"d":"y"}]}');
    assert.deepEqual({ problems, ignored }, { problems: [], ignored: ['/c/0/e', '/x'] });
  });

  it('treat null in a required field as missing', () => {
    for (const sent of [{}, { a: null }, { a: undefined }])
      assert.deepEqual(check(schema, sent).problems, ['required /a a: is required']);
  });

  it('report every problem, each with its path', () => {
    assert.deepEqual(check(schema, { a: 0, b: 5, c: [{}, 'x', { d: 'too long' }] }).problems, [
      'too_small /a a: must be an integer from 1 to 9',
      'wrong_type /b b: must be a string, not a number',
      'required /c/0/d c[0].d: is required',
      'wrong_type /c/1 c[1]: must be an object, not a string',
      'too_long /c/2/d c[2].d: must have at most 5 characters',
    ]);
  });

  it('refuse values that are not objects', () => {
    for (const [value, kind] of [
      [[], 'a list'],
      ['x', 'a string'],
      [5, 'a number'],
      [true, 'a boolean'],
      [null, 'null'],
    ]) {
      assert.deepEqual(check(schema, value), refused(`wrong_type  The body must be an object, not ${kind}`));
    }
  });

  it('do not inherit fields, and ignore names such as __proto__', () => {
    const sent = JSON.parse('{"a":1,"__proto__":{"b":5},"constructor":1,"toString":2,"hasOwnProperty":3}') as unknown;
    const { clean, problems, ignored } = check(schema, sent);
    assert.deepEqual({ clean, problems }, { clean: { a: 1 }, problems: [] });
    assert.deepEqual(ignored, ['/__proto__', '/constructor', '/toString', '/hasOwnProperty']);
    assert.equal(Object.getPrototypeOf(clean), Object.prototype);
  });

  it('name at most 20 ignored fields', () => {
    const sent = { a: 1, ...Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`x${n}`, n])) };
    assert.deepEqual(
      check(schema, sent).ignored,
      Array.from({ length: 20 }, (_, n) => `/x${n}`),
    );
  });

  it('escape names in pointers', () => {
    assert.deepEqual(check(schema, { a: 1, 'x/y~z': 1, '': 1 }).ignored, ['/x~1y~0z', '/']);
  });
});

describe('two spellings', () => {
  const schema = Type.Object({ marketplace_browse_node_id: Type.Optional(Id()), brand: Type.Optional(Text(5)) });

  it('either is accepted, and the clean copy uses the neutral name', () => {
    for (const name of ['bazaar_browse_node_id', 'marketplace_browse_node_id'])
      assert.deepEqual(check(schema, { [name]: 5 }, RENAMED), ok({ marketplace_browse_node_id: 5 }));
  });

  it('both are refused, unless one is null', () => {
    assert.deepEqual(check(schema, { bazaar_browse_node_id: 5, marketplace_browse_node_id: 5 }, RENAMED).problems, [
      'duplicate_spelling /bazaar_browse_node_id bazaar_browse_node_id: must not be sent together with marketplace_browse_node_id, its other name',
    ]);
    for (const sent of [
      { bazaar_browse_node_id: 5, marketplace_browse_node_id: null },
      { bazaar_browse_node_id: null, marketplace_browse_node_id: 5 },
    ])
      assert.deepEqual(check(schema, sent, RENAMED), ok({ marketplace_browse_node_id: 5 }));
  });

  it('a problem uses the configured spelling', () => {
    const rule = 'must be a whole number from 1 to 9223372036854775807, in plain digits';
    for (const name of ['bazaar_browse_node_id', 'marketplace_browse_node_id'])
      assert.deepEqual(check(schema, { [name]: 'x' }, RENAMED).problems, [
        `wrong_type /bazaar_browse_node_id bazaar_browse_node_id: ${rule}, not a string`,
      ]);
  });

  it('carriers are accepted under either name and returned under the neutral one', () => {
    const methods = OneOf(['<carrier_2> Ground', 'Freight'], { 'x-carrier-names': true });
    for (const value of ['B Ground', '<carrier_2> Ground'])
      assert.deepEqual(check(methods, value, RENAMED), ok('<carrier_2> Ground'));
    assert.deepEqual(check(methods, 'Freight', RENAMED), ok('Freight'));
    assert.deepEqual(check(methods, 'B Ground', NEUTRAL).problems.length, 1);
    for (const value of ['A Ground', 'b ground', 'C Ground', ''])
      assert.deepEqual(
        check(methods, value, RENAMED),
        refused('not_allowed  The body must be one of: B Ground, Freight'),
      );
    assert.deepEqual(
      check(methods, 5, RENAMED),
      refused('wrong_type  The body must be one of: B Ground, Freight (not a number)'),
    );
  });
});
