/** Decoders with the default memory for the tests of a file; they end after its last test. */
import { after } from 'node:test';
import { ImageDecoders } from '../decoding/image-decoders.ts';

export const USUAL_MEMORY_MB = 256;

export function testDecoders(): ImageDecoders {
  const decoders = new ImageDecoders({ memory_mb_max: USUAL_MEMORY_MB });
  after(() => decoders.close());
  return decoders;
}
