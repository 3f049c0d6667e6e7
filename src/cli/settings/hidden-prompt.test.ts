/** Tests that a secret can be typed without being shown, and that the prompt can be cancelled. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { askHidden } from './hidden-prompt.ts';

/** Sends keys as a terminal does. Returns the answer and the shown text. */
async function type(...keys: readonly string[]): Promise<{ answer: string | undefined; shown: string }> {
  const input = new PassThrough();
  const output = new PassThrough();
  let shown = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  const asked = askHidden(input, output, 'Secret of ann: ');
  for (const key of keys) input.write(key);
  return { answer: await asked, shown };
}

describe('a hidden prompt', () => {
  it('returns what was typed and shows only the question', async () => {
    assert.deepEqual(await type('hush, hush\r'), { answer: 'hush, hush', shown: 'Secret of ann: \n' });
  });

  it('accepts corrections', async () => {
    const backspace = '\u007f';
    assert.equal((await type('husx', backspace, 'h', '\r')).answer, 'hush');
  });

  it('returns nothing after Ctrl+C and after Ctrl+D', async () => {
    for (const key of ['\u0003', '\u0004']) {
      assert.deepEqual(await type(key), { answer: undefined, shown: 'Secret of ann: \n' });
    }
  });
});
