/** The roles of portal users, what each may do, and whether it belongs to one merchant. */
export const PORTAL_ROLES = Object.freeze({
  operator: { ofMerchant: false, meaning: 'runs the marketplace: merchants, policies and taxonomy' },
  'merchant-admin': { ofMerchant: true, meaning: 'views and changes everything of one merchant, including its users' },
  'merchant-viewer': { ofMerchant: true, meaning: 'views everything of one merchant except its users, read-only' },
});

export type PortalRole = keyof typeof PORTAL_ROLES;

export const PORTAL_ROLE_NAMES = Object.freeze(Object.keys(PORTAL_ROLES) as PortalRole[]);

/** Roles of people who belong to one merchant. */
export type MerchantRole = Exclude<PortalRole, 'operator'>;

export const MERCHANT_ROLES = Object.freeze(['merchant-admin', 'merchant-viewer'] as const);
