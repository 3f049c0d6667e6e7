/** In charge of telling requests that a page of the portal made from those that a page of another site made. */
import type { IncomingHttpHeaders } from 'node:http';

const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none']);

/**
 * Browsers say where a request comes from; programs do not, and nobody can make them send one unasked. A page that was
 * opened under another name of this server, as `localhost`, is its own as well.
 */
export function isFromElsewhere(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (typeof site === 'string' && !OWN_SITES.has(site)) return true;
  const { origin, host } = headers;
  if (origin === undefined) return false;
  const from = URL.parse(origin);
  return from === null || (from.host !== host && from.origin !== new URL(publicUrl).origin);
}
