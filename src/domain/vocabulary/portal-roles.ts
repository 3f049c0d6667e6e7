/** In charge of the roles of portal users: what each is for, and whether it belongs to one merchant. */
export const PORTAL_ROLES = Object.freeze({
  operator: { ofMerchant: false, meaning: 'runs the marketplace: merchants, policies, taxonomy' },
  'merchant-admin': { ofMerchant: true, meaning: 'changes everything of one merchant, its users included' },
  'merchant-viewer': { ofMerchant: true, meaning: 'sees everything of one merchant and changes nothing' },
});

export type PortalRole = keyof typeof PORTAL_ROLES;

export const PORTAL_ROLE_NAMES = Object.freeze(Object.keys(PORTAL_ROLES) as PortalRole[]);

/** Roles of people who belong to one merchant. */
export type MerchantRole = Exclude<PortalRole, 'operator'>;

export const MERCHANT_ROLES = Object.freeze(['merchant-admin', 'merchant-viewer'] as const);
