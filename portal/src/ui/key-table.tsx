/** Lists active API keys with name, rights, creation time, last use and expiry: in a table, or in cards on a phone. */
import { Badge, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Key, Scope } from '../api/account-settings.ts';
import type { Environment } from '../api/session.ts';
import { CardList, useIsPhone } from './card-list.tsx';
import { DataTable } from './data-table.tsx';
import { countOf, decimalText } from './numbers.ts';
import { EnvironmentBadge } from './status-badge.tsx';
import { Time } from './time.tsx';

/** What a key with the scope can do. */
export const SCOPE_WORDS: Readonly<Record<Scope, { readonly label: string; readonly description: string }>> = {
  read: { label: 'Read', description: 'Offers, reviews, history, events, reports, settings and categories.' },
  listing: { label: 'Edit products', description: 'Upload, group, archive and re-check SKUs, and set exceptions.' },
  price: { label: 'Set prices', description: 'The price of each SKU.' },
  stock: { label: 'Set stock', description: 'Quantities at your locations.' },
  files: {
    label: 'Send files',
    description: 'Files of every type, which can change everything on all offers. Includes the files of other systems.',
  },
  webhooks: { label: 'Manage webhooks', description: 'Add, change and remove webhooks, which receive all events.' },
  storefront: { label: 'Read for the shop', description: 'Live offers of all merchants.' },
  operate: { label: 'Operate', description: 'Merchants, policies, taxonomy, catalog and the review, as operators do.' },
};

/** Scopes of keys by their owner. */
export const SCOPES_OF = {
  merchant: ['read', 'listing', 'price', 'stock', 'files', 'webhooks'],
  marketplace: ['storefront', 'operate'],
} satisfies Record<string, Scope[]>;

interface KeyTableProps {
  /** Keys, with their environment if the table shows both. */
  readonly keys: readonly (Key & { readonly environment?: Environment })[];
  /** Buttons of a row. */
  readonly actions?: ((key: Key) => ReactNode) | undefined;
}

function Cards({ keys, actions }: KeyTableProps) {
  return (
    <CardList rows={keys} keyOf={({ user }) => user}>
      {(key) => (
        <Stack gap={4}>
          <Group justify="space-between" gap="xs">
            <Text size="sm" fw={600} className="anywhere">
              {nameOf(key)}
            </Text>
            {key.environment && <EnvironmentBadge environment={key.environment} />}
          </Group>
          <Text size="xs" c="dimmed" ff="monospace" className="anywhere">
            {key.user}
          </Text>
          <Rights of={key} />
          <Text size="sm">
            Created <Time at={key.created} /> · last used <Time at={key.last_used} never="never" relative />
          </Text>
          <Replaced ends={key.ends} />
          {actions && <Group gap="xs">{actions(key)}</Group>}
        </Stack>
      )}
    </CardList>
  );
}

type PlanLimits = Pick<Key, 'plan_offers_max' | 'plan_price_percent_max' | 'plan_hours'>;
type KeyRights = Pick<Key, 'scopes' | 'sku_prefix'> & PlanLimits;

/** Shows what a key can do, unless it can do everything. */
function Rights({ of }: { readonly of: KeyRights }) {
  if (!isLimited(of)) return null;
  const scopes = hasSomeScopes(of) && of.scopes.map((scope) => SCOPE_WORDS[scope].label).join(', ');
  const skus = of.sku_prefix !== null && `Only SKUs that begin with ${of.sku_prefix}`;
  return (
    <Text size="xs" className="anywhere">
      {[scopes, skus, plansText(of)].filter(Boolean).join(' · ')}
    </Text>
  );
}

/** The guard rails of a key, which changes offers only with plans; '' if it has none. */
function plansText({
  plan_offers_max: offers,
  plan_price_percent_max: percent,
  plan_hours: hours,
}: PlanLimits): string {
  const limits = [
    offers !== null && `up to ${countOf(offers, 'offer')}`,
    percent !== null && `prices by up to ${decimalText(percent)}%`,
    hours !== null && `${hours} UTC`,
  ].filter(Boolean);
  return limits.length === 0 ? '' : `Plans: ${limits.join(', ')}`;
}

export function isLimited(key: KeyRights): boolean {
  return hasSomeScopes(key) || key.sku_prefix !== null || plansText(key) !== '';
}

/** A key of the marketplace always says what it can do. */
function hasSomeScopes({ scopes }: Pick<Key, 'scopes'>): boolean {
  return SCOPES_OF.merchant.some((scope) => !scopes.includes(scope));
}

/** Shows until when a rolled key works. Other keys do not expire. */
function Replaced({ ends }: Pick<Key, 'ends'>) {
  if (ends === null) return null;
  return (
    <Badge variant="light" color="orange" tt="none" mt={4}>
      Replaced, works until <Time at={ends} />
    </Badge>
  );
}

export function KeyTable({ keys, actions }: KeyTableProps) {
  const isPhone = useIsPhone();
  if (isPhone) return <Cards keys={keys} actions={actions} />;
  return (
    <DataTable
      minWidth={640}
      verticalSpacing="sm"
      rows={keys}
      keyOf={({ user }) => user}
      columns={[
        keys.some(({ environment }) => environment !== undefined) && {
          head: 'Environment',
          cell: ({ environment }) => environment && <EnvironmentBadge environment={environment} />,
        },
        {
          head: 'Key',
          cell: (key) => (
            <>
              <Text size="sm" fw={600}>
                {nameOf(key)}
              </Text>
              <Text size="xs" c="dimmed" ff="monospace">
                {key.user}
              </Text>
              <Rights of={key} />
              <Replaced ends={key.ends} />
            </>
          ),
        },
        { head: 'Created', cell: ({ created }) => <Time at={created} /> },
        { head: 'Last used', cell: ({ last_used }) => <Time at={last_used} relative /> },
        { head: 'Expires', cell: ({ ends }) => (ends === null ? 'Never' : <Time at={ends} />) },
      ]}
      actions={
        actions &&
        ((key) => (
          <Group gap="xs" justify="flex-end" wrap="nowrap">
            {actions(key)}
          </Group>
        ))
      }
    />
  );
}

export function nameOf({ name }: Pick<Key, 'name'>): string {
  return name === '' ? 'Unnamed key' : name;
}
