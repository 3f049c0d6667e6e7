/** In charge of how every adapter knows a picture: by a key of one length, whatever its address is, and by its host. */
import { createHash } from 'node:crypto';

/** An address may have 2,000 characters, which would be a poor key. Addresses are compared as they were sent. */
export function imageKey(address: string): Buffer {
  return createHash('sha256').update(address).digest();
}

/** Pictures of one host are fetched a few at a time, whichever of its ports they are at. */
export function imageHost(address: string): string {
  return URL.parse(address)?.hostname ?? '';
}
