/** Frames the operator's pages. */
import type { PageGroup } from './navigation.tsx';
import { useOperatorResults } from './palette-results.ts';
import { Shell } from './shell.tsx';

const GROUPS: readonly PageGroup[] = [
  { pages: [{ label: 'Home', path: '/operator/home', icon: 'overview', key: 'h' }] },
  {
    label: 'Merchants',
    pages: [
      { label: 'Merchants', path: '/operator/merchants', icon: 'store', key: 'm' },
      { label: 'Offers', path: '/operator/offers', icon: 'tag', key: 'o' },
      { label: 'Users', path: '/operator/users', icon: 'people', key: 'u' },
    ],
  },
  {
    label: 'Rules',
    pages: [
      { label: 'Policies', path: '/operator/policies', icon: 'shield', key: 'p' },
      { label: 'Taxonomy', path: '/operator/taxonomy', icon: 'tree', key: 't' },
      { label: 'Catalog', path: '/operator/catalog', icon: 'codes', key: 'c' },
      { label: 'Placeholder images', path: '/operator/placeholders', icon: 'image', key: 'i' },
      { label: 'Changes', path: '/operator/changes', icon: 'calendar', key: 'd' },
    ],
  },
  {
    label: 'Operations',
    pages: [
      { label: 'Review backlog', path: '/operator/review', icon: 'clock', key: 'r' },
      { label: 'System', path: '/operator/system', icon: 'pulse', key: 's' },
      { label: 'API keys', path: '/operator/api-keys', icon: 'code', key: 'k' },
      { label: 'Webhooks', path: '/operator/webhooks', icon: 'webhook', key: 'w' },
      { label: 'Activity log', path: '/operator/activity-log', icon: 'log', key: 'a' },
    ],
  },
];

export function OperatorShell() {
  return (
    <Shell
      groups={GROUPS}
      accountPath="/operator/account"
      owner="Marketplace operator"
      head={null}
      useFound={useOperatorResults}
      findable="Page, action or merchant"
    />
  );
}
