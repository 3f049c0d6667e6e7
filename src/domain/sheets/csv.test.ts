/** Tests csv.ts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csvLine, plainCell, textCell } from './csv.ts';

describe('cells', () => {
  for (const [text, cell] of [
    ['', ''],
    ['plain text', 'plain text'],
    [' a ; b ', ' a ; b '],
    ['a,b', '"a,b"'],
    ['5" nails', '"5"" nails"'],
    ['"', '""""'],
    ['two\nlines', '"two\nlines"'],
    ['two\rlines', '"two\rlines"'],
    ['ü 🪴', 'ü 🪴'],
    ['a=b', 'a=b'],
    ['1-2', '1-2'],
    ['=1+2', "'=1+2"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', `"'\r=1"`],
    ['\n=1', `"'\n=1"`],
    ['＝1', "'＝1"],
    ["'=1", "''=1"],
    ["'", "''"],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
  ] as const) {
    it(`${JSON.stringify(text)} is ${JSON.stringify(cell)}`, () => assert.equal(textCell(text), cell));
  }

  it('leaves harmless text unchanged', () => {
    assert.equal(plainCell('-5'), '-5');
    assert.equal(plainCell('{"a":1}'), '"{""a"":1}"');
  });

  it('has line endings as in RFC 4180', () => {
    assert.equal(csvLine(['a', '', '"b,c"']), 'a,,"b,c"\r\n');
  });
});
