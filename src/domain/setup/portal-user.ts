/** Describes a new portal user: email address, role and merchant. */
import { type BodyCheck, createBodyCheck } from '../bodies/body-check.ts';
import { isPresent } from '../check/compile.ts';
import { OneOf, Text } from '../check/schema.ts';
import { type Static, Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';
import { MERCHANT_ROLES, PORTAL_ROLE_NAMES, PORTAL_ROLES } from '../vocabulary/portal-roles.ts';

/** One @, something on each side, a dot in the domain. Offerbook does not check whether mail arrives. */
const EMAIL = '^[^\\s@"(),:;<>\\[\\]\\\\]+@[^\\s@.,:;<>()\\[\\]\\\\]+(?:\\.[^\\s@.,:;<>()\\[\\]\\\\]+)+$';

export const PortalUserBody = Type.Object({
  email: Type.String({
    maxLength: LIMITS.email_characters_max,
    pattern: EMAIL,
    'x-pattern-text': 'must be an email address such as ann@shop.example',
  }),
  role: OneOf(PORTAL_ROLE_NAMES),
  merchant: Type.Optional(Text(LIMITS.merchant_id_characters_max, { min: 1 })),
});

export const MerchantRoleBody = Type.Object({ role: OneOf(MERCHANT_ROLES) });

export function createPortalUserCheck(names: Names): BodyCheck<Static<typeof PortalUserBody>> {
  return createBodyCheck(PortalUserBody, names, ({ role }, sent, report) => {
    if (role === undefined) return;
    const { ofMerchant } = PORTAL_ROLES[role];
    if (ofMerchant && !isPresent(sent.merchant)) report.add('required', `is required for role ${role}`, 'merchant');
    if (!ofMerchant && isPresent(sent.merchant)) {
      report.add('not_allowed', `must not be given for role ${role}`, 'merchant');
    }
  });
}

/** Folds letter case, because mail servers ignore it in practice: each address is one user. */
export function normalizeEmail(email: string): string {
  return email.normalize('NFKC').toLowerCase();
}
