/** The checks of the review, in the order in which it shows them. Ids and codes are never renamed. */

import type { Check } from './check.ts';
import { catalogCheck, multipackCheck } from './checks/catalog-checks.ts';
import { attributesCheck, categoryGivenCheck, categoryValidCheck } from './checks/category-checks.ts';
import { shippingWeightCheck } from './checks/delivery-checks.ts';
import { alternateImagesCheck, mainImageCheck } from './checks/image-checks.ts';
import { archiveCheck, brandCheck, priceCheck, productCodesCheck, titleCheck } from './checks/offer-data-checks.ts';
import { authorizationCheck, exclusionCheck } from './checks/policy-checks.ts';
import { productDataCheck } from './checks/product-data-check.ts';
import { variationCheck } from './checks/variation-check.ts';

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
  productDataCheck,
  variationCheck,
  multipackCheck,
  mainImageCheck,
  alternateImagesCheck,
  priceCheck,
  shippingWeightCheck,
]);
