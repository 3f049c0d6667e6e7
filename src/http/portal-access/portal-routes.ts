/** Lists every portal call, in addition to the mirrored API calls. */
import type { PortalEndpoint } from '../endpoint.ts';
import { actsEndpoint } from '../portal/acts.ts';
import { keysEndpoints } from '../portal/keys.ts';
import { offerPartsEndpoints } from '../portal/offer-parts.ts';
import { offersEndpoints } from '../portal/offers.ts';
import { operatorCatalogEndpoints } from '../portal/operator-catalog.ts';
import { operatorChangesEndpoints } from '../portal/operator-changes.ts';
import { operatorMerchantsEndpoints } from '../portal/operator-merchants.ts';
import { operatorOffersEndpoints } from '../portal/operator-offers.ts';
import { operatorPoliciesEndpoints } from '../portal/operator-policies.ts';
import { operatorTaxonomyEndpoints } from '../portal/operator-taxonomy.ts';
import { overviewEndpoints } from '../portal/overview.ts';
import { placesEndpoints } from '../portal/places.ts';
import { requestLogEndpoints } from '../portal/request-log.ts';
import { sessionEndpoints } from '../portal/session.ts';
import { systemEndpoint } from '../portal/system.ts';
import { usersEndpoints } from '../portal/users.ts';

export const PORTAL_ENDPOINTS: readonly PortalEndpoint[] = [
  ...sessionEndpoints,
  ...usersEndpoints,
  ...offersEndpoints,
  ...offerPartsEndpoints,
  ...overviewEndpoints,
  ...keysEndpoints,
  ...requestLogEndpoints,
  ...placesEndpoints,
  ...operatorMerchantsEndpoints,
  ...operatorOffersEndpoints,
  ...operatorPoliciesEndpoints,
  ...operatorTaxonomyEndpoints,
  ...operatorCatalogEndpoints,
  ...operatorChangesEndpoints,
  systemEndpoint,
  actsEndpoint,
];
