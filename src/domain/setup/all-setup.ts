/** Compiles the checks of account settings once, for the configured names. */
import type { Names } from '../names.ts';
import { createCatalogProductCheck } from './catalog-product.ts';
import { createCredentialNameCheck, createCredentialRollCheck } from './credential-roll.ts';
import { createMerchantCheck, createMerchantNameCheck, createMerchantReturnsCheck } from './merchant.ts';
import { createNodeCheck } from './node.ts';
import { createPlaceholderCheck } from './placeholder.ts';
import { createPolicyCheck } from './policy.ts';
import { createMerchantRoleCheck, createPortalUserCheck } from './portal-user.ts';
import { createRequestLogCheck } from './request-log.ts';
import { createReturnLocationCheck } from './return-location.ts';
import { createFirstPasswordCheck, createLinkCheck, createPasswordChangeCheck, createSignInCheck } from './sign-in.ts';

export type SetupChecks = ReturnType<typeof createSetupChecks>;

export function createSetupChecks(names: Names) {
  return {
    merchant: createMerchantCheck(names),
    merchantName: createMerchantNameCheck(names),
    merchantReturns: createMerchantReturnsCheck(names),
    credentialName: createCredentialNameCheck(names),
    credentialRoll: createCredentialRollCheck(names),
    node: createNodeCheck(names),
    merchantRole: createMerchantRoleCheck(names),
    portalUser: createPortalUserCheck(names),
    requestLog: createRequestLogCheck(names),
    returnLocation: createReturnLocationCheck(names),
    signIn: createSignInCheck(names),
    link: createLinkCheck(names),
    firstPassword: createFirstPasswordCheck(names),
    passwordChange: createPasswordChangeCheck(names),
    policy: createPolicyCheck(names),
    placeholder: createPlaceholderCheck(names),
    catalogProduct: createCatalogProductCheck(names),
  };
}
