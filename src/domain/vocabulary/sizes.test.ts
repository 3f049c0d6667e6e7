/** Tests how sizes read: powers of 1024, and never rounded up to a limit. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sizeText } from './sizes.ts';

it('sizes are in powers of 1024, with one decimal, and never rounded up to a limit', () => {
  for (const [bytes, text] of [
    [0, '0 bytes'],
    [1, '1 byte'],
    [1023, '1,023 bytes'],
    [1024, '1 KiB'],
    [16_777_216, '16 MiB'],
    [1_073_741_823, '1,023.9 MiB'],
    [1_073_741_824, '1 GiB'],
    [1_610_612_736, '1.5 GiB'],
    [2_199_023_255_552, '2 TiB'],
    [5_000 * 1_099_511_627_776, '5,000 TiB'],
  ] as const) {
    assert.equal(sizeText(bytes), text);
  }
  assert.equal(sizeText(1_610_612_736, 'de-DE'), '1,5 GiB');
});
