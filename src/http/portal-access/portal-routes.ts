/** Lists every portal call, in addition to the mirrored API calls. */
import type { PortalEndpoint } from '../endpoint.ts';
import { copyOffersEndpoints } from '../portal/copy-offers.ts';
import { fixOffersEndpoints } from '../portal/fix-offers.ts';
import { homeEndpoints } from '../portal/home.ts';
import { keysEndpoints, marketplaceKeysEndpoints } from '../portal/keys.ts';
import { offersEndpoints } from '../portal/offers.ts';
import { catalogEndpoints, operatorCatalogEndpoints } from '../portal/operator-catalog.ts';
import { operatorChangesEndpoints } from '../portal/operator-changes.ts';
import { operatorMerchantsEndpoints } from '../portal/operator-merchants.ts';
import { operatorOffersEndpoints } from '../portal/operator-offers.ts';
import { operatorPlaceholdersEndpoints, operatorPoliciesEndpoints } from '../portal/operator-policies.ts';
import { operatorProductsEndpoints } from '../portal/operator-products.ts';
import { operatorTaxonomyEndpoints } from '../portal/operator-taxonomy.ts';
import { operatorWebhooksEndpoints } from '../portal/operator-webhooks.ts';
import { heldBackEndpoint, overviewEndpoint } from '../portal/overview.ts';
import { passkeysEndpoints } from '../portal/passkeys.ts';
import { merchantSettingsEndpoints, placesEndpoints } from '../portal/places.ts';
import { plansEndpoints } from '../portal/plans.ts';
import { requestLogEndpoints } from '../portal/request-log.ts';
import { ownSessionEndpoints, sessionEndpoints } from '../portal/session.ts';
import { systemEndpoints } from '../portal/system.ts';
import { usersEndpoints } from '../portal/users.ts';

export const PORTAL_ENDPOINTS: readonly PortalEndpoint[] = [
  ...sessionEndpoints,
  ...ownSessionEndpoints,
  ...passkeysEndpoints,
  ...usersEndpoints,
  ...offersEndpoints,
  ...copyOffersEndpoints,
  ...fixOffersEndpoints,
  ...plansEndpoints,
  overviewEndpoint,
  heldBackEndpoint,
  ...keysEndpoints,
  ...marketplaceKeysEndpoints,
  ...operatorWebhooksEndpoints,
  ...requestLogEndpoints,
  ...placesEndpoints,
  ...catalogEndpoints,
  ...merchantSettingsEndpoints,
  ...homeEndpoints,
  ...operatorMerchantsEndpoints,
  ...operatorOffersEndpoints,
  ...operatorPoliciesEndpoints,
  ...operatorPlaceholdersEndpoints,
  ...operatorTaxonomyEndpoints,
  ...operatorCatalogEndpoints,
  ...operatorProductsEndpoints,
  ...operatorChangesEndpoints,
  ...systemEndpoints,
];
