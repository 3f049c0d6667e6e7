/** Checks whether a request comes from the portal's own pages or from another site. */
import type { IncomingHttpHeaders } from 'node:http';

const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none']);

/**
 * Browsers send the origin of a request. Programs do not, but another site cannot make them send requests. A page that
 * was opened under another name of this server, such as `localhost`, counts as its own.
 */
export function isFromElsewhere(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (typeof site === 'string' && !OWN_SITES.has(site)) return true;
  const { origin, host } = headers;
  if (origin === undefined) return false;
  const from = URL.parse(origin);
  return from === null || (from.host !== host && from.origin !== new URL(publicUrl).origin);
}
