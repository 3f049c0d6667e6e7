/** In charge of which addresses are those of the docs page. */

const DOCS_URL = /^\/+(?:api\/+)?docs(?=[/?]|$)/i;

/** The address under which the docs page knows a file of its own; undefined for every other address. */
export function docsPageUrl(url: string): string | undefined {
  return DOCS_URL.test(url) ? url.replace(DOCS_URL, '/docs') : undefined;
}
