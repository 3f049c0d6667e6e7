/** Reads the URL parameters of operator pages: the open taxonomy node, the product code that was looked up. */
import type { Environment } from '../api/session.ts';

export interface TaxonomyPlace {
  /** Digits. Absent: show all departments. */
  readonly node?: string;
}

export interface CatalogPlace {
  readonly environment?: Environment;
  readonly code?: string;
}

type Search = Readonly<Record<string, unknown>>;

/** Ignores invalid parameters, so that an old or mistyped URL still opens the page. */
export function readTaxonomyPlace({ node }: Search): TaxonomyPlace {
  return /^\d{1,19}$/.test(String(node)) ? { node: String(node) } : {};
}

export function readCatalogPlace({ environment, code }: Search): CatalogPlace {
  // The router parses an all-digit code in the URL as a number.
  const isCode = (typeof code === 'string' && code !== '') || typeof code === 'number';
  return {
    ...(environment === 'test' || environment === 'live' ? { environment } : {}),
    ...(isCode ? { code: String(code) } : {}),
  };
}
