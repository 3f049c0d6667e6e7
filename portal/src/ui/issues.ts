/** Defines the portal's name and remedy for each issue of an offer, so that they are the same on every page. */
import { SUB_STATUSES, type SubStatus } from '#domain/vocabulary/statuses.ts';

/** The API's names are fixed, and some do not say what is wrong. For example, they call a product code a "SKU identifier". */
export const ISSUES: Readonly<Record<SubStatus, { readonly name: string; readonly fix: string }>> = {
  'Missing variation information': { name: 'Missing variation group', fix: 'Add the offer to a variation group' },
  'Missing title': { name: 'Missing title', fix: 'Add a title' },
  'Missing shipping weight': { name: 'Missing shipping weight', fix: 'Add a shipping weight' },
  'Missing price': { name: 'Missing price', fix: 'Set a price' },
  'Missing image': { name: 'Unusable image', fix: 'Replace the image' },
  'Missing category': { name: 'Missing category', fix: 'Choose a category' },
  'Missing brand': { name: 'Missing brand', fix: 'Add the brand' },
  'Missing attribute value': { name: 'Missing or invalid attribute', fix: 'Complete the attributes' },
  'Invalid SKU identifier': { name: 'Invalid product code', fix: 'Correct the product code' },
  'Invalid category': { name: 'Invalid category', fix: 'Choose another category' },
  'Incorrect multipack quantity': {
    name: 'Multipack quantity mismatch',
    fix: 'Correct the multipack quantity or the title',
  },
  'Additional SKU ID needed': {
    name: 'Product not identified',
    fix: 'Correct the product code or the brand, or add a code',
  },
};

/** The issues that only the merchant knows how to correct. */
const WITHOUT_FIXES: readonly SubStatus[] = [
  'Missing variation information',
  'Missing shipping weight',
  'Missing price',
  'Missing image',
];

/** Returns whether the server may know a fix for the issue. */
export function hasFixes(issue: SubStatus): boolean {
  return !WITHOUT_FIXES.includes(issue);
}

/** Choices for a filter. */
export const ISSUE_CHOICES = SUB_STATUSES.map((value) => ({ value, label: ISSUES[value].name }));

export function issueNames(subStatuses: readonly SubStatus[]): string {
  return subStatuses.map((one) => ISSUES[one].name).join(', ');
}
