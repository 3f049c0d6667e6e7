/** In charge of which addresses are fetched at all, as far as their text says. */
import { IMAGE_LIMITS } from '../image-limits.ts';

/** The parsed address; undefined where it is none of ours. Spellings of one IP address (decimal, octal, hex) become one. */
export function fetchableAddress(text: string, base?: URL): URL | undefined {
  // Measured before parsing, too: a redirect's may be as long as all headers together.
  if (text.length > IMAGE_LIMITS.address_characters_max) return undefined;
  const address = URL.parse(text, base?.href);
  if (address === null || address.href.length > IMAGE_LIMITS.address_characters_max) return undefined;
  if (address.protocol !== 'http:' && address.protocol !== 'https:') return undefined;
  if (address.username !== '' || address.password !== '') return undefined;
  address.hash = '';
  return address;
}

/** Where a redirect may lead: to what may be fetched, and never from an encrypted address to an open one. */
export function redirectTarget(location: string, from: URL): URL | undefined {
  const target = fetchableAddress(location, from);
  return from.protocol === 'https:' && target?.protocol === 'http:' ? undefined : target;
}
