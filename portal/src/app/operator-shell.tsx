/** Frames the operator's pages. */
import { Badge } from '@mantine/core';
import { type PageLink, Shell } from './shell.tsx';

const PAGES: readonly PageLink[] = [
  { label: 'Merchants', path: '/operator/merchants' },
  { label: 'Users', path: '/operator/users' },
  { label: 'Policies', path: '/operator/policies' },
  { label: 'Taxonomy', path: '/operator/taxonomy' },
  { label: 'Catalog', path: '/operator/catalog' },
  { label: 'Placeholder images', path: '/operator/placeholders' },
  { label: 'System', path: '/operator/system' },
  { label: 'Activity log', path: '/operator/activity-log' },
];

export function OperatorShell() {
  return <Shell pages={PAGES} accountPath="/operator/account" head={<Badge variant="light">Operator</Badge>} />;
}
