/** Describes a new portal user: email address, role and merchant. */
import { type BodyCheck, createBodyCheck } from '../bodies/body-check.ts';
import { isPresent } from '../check/compile.ts';
import { OneOf, Text } from '../check/schema.ts';
import { type Static, Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';
import { MERCHANT_ROLES, PORTAL_ROLE_NAMES, PORTAL_ROLES, type PortalRole } from '../vocabulary/portal-roles.ts';

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

interface ClaimedUser {
  readonly email: string;
  readonly role: PortalRole;
  readonly merchantId: string | null;
}

/** Derives a user from the claims of a sign-in provider; returns what is wrong with them if they give none. */
export function userOfClaims(claims: Readonly<Record<string, unknown>>, roleClaim: string): ClaimedUser | string {
  const { email, email_verified } = claims;
  if (typeof email !== 'string' || email.length > LIMITS.email_characters_max || !new RegExp(EMAIL, 'u').test(email)) {
    return 'The provider sent no valid email address for your account.';
  }
  if (email_verified === false) return 'The provider has not verified the email address of your account.';
  const given = [claims[roleClaim]].flat().flatMap((value) => roleOf(value) ?? []);
  // The first role of the table has the most rights.
  const role = PORTAL_ROLE_NAMES.find((name) => given.some((one) => one.role === name));
  if (role === undefined) return 'Your account has no role here.';
  const merchants = new Set(given.filter((one) => one.role === role).map(({ merchantId }) => merchantId));
  const [merchantId = null, another] = merchants;
  if (another !== undefined) return 'Your account has roles of several merchants. It may have only one.';
  return { email: normalizeEmail(email), role, merchantId };
}

/** Reads `operator`, `merchant-admin:acme` or `merchant-viewer:acme`. Groups for other programs may be in the same claim. */
function roleOf(value: unknown): Omit<ClaimedUser, 'email'> | undefined {
  const [name = '', merchantId = null, ...rest] = typeof value === 'string' ? value.split(':') : [];
  const role = PORTAL_ROLE_NAMES.find((known) => known === name);
  if (role === undefined || rest.length > 0 || PORTAL_ROLES[role].ofMerchant !== Boolean(merchantId)) return undefined;
  return { role, merchantId };
}
