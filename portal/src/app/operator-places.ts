/** In charge of what operators look at, as it stands in the address of the page: a node of the taxonomy, a product code. */
import type { Environment } from '../api/session.ts';

export interface TaxonomyPlace {
  /** Digits; all departments where there is none. */
  readonly node?: string;
}

export interface CatalogPlace {
  readonly environment?: Environment;
  readonly code?: string;
}

type Search = Readonly<Record<string, unknown>>;

/** What is not known is left out, so that an old or mistyped address still shows the page. */
export function readTaxonomyPlace({ node }: Search): TaxonomyPlace {
  return /^\d{1,19}$/.test(String(node)) ? { node: String(node) } : {};
}

export function readCatalogPlace({ environment, code }: Search): CatalogPlace {
  // Codes of digits alone come out of an address that was typed as numbers.
  const isCode = (typeof code === 'string' && code !== '') || typeof code === 'number';
  return {
    ...(environment === 'test' || environment === 'live' ? { environment } : {}),
    ...(isCode ? { code: String(code) } : {}),
  };
}
