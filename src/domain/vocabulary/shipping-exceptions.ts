/** The types of shipping exceptions and of charge overrides. */
export const SHIPPING_EXCEPTION_TYPES = Object.freeze(['exclusive', 'restricted', 'include'] as const);

export const OVERRIDE_TYPES = Object.freeze(['Override charge', 'Additional charge'] as const);
