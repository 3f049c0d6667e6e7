/** Reads the URL parameters of operator pages: the searches of merchants and categories, the open taxonomy node, the product code that was looked up. */
import { isText } from '../api/offer-filters.ts';
import type { Environment } from '../api/session.ts';

export interface MerchantsPlace {
  readonly q?: string;
}

export interface TaxonomyPlace {
  /** Id in digits. If absent, the page shows all departments. */
  readonly node?: string;
  readonly q?: string;
}

export interface CatalogPlace {
  readonly environment?: Environment;
  readonly code?: string;
  /** Words of the title or brand. */
  readonly q?: string;
}

export interface ActivityPlace {
  readonly q?: string;
  /** Id of the call. */
  readonly act?: string;
}

export interface WebhooksPlace {
  readonly environment?: Environment;
  /** The webhook whose deliveries are shown. */
  readonly webhook?: string;
}

type Search = Readonly<Record<string, unknown>>;

/** Ignores invalid parameters, so that an old or mistyped URL still opens the page. */
export function readMerchantsPlace({ q }: Search): MerchantsPlace {
  return isText(q) ? { q: String(q) } : {};
}

export function readTaxonomyPlace({ node, q }: Search): TaxonomyPlace {
  return {
    ...(/^\d{1,19}$/.test(String(node)) ? { node: String(node) } : {}),
    ...(isText(q) ? { q: String(q) } : {}),
  };
}

export function readCatalogPlace({ environment, code, q }: Search): CatalogPlace {
  return {
    ...(environment === 'test' || environment === 'live' ? { environment } : {}),
    ...(isText(code) ? { code: String(code) } : {}),
    ...(isText(q) ? { q: String(q) } : {}),
  };
}

export function readActivityPlace({ q, act }: Search): ActivityPlace {
  return { ...(isText(q) ? { q: String(q) } : {}), ...(isText(act) ? { act: String(act) } : {}) };
}

export function readWebhooksPlace({ environment, webhook }: Search): WebhooksPlace {
  const isOfOne = (environment === 'test' || environment === 'live') && isText(webhook);
  return isOfOne ? { environment, webhook: String(webhook) } : {};
}
