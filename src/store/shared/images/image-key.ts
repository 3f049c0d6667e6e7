/** Keys of images: of one length whatever the address is, and the host that an image counts for. */
import { createHash } from 'node:crypto';

/** An address may have 2,000 characters, which would be a poor key. Addresses are compared as they were sent. */
export function imageKey(address: string): Buffer {
  return createHash('sha256').update(address).digest();
}

/** Pictures of one host are fetched a few at a time, whichever of its ports they are at. */
export function imageHost(address: string): string {
  return URL.parse(address)?.hostname ?? '';
}
