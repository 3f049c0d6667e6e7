/**
 * The statuses and sub-statuses of an offer. `review` is the status that the operator can rename: code uses its key,
 * and names.ts gives its text.
 */
export const STATUSES = Object.freeze({
  available: 'Available For Purchase',
  missing: 'Missing Listing Data',
  review: 'Under Jet Review',
  unauthorized: 'Unauthorized',
  excluded: 'Excluded',
  archived: 'Archived',
} as const);

export type Status = keyof typeof STATUSES;

/** The sub-statuses in the order in which `sub_status` lists them. */
export const SUB_STATUSES = Object.freeze([
  'Missing variation information',
  'Missing title',
  'Missing shipping weight',
  'Missing price',
  'Missing image',
  'Missing category',
  'Missing brand',
  'Missing attribute value',
  'Invalid SKU identifier',
  'Invalid category',
  'Incorrect multipack quantity',
  'Additional SKU ID needed',
] as const);

export type SubStatus = (typeof SUB_STATUSES)[number];
