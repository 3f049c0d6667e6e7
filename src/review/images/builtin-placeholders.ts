/**
 * Placeholders that every installation knows. The images are those of testing/placeholder-images.ts, drawn for this project, at
 * 600 by 600 in the first of its colours; `node bench/image-checks.ts --hashes` prints this data, and a test compares both.
 * Operators add the placeholders that their merchants use.
 */
import type { KnownPlaceholder } from './placeholder-list.ts';

export const BUILTIN_PLACEHOLDERS: readonly KnownPlaceholder[] = [
  {
    name: 'no-image-available-two-lines',
    hash: '0000000000000000000000000000000000000000a08aaa020455020194b70b0ba4c2eb06a4aaab0e000000000000000000000000000000000000000000000000',
  },
  {
    name: 'no-image-available-one-line',
    hash: '000000000000000000000000000000000000000000000000a82a2a2a4552d019ad7bea3a00000000000000000000000000000000000000000000000000000000',
  },
  {
    name: 'no-image-large',
    hash: '00000000000000000000000000882a000035180000a1150000f13d00289d9e2a1daa2e3b5483c6295498171c34a78a1330002038000000000000000000000000',
  },
  {
    name: 'image-coming-soon',
    hash: '00000000000000000000000000aaaa004080620040a07600c0a0c30210e450019026b00300252c000001610000a9ce0000000000000000000000000000000000',
  },
  {
    name: 'photo-not-available-framed',
    hash: 'a8aaaa2a01000010010000100100001001000010a1aaa21aa520451c4506df14a5caeb16a5aaab1e01000010010000100100001001000010a9aaaa3a00000000',
  },
  {
    name: 'camera-crossed-out',
    hash: '00000000000000000002000040a90a004096ad0040894a0040244c0040144d0040246400403af00040aa6a000000500000020a00400eea000000000000000000',
  },
  {
    name: 'framed-landscape',
    hash: '00000000000000000000000000aaaa0040a86a00002800000039000000a0080000ec2f0000ec1d0000a13a0040aaea0000000000000000000000000000000000',
  },
];
