/** Tests that invalid keys stay invalid, and distinct, in the error and retry files. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileName } from '../../files/file-storage.ts';
import { FileEngine, SKU_BODY } from '../testing/file-engine.ts';

describe('a key that is not a SKU id', () => {
  const latin1 = (text: string) => Buffer.from(text, 'latin1');
  const cases: readonly [name: string, key: Buffer, written: string][] = [
    ['of Latin-1', latin1('caf\xe9'), String.raw`"caf\udce9"`],
    ['of another byte of Latin-1', latin1('caf\xe8'), String.raw`"caf\udce8"`],
    ['of good UTF-8 and bad', Buffer.concat([Buffer.from('é😀'), latin1('\xc3')]), String.raw`"é😀\udcc3"`],
    ['with half a pair', latin1(String.raw`sur\ud83dx`), String.raw`"sur\ud83dx"`],
    ['with a NUL', latin1(String.raw`a\u0000`), String.raw`"a\u0000"`],
    ['with an escape that JSON does not know', latin1(String.raw`a\xb`), String.raw`"a\udc5cxb"`],
    ['with a raw tab', latin1('a\tb'), String.raw`"a\udc09b"`],
    ['of far too many letters of four bytes', Buffer.from('😀'.repeat(500)), `"${'😀'.repeat(65)}…"`],
    ['that is empty', latin1(''), '""'],
  ];
  for (const [name, key, written] of cases) {
    it(`${name} stays invalid in the retry file and in the error file`, async () => {
      const engine = new FileEngine();
      const body = JSON.stringify(SKU_BODY);
      const file = await engine.send('MerchantSKUs', Buffer.concat([latin1('{"'), key, latin1(`": ${body}}`)]));
      await engine.run(file);
      assert.equal(engine.storage.text(fileName(file, 'retry')), `{\n${written}: ${body}`);
      assert.ok(engine.storage.text(fileName(file, 'errors')).startsWith(`{\n${written}: {"errors":`));
      const again = await engine.send('MerchantSKUs', `${engine.storage.text(fileName(file, 'retry'))}\n}`);
      await engine.run(again);
      assert.deepEqual(Object.values(await engine.errorCodes(again)), [['sku_id_invalid']]);
      assert.equal(engine.storage.text(fileName(again, 'retry')), engine.storage.text(fileName(file, 'retry')));
      assert.deepEqual(engine.applied, []);
    });
  }

  it('is in the first errors as text that every database accepts', async () => {
    const engine = new FileEngine();
    const file = await engine.send('Price', latin1('{"caf\xe9": {"price": 1}}'));
    await engine.run(file);
    assert.deepEqual((await engine.progress(file)).errorExcerpt, [
      'caf\ufffd: The key of the row (a SKU id) must be UTF-8.',
    ]);
  });
});
