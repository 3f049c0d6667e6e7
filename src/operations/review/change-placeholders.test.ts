/** Tests adding placeholder images by image or hash: every limit and every refusal. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openSetupContext } from '../../../test/harness/setup-context.ts';
import { readBodyValue } from '../../domain/body-text.ts';
import type { SentFile } from '../files/receive-upload.ts';
import { addPlaceholder, type ImageHashes, listPlaceholders, removePlaceholder } from './change-placeholders.ts';

const HASH = 'ab'.repeat(64);
const IMAGE_BYTES_MAX = 10_485_760;

const SAMPLE = { width: 2, height: 1, pixels: 'AP8=' } as const;

/** A fake that knows one image and refuses a hash of zeros. */
const images: ImageHashes = {
  hashOfImage: async (file) => (file.toString() === 'mug' ? HASH : { fault: 'The file is not an image.' }),
  sampleOfImage: async (file, kind) => {
    const hash = file.toString('hex').padStart(128, '0');
    return file.toString() === 'plain' ? { fault: 'Too plain.' } : { hash, sample: { ...SAMPLE, kind } };
  },
  usableHash: async (hash) => (/[^0]/.test(hash) ? hash : { fault: 'The image is too plain.' }),
};

function sentText(...chunks: readonly string[]): SentFile {
  return {
    announcedBytes: undefined,
    chunks: (async function* () {
      for (const chunk of chunks) yield Buffer.from(chunk);
    })(),
  };
}

const NOTHING = { announcedBytes: 0, chunks: sentText().chunks };

function refused(code: string, field: string, message: string) {
  return { ok: false, problems: [{ code, field, message }], ignored: [] };
}

describe('placeholders', () => {
  it('are added by image, listed, and removed once', async (t) => {
    const context = { ...(await openSetupContext(t)), images };
    const value = { hash: HASH, note: 'N'.repeat(255), sample: null };
    const said = readBodyValue({ note: value.note });
    assert.deepEqual(await addPlaceholder(context, said, sentText('m', 'ug')), { ok: true, value, ignored: [] });
    assert.deepEqual(
      await addPlaceholder(context, said, sentText('mug')),
      refused('placeholder_exists', '', 'This placeholder already exists.'),
    );
    assert.deepEqual(await listPlaceholders(context), { ok: true, value: [value], ignored: [] });
    assert.deepEqual(await removePlaceholder(context, HASH), { ok: true, value: HASH, ignored: [] });
    assert.deepEqual(
      await removePlaceholder(context, HASH),
      refused('placeholder_unknown', '', `No placeholder with the hash ${HASH}.`),
    );
  });

  it('are added by hash, without an image', async (t) => {
    const context = { ...(await openSetupContext(t)), images };
    const said = { hash: HASH, note: 'from elsewhere' };
    const value = { ...said, sample: null };
    assert.deepEqual(await addPlaceholder(context, readBodyValue(said), NOTHING), { ok: true, value, ignored: [] });
  });

  it('may be 5 logos and watermarks, with as many placeholders as you like', async (t) => {
    const context = { ...(await openSetupContext(t)), images };
    const add = (note: string, kind: string) => addPlaceholder(context, readBodyValue({ note, kind }), sentText(note));
    for (let number = 1; number <= 5; number += 1) {
      const kind = number % 2 === 0 ? 'logo' : 'watermark';
      const added = await add(String(number), kind);
      assert.deepEqual(added.ok && added.value.sample, { ...SAMPLE, kind });
    }
    assert.deepEqual(
      await add('1', 'watermark'),
      refused('placeholder_exists', '', 'This placeholder already exists.'),
    );
    assert.deepEqual(
      await add('6', 'watermark'),
      refused('samples_too_many', '', 'There are already 5 logos and watermarks. Remove one first.'),
    );
    assert.equal((await add('mug', 'placeholder')).ok, true);
  });

  it('of other kinds need a usable image', async (t) => {
    const context = { ...(await openSetupContext(t)), images };
    const fault = 'Send the image of the logo. A hash is not enough.';
    assert.deepEqual(
      await addPlaceholder(context, readBodyValue({ note: 'x', kind: 'logo', hash: HASH }), NOTHING),
      refused('placeholder_unusable', '', fault),
    );
    assert.deepEqual(
      await addPlaceholder(context, readBodyValue({ note: 'x', kind: 'watermark' }), sentText('plain')),
      refused('placeholder_unusable', '', 'Too plain.'),
    );
    const unknown = await addPlaceholder(context, readBodyValue({ note: 'x', kind: 'stamp' }), sentText('a'));
    assert.ok(!unknown.ok);
    assert.deepEqual(
      unknown.problems.map(({ field }) => field),
      ['/kind'],
    );
  });

  for (const [what, said, image, answer] of [
    [
      'a file that is not an image',
      { note: 'x' },
      sentText('text'),
      refused('placeholder_unusable', '', 'The file is not an image.'),
    ],
    [
      'a hash that matches too many images',
      { note: 'x', hash: '0'.repeat(128) },
      NOTHING,
      refused('placeholder_unusable', '', 'The image is too plain.'),
    ],
    [
      'neither image nor hash',
      { note: 'x' },
      NOTHING,
      refused('body_missing', '', 'The image is missing. Send it as the body, or send its hash.'),
    ],
    [
      'an image that is announced too large',
      { note: 'x' },
      { announcedBytes: IMAGE_BYTES_MAX + 1, chunks: sentText('mug').chunks },
      refused('file_too_large', '', 'The image must have at most 10485760 bytes.'),
    ],
    [
      'an image that turns out too large',
      { note: 'x' },
      sentText('m'.repeat(IMAGE_BYTES_MAX), 'm'),
      refused('file_too_large', '', 'The image must have at most 10485760 bytes.'),
    ],
    [
      'a hash of 127 digits',
      { note: 'x', hash: 'a'.repeat(127) },
      NOTHING,
      refused('bad_format', '/hash', 'hash: must be 128 hexadecimal digits'),
    ],
    ['no note', {}, sentText('mug'), refused('required', '/note', 'note: is required')],
    [
      'a note of 256 characters',
      { note: 'N'.repeat(256) },
      sentText('mug'),
      refused('too_long', '/note', 'note: must have 1 to 255 characters'),
    ],
    ['a blank note', { note: ' ' }, sentText('mug'), refused('bad_format', '/note', 'note: must not be blank')],
  ] as const) {
    it(`are refused with ${what}`, async (t) => {
      const context = { ...(await openSetupContext(t)), images };
      assert.deepEqual(await addPlaceholder(context, readBodyValue(said), image), answer);
      assert.deepEqual(await listPlaceholders(context), { ok: true, value: [], ignored: [] });
    });
  }
});
