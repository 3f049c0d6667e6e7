/**
 * /marketplace/…: the operator's calls for programs. Each is a call of the portal with the same name, which a key with `operate` may make.
 * GET /storefront/taxonomy/tree is one of them for shops.
 */
import { SCOPE } from '../../domain/setup/key-scopes.ts';
import type { MarketplaceEndpoint, PersonEndpoint } from '../endpoint.ts';
import { PORTAL_ENDPOINTS } from '../portal-access/portal-routes.ts';

/** Ids of the calls. Adding merchants, users and keys, and views of merchants' pages are only for people. */
const CALLS: ReadonlySet<string> = new Set([
  ...['listMerchants', 'getMerchantDetails', 'suspendMerchant', 'resumeMerchant'],
  ...['searchOffers', 'recheckOffers', 'readBacklog'],
  ...['listPolicies', 'addPolicy', 'removePolicy', 'listPlaceholders', 'addPlaceholder', 'removePlaceholder'],
  ...['getProduct', 'putProduct'],
  ...['getTaxonomyTree', 'searchTaxonomyTree', 'previewTaxonomy', 'importTaxonomy', 'resetTaxonomy'],
  ...['listRuleChanges', 'undoRuleChange', 'listAnnouncedChanges', 'moveAnnouncedChange', 'cancelAnnouncedChange'],
  'restoreAnnouncedChange',
]);

export const marketplaceEndpoints: readonly MarketplaceEndpoint[] = PORTAL_ENDPOINTS.filter(
  (endpoint): endpoint is PersonEndpoint => endpoint.access === 'person' && CALLS.has(endpoint.id),
).map(({ roles: _, ...endpoint }) => {
  return { ...endpoint, path: `/marketplace${endpoint.path}`, access: 'marketplace', needs: SCOPE.operate };
});

export const storefrontTaxonomyEndpoints: readonly MarketplaceEndpoint[] = marketplaceEndpoints
  .filter(({ id }) => id === 'getTaxonomyTree')
  .map((endpoint) => ({
    ...endpoint,
    id: 'getStorefrontTaxonomyTree',
    path: '/storefront/taxonomy/tree',
    needs: SCOPE.storefront,
    tag: 'Storefront',
    summary: 'Read a category with the categories below it, or the departments',
    description:
      'Reads one level at a time, for the navigation of a shop. `GET /storefront/products?category=` lists the products.',
  }));
