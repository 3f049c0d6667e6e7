/** Tests body-text.ts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readBodyText, readBodyValue } from './body-text.ts';

const FORBIDDEN = 'must not contain NUL characters or unpaired surrogates';

function readable(text: string): unknown {
  const read = readBodyText(text);
  assert.ok(!('unreadable' in read), JSON.stringify(read));
  assert.deepEqual(read.problems, []);
  return read.value;
}

function faultOf(text: string): { code: string; message: string } | undefined {
  const read = readBodyText(text);
  return 'unreadable' in read ? { code: read.unreadable.code, message: read.unreadable.message } : undefined;
}

function problemsOf(text: string) {
  const read = readBodyText(text);
  assert.ok(!('unreadable' in read));
  return read.problems;
}

const nested = (levels: number, inner = '') => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`;

describe('readBodyText', () => {
  it('reads every kind of JSON value', () => {
    for (const text of ['{}', '[]', 'null', '"x"', ' 1 ', '{"a":[1,"ü😀",{"b":null}]}'])
      assert.deepEqual(readable(text), JSON.parse(text));
  });

  it('counts the levels of brackets, not the brackets', () => {
    readable(nested(32));
    readable(`[${nested(31)},${nested(31)},{"a":${nested(30)}}]`);
    readable(JSON.stringify(Array(1000).fill({ a: [] })));
    for (const text of [nested(33), `[[],${nested(32)}]`, `{"a":${nested(32)}}`, '['.repeat(33), '{'.repeat(1000)]) {
      assert.deepEqual(faultOf(text), {
        code: 'body_too_deep',
        message: 'The body must be nested at most 32 levels deep.',
      });
    }
  });

  it('does not count brackets inside strings, with or without escapes', () => {
    for (const text of ['['.repeat(100), '\\"[{'.repeat(50), '"[{'.repeat(50), '\\\\', '{\\'.repeat(50)])
      readable(JSON.stringify([text, nested(33), { [text]: text }]));
    assert.equal(faultOf(`["\\\\",${nested(32)}]`)?.code, 'body_too_deep');
    assert.equal(faultOf(`["\\"]",${nested(32)}]`)?.code, 'body_too_deep');
  });

  it('says where the text stops being JSON', () => {
    for (const [text, where] of [
      ['{"a":1,}', 'unexpected character at line 1, column 8'],
      ['{\n "a": 1,\n b\n}', 'unexpected character at line 3, column 2'],
      ['[1\r\n2]', 'unexpected character at line 2, column 1'],
      ['  ', 'it is empty'],
      ['', 'it is empty'],
      ['x', 'it ends too early or has an unexpected character'],
      ['\ufeff{}', 'it ends too early or has an unexpected character'],
    ]) {
      const message = `The body is not JSON: ${where}.`;
      assert.deepEqual(faultOf(text ?? ''), { code: 'body_not_json', message });
    }
  });

  it('does not repeat the body in its message', () => {
    for (const text of ['secret', '{"pass":"secret"', '{"pass":secret}', '"secret', '{"a":1}secret'])
      assert.doesNotMatch(faultOf(text)?.message ?? 'secret', /secret/);
  });

  it('finds NUL and unpaired surrogates in values and names, with their path', () => {
    const problem = (field: string, message: string) => ({ code: 'forbidden_character', field, message });
    assert.deepEqual(problemsOf('{"a":"\\u0000","b":[1,{"c/d":"x\\uD83D"}],"e":"\\ud83d\\ude00"}'), [
      problem('/a', `a: ${FORBIDDEN}`),
      problem('/b/1/c~1d', `b[1].c/d: ${FORBIDDEN}`),
    ]);
    assert.deepEqual(problemsOf('{"x\\u0000":1,"a":{"\\udc00":"\\u0000"}}'), [
      problem('', `The body has a name that ${FORBIDDEN}`),
      problem('/a', `a: has a name that ${FORBIDDEN}`),
    ]);
    assert.deepEqual(problemsOf('"\\u0000"'), [problem('', `The body ${FORBIDDEN}`)]);
  });

  it('accepts escaped backslashes and other escapes', () => {
    assert.deepEqual(problemsOf('{"a":"\\\\u0000","b":"\\\\ud800","c":"\\u0001\\ufffd"}'), []);
  });

  it('stays small with long names and many problems', () => {
    // Each problem contains its path; a thousand problems below a name of 10,000 characters must not fill 20 MB.
    const text = `{"${'k'.repeat(10_000)}":[${Array(1000).fill('"\\u0000"').join(',')}]}`;
    const characters = problemsOf(text).reduce((sum, { field, message }) => sum + field.length + message.length, 0);
    assert.ok(characters <= 1_000_000, `the problems have ${characters} characters`);
  });
});

describe('readBodyValue', () => {
  it('finds the same characters in values that were not parsed from text', () => {
    assert.deepEqual(readBodyValue({ a: 'x' }), { value: { a: 'x' }, problems: [] });
    assert.deepEqual(
      readBodyValue({ a: ['\0'] }).problems.map(({ field }) => field),
      ['/a/0'],
    );
  });
});
