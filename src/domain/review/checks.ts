/** The checks of the review, in the order in which it shows them. Ids and codes are never renamed. */
import { archiveCheck } from './archive-check.ts';
import { catalogCheck, multipackCheck } from './catalog-checks.ts';
import { attributesCheck, categoryGivenCheck, categoryValidCheck } from './category-checks.ts';
import type { Check } from './check.ts';
import { shippingWeightCheck } from './delivery-checks.ts';
import { alternateImagesCheck, mainImageCheck } from './image-checks.ts';
import { brandCheck, priceCheck, productCodesCheck, titleCheck } from './offer-data-checks.ts';
import { authorizationCheck, exclusionCheck } from './policy-checks.ts';
import { variationCheck } from './variation-check.ts';

export const CHECKS: readonly Check[] = Object.freeze([
  archiveCheck,
  exclusionCheck,
  authorizationCheck,
  titleCheck,
  brandCheck,
  productCodesCheck,
  catalogCheck,
  categoryGivenCheck,
  categoryValidCheck,
  attributesCheck,
  variationCheck,
  multipackCheck,
  mainImageCheck,
  alternateImagesCheck,
  priceCheck,
  shippingWeightCheck,
]);
