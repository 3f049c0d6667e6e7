/** The statuses and sub-statuses of an offer. Operators can rename `review`: code uses its key, and names.ts gives its text. */
export const STATUSES = Object.freeze({
  available: 'Available For Purchase',
  missing: 'Missing Listing Data',
  review: 'Under Jet Review',
  unauthorized: 'Unauthorized',
  excluded: 'Excluded',
  archived: 'Archived',
} as const);

export type Status = keyof typeof STATUSES;

/** The sub-statuses in the order in which `sub_status` lists them, and of their stored bits (see verdict-counts.ts): only append. */
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

/** The result of a review. */
export interface Verdict {
  readonly status: Status;
  /** In the order of the contract, without duplicates. Listed whatever the status is. */
  readonly subStatuses: readonly SubStatus[];
}
