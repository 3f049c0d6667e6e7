/** Limits of a generated catalog; beyond them product codes would repeat. */
export const CATALOG_LIMITS = Object.freeze({ skus_max: 10_000_000, seed_max: 999 });
