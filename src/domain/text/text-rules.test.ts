/** Tests text.ts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasAtLeast, hasAtMost, hasForbiddenCharacter, isBlank, isHttpUrl, isImageUrl } from './text-rules.ts';

describe('length in code points', () => {
  it('counts a surrogate pair once', () => {
    for (const character of ['a', 'ü', '東', '😀', '\u{10ffff}']) {
      for (const count of [1, 2, 63, 64, 65]) {
        const text = character.repeat(count);
        assert.equal(hasAtMost(text, 64), count <= 64, `${count} of ${character}`);
        assert.equal(hasAtLeast(text, 64), count >= 64, `${count} of ${character}`);
      }
    }
  });

  it('counts each code point of a composed character', () => {
    const family = '👨‍👩‍👧';
    assert.equal(hasAtMost(family, 4), false);
    assert.equal(hasAtMost(family, 5), true);
    assert.equal(hasAtLeast(family, 5), true);
    assert.equal(hasAtLeast('u\u0308', 2), true);
  });

  it('handles empty text', () => {
    assert.equal(hasAtLeast('', 0), true);
    assert.equal(hasAtLeast('', 1), false);
    assert.equal(hasAtMost('', 0), true);
    assert.equal(hasAtMost('a', 0), false);
  });
});

describe('isHttpUrl', () => {
  for (const url of [
    'http://a',
    'https://images.example/pot.jpg',
    'HTTPS://Images.Example:8443/a?b=c#d',
    'http://[::1]/x',
    'http://user:pass@a.example/',
    'https://bücher.example/ü',
    'http://a?x',
  ])
    it(`accepts ${url}`, () => assert.equal(isHttpUrl(url), true));

  for (const url of [
    '',
    'a',
    '/a.jpg',
    '//a.example/b',
    'www.example.com/a.jpg',
    'ftp://a.example/b',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:image/png;base64,AA==',
    'http:a.example',
    'http:/a.example',
    'http://',
    'http:///a',
    'http://?x',
    'http://a b/',
    'http://a/b c',
    ' http://a/',
    'http://a/\n',
    'http://a:99999/',
    'http://[::1',
    'http://a%zz/',
  ])
    it(`refuses ${JSON.stringify(url)}`, () => assert.equal(isHttpUrl(url), false));
});

describe('isImageUrl', () => {
  for (const url of [
    'http://a/b.jpg',
    'https://a/b.JPEG',
    'https://a/b.png?size=large',
    'https://a/b.webp#x',
    'https://a/b/c.d.gif',
    'https://a/b.svg',
  ])
    it(`sees an image in ${url}`, () => assert.equal(isImageUrl(url), true));

  for (const text of [
    'https://a/b',
    'https://a/b.html',
    'https://a.jpg',
    'https://a/?x=b.jpg',
    'b.jpg',
    'jpg',
    'red.png',
  ])
    it(`sees no image in ${text}`, () => assert.equal(isImageUrl(text), false));
});

describe('hasForbiddenCharacter', () => {
  it('finds NUL and unpaired surrogates', () => {
    for (const text of ['\0', 'a\0b', '\ud800', '\udfff', 'a\ud83d', '\ude00b', '\ude00\ud83d', '😀\ud83d'])
      assert.equal(hasForbiddenCharacter(text), true, JSON.stringify(text));
  });

  it('accepts everything else', () => {
    for (const text of ['', '\u0001\u001f\u007f', '\\u0000', '😀', '\ufffd\ufffe\uffff', '\ue000', '\u{10ffff}'])
      assert.equal(hasForbiddenCharacter(text), false, JSON.stringify(text));
  });
});

describe('isBlank', () => {
  it('is true for white space and invisible characters', () => {
    for (const text of ['', ' ', '\t\r\n', '\u00a0\u2003\u3000', '\u200b\u200d\ufeff', '\u2028 \u00ad'])
      assert.equal(isBlank(text), true, JSON.stringify(text));
  });

  it('is false for any other text', () => {
    for (const text of ['a', ' . ', '0', '東', '\u0301', '😀'])
      assert.equal(isBlank(text), false, JSON.stringify(text));
  });
});
