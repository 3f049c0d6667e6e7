/** In charge of the set of checks for what operators set up, compiled once for the names in force. */
import type { Names } from '../names.ts';
import { createCredentialRollCheck } from './credential-roll.ts';
import { createMerchantCheck } from './merchant.ts';
import { createNodeCheck } from './node.ts';
import { createPortalUserCheck } from './portal-user.ts';
import { createReturnLocationCheck } from './return-location.ts';

export type SetupChecks = ReturnType<typeof createSetupChecks>;

export function createSetupChecks(names: Names) {
  return {
    merchant: createMerchantCheck(names),
    credentialRoll: createCredentialRollCheck(names),
    node: createNodeCheck(names),
    portalUser: createPortalUserCheck(names),
    returnLocation: createReturnLocationCheck(names),
  };
}
