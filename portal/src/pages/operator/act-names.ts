/** Says in words what an entry of the activity log did, and which page shows its target. */

import { LOCALE } from '../../ui/numbers.ts';

/** Pages of operators without a parameter in their path. */
type ActPage =
  | '/operator/policies'
  | '/operator/placeholders'
  | '/operator/taxonomy'
  | '/operator/catalog'
  | '/operator/changes'
  | '/operator/users'
  | '/operator/offers'
  | '/operator/api-keys'
  | '/operator/webhooks';

interface ActName {
  readonly name: string;
  /** `merchant`: the page of the merchant that is the target. */
  readonly page?: ActPage | 'merchant';
}

/** By id of the call. */
const ACTS: Readonly<Record<string, ActName>> = {
  addMerchant: { name: 'Added merchant', page: 'merchant' },
  renameMerchant: { name: 'Renamed merchant', page: 'merchant' },
  noteMerchant: { name: 'Changed note on merchant', page: 'merchant' },
  suspendMerchant: { name: 'Suspended merchant', page: 'merchant' },
  resumeMerchant: { name: 'Resumed merchant', page: 'merchant' },
  viewAsMerchant: { name: 'Viewed as merchant', page: 'merchant' },
  recheckOffers: { name: 'Re-checked offers', page: '/operator/offers' },
  addPolicy: { name: 'Added policy', page: '/operator/policies' },
  removePolicy: { name: 'Removed policy', page: '/operator/policies' },
  addPlaceholder: { name: 'Added placeholder', page: '/operator/placeholders' },
  removePlaceholder: { name: 'Removed placeholder', page: '/operator/placeholders' },
  importTaxonomy: { name: 'Imported taxonomy', page: '/operator/taxonomy' },
  resetTaxonomy: { name: 'Reset taxonomy', page: '/operator/taxonomy' },
  putProduct: { name: 'Corrected product', page: '/operator/catalog' },
  undoRuleChange: { name: 'Undid change', page: '/operator/changes' },
  moveAnnouncedChange: { name: 'Changed date of announced change', page: '/operator/changes' },
  cancelAnnouncedChange: { name: 'Cancelled announced change', page: '/operator/changes' },
  restoreAnnouncedChange: { name: 'Announced change again', page: '/operator/changes' },
  addUser: { name: 'Added user', page: '/operator/users' },
  changeUserRole: { name: 'Changed role of user', page: '/operator/users' },
  resetUser: { name: 'Reset password of user', page: '/operator/users' },
  removeUser: { name: 'Removed user', page: '/operator/users' },
  signInWithProvider: { name: 'Signed in for the first time', page: '/operator/users' },
  addPasskey: { name: 'Added passkey' },
  setNeedsPasskey: { name: 'Changed whether a passkey is needed' },
  removePasskey: { name: 'Removed passkey' },
  addMarketplaceKey: { name: 'Created API key', page: '/operator/api-keys' },
  rollMarketplaceKey: { name: 'Rolled API key', page: '/operator/api-keys' },
  revokeMarketplaceKey: { name: 'Revoked API key', page: '/operator/api-keys' },
  addWebhook: { name: 'Added webhook', page: 'merchant' },
  changeWebhook: { name: 'Changed webhook', page: 'merchant' },
  removeWebhook: { name: 'Removed webhook', page: 'merchant' },
  rollWebhookSecret: { name: 'Rolled secret of webhook', page: 'merchant' },
  testWebhook: { name: 'Tested webhook', page: 'merchant' },
  disableWebhook: { name: 'Disabled webhook', page: 'merchant' },
};

/** Calls on webhooks of the marketplace have names of their own. */
function idOf(act: string): string {
  return act.replace('Storefront', '');
}

/** Choices for a filter. */
export const ACT_CHOICES = Object.entries(ACTS).map(([value, { name }]) => ({ value, label: name }));

interface Act {
  readonly by: string;
  readonly act: string;
  readonly subject: string;
}

/** What a call did. */
export function callName(id: string): string {
  return ACTS[idOf(id)]?.name ?? id;
}

export function actName({ by, act }: Act): string {
  return by === 'command line' ? `Ran offerbook ${act}` : callName(act);
}

/** Returns undefined if no page shows the target. */
export function actPage({ act, subject }: Act): ActName['page'] {
  if (act.includes('Webhook') && subject === 'marketplace') return '/operator/webhooks';
  // Commands such as `merchant suspend`.
  return act.startsWith('merchant ') && act !== 'merchant remove' ? 'merchant' : ACTS[act]?.page;
}

const DAY = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });

/** "kind: excluded_brand, enforced from 2026-11-22T09:00:00Z" becomes "Kind: excluded brand, applies from Nov 22, 2026, 9:00 AM". */
export function detailText(detail: string): string {
  const text = detail
    .replace(/(^|, )([a-z]+(?:_[a-z]+)+)(?=: )/g, (found) => found.replaceAll('_', ' '))
    .replace(/(?<=kind: )[a-z_]+/g, (kind) => kind.replaceAll('_', ' '))
    .replace(/enforced from (\S+Z)/, (_, at: string) => `applies from ${DAY.format(new Date(at))}`);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
