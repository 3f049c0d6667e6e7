/** Compiles the checks of account settings once, for the configured names. */

import { createBodyCheck } from '../bodies/body-check.ts';
import type { Names } from '../names.ts';
import { createCatalogProductCheck } from './catalog-product.ts';
import { createCredentialRollCheck, createNewCredentialCheck, MarketplaceKeyBody } from './credential-roll.ts';
import { MerchantBody, MerchantNameBody, MerchantNoteBody, MerchantReturnsBody, RequestLogBody } from './merchant.ts';
import { NodeBody, ReturnLocationBody } from './node.ts';
import { createPolicyCheck, PlaceholderBody } from './policy.ts';
import { createPortalUserCheck, MerchantRoleBody } from './portal-user.ts';
import {
  createPasswordChangeCheck,
  FirstPasswordBody,
  LinkBody,
  NewPasskeyBody,
  PasskeyNeedBody,
  PasskeySignInBody,
  ProviderBeginBody,
  ProviderResponseBody,
  SignInBody,
} from './sign-in.ts';

export type SetupChecks = ReturnType<typeof createSetupChecks>;

export function createSetupChecks(names: Names) {
  return {
    merchant: createBodyCheck(MerchantBody, names),
    merchantName: createBodyCheck(MerchantNameBody, names),
    merchantNote: createBodyCheck(MerchantNoteBody, names),
    merchantReturns: createBodyCheck(MerchantReturnsBody, names),
    newCredential: createNewCredentialCheck(names),
    marketplaceKey: createBodyCheck(MarketplaceKeyBody, names),
    credentialRoll: createCredentialRollCheck(names),
    node: createBodyCheck(NodeBody, names),
    merchantRole: createBodyCheck(MerchantRoleBody, names),
    portalUser: createPortalUserCheck(names),
    requestLog: createBodyCheck(RequestLogBody, names),
    returnLocation: createBodyCheck(ReturnLocationBody, names),
    signIn: createBodyCheck(SignInBody, names),
    link: createBodyCheck(LinkBody, names),
    providerBegin: createBodyCheck(ProviderBeginBody, names),
    providerResponse: createBodyCheck(ProviderResponseBody, names),
    passkeySignIn: createBodyCheck(PasskeySignInBody, names),
    newPasskey: createBodyCheck(NewPasskeyBody, names),
    passkeyNeed: createBodyCheck(PasskeyNeedBody, names),
    firstPassword: createBodyCheck(FirstPasswordBody, names),
    passwordChange: createPasswordChangeCheck(names),
    policy: createPolicyCheck(names),
    placeholder: createBodyCheck(PlaceholderBody, names),
    catalogProduct: createCatalogProductCheck(names),
  };
}
