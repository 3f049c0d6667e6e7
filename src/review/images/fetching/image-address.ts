/** Decides from the text of a URL whether it may be fetched. */
import { IMAGE_LIMITS } from '../image-limits.ts';

/** Returns the parsed URL; undefined if it must not be fetched. Parsing unifies spellings of one IP address (decimal, octal, hex). */
export function fetchableAddress(text: string, base?: URL): URL | undefined {
  // Also checked before parsing: a redirect target may be as long as all headers together.
  if (text.length > IMAGE_LIMITS.address_characters_max) return undefined;
  const address = URL.parse(text, base?.href);
  if (address === null || address.href.length > IMAGE_LIMITS.address_characters_max) return undefined;
  if (address.protocol !== 'http:' && address.protocol !== 'https:') return undefined;
  if (address.username !== '' || address.password !== '') return undefined;
  address.hash = '';
  return address;
}

/** A redirect must lead to a URL that may be fetched, and never from https to http. */
export function redirectTarget(location: string, from: URL): URL | undefined {
  const target = fetchableAddress(location, from);
  return from.protocol === 'https:' && target?.protocol === 'http:' ? undefined : target;
}
