/** Finds results for the command palette besides pages: actions, a merchant's offers and files, an operator's merchants. */
import { useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { SUB_STATUSES } from '#domain/vocabulary/statuses.ts';
import { api, ask } from '../api/client.ts';
import { fileSearchQuery } from '../api/files.ts';
import { merchantsQuery } from '../api/operator-offers.ts';
import { type Environment, type Person, usePerson } from '../api/session.ts';
import { useEnvironment } from '../ui/environment.ts';
import { ISSUES } from '../ui/issues.ts';
import { sinceText } from '../ui/time.tsx';
import type { Found, FoundGroups } from './command-palette.tsx';

const SHOWN_MAX = 6;

/** `words` are other words that people may type for the action. */
type Action = Found & { readonly words?: string };

function merchantActions(environment: Environment, { role }: Person): readonly Action[] {
  const keys = `/${environment}/api-integration`;
  const settings = `/${environment}/settings`;
  const offers = `/${environment}/offers`;
  const changes: readonly Action[] = [
    { label: 'Add offer', icon: 'tag', path: `/${environment}/add-offer`, words: 'new product create' },
    { label: 'Upload file', icon: 'file', path: `/${environment}/files`, words: 'import csv excel spreadsheet bulk' },
    {
      label: 'Change prices',
      icon: 'tag',
      path: offers,
      change: 'price',
      words: 'raise lower increase reduce all offers',
    },
    { label: 'Change stock', icon: 'tag', path: offers, change: 'stock', words: 'quantity inventory all offers' },
    { label: 'Get API keys', icon: 'code', path: keys, words: 'create new add integration' },
    { label: 'Roll key', icon: 'code', path: keys, words: 'api rotate renew secret' },
    { label: 'Revoke key', icon: 'code', path: keys, words: 'api delete remove' },
    { label: 'Add webhook', icon: 'code', path: keys, search: { tab: 'webhooks' }, words: 'event new create' },
    { label: 'Add location', icon: 'sliders', path: settings, words: 'fulfillment node warehouse shipping' },
    { label: 'Change return policy', icon: 'sliders', path: settings, words: 'returns window location' },
  ];
  return [
    ...(role === 'merchant-viewer' ? [] : changes),
    ...SUB_STATUSES.map(
      (subStatus): Action => ({
        label: ISSUES[subStatus].name,
        detail: 'Show offers',
        icon: 'alert',
        path: offers,
        search: { sub_status: subStatus },
        words: `${subStatus} issue`,
      }),
    ),
    { label: 'Request log', icon: 'code', path: keys, search: { tab: 'requests' }, words: 'api error' },
    { label: 'Webhooks', icon: 'code', path: keys, search: { tab: 'webhooks' } },
    ...(role === 'merchant-admin'
      ? [{ label: 'Invite team member', icon: 'people', path: `/${environment}/team`, words: 'user add' } as const]
      : []),
    { label: 'Change password', icon: 'people', path: `/${environment}/account` },
  ];
}

const OPERATOR_ACTIONS: readonly Action[] = [
  { label: 'Add merchant', icon: 'store', path: '/operator/merchants', words: 'new create' },
  { label: 'Suspend merchant', icon: 'store', path: '/operator/merchants', words: 'resume block' },
  { label: 'Re-check offers', icon: 'tag', path: '/operator/offers', words: 'review again recheck' },
  { label: 'Invite operator', icon: 'people', path: '/operator/users', words: 'user add' },
  { label: 'Add policy', icon: 'shield', path: '/operator/policies', words: 'exclude forbid restrict brand' },
  { label: 'Undo a change', icon: 'shield', path: '/operator/policies', words: 'rules' },
  { label: 'Create key', icon: 'code', path: '/operator/api-keys', words: 'api new add program shop' },
  { label: 'Import taxonomy', icon: 'tree', path: '/operator/taxonomy', words: 'categories upload reset' },
  { label: 'Correct product', icon: 'codes', path: '/operator/catalog', words: 'upc brand title code' },
  { label: 'Change password', icon: 'people', path: '/operator/account' },
];

function useAppearances(): readonly Action[] {
  const { setColorScheme } = useMantineColorScheme();
  const words = 'appearance theme';
  return [
    { label: 'Dark mode', icon: 'sliders', path: '', words: `${words} night`, run: () => setColorScheme('dark') },
    { label: 'Light mode', icon: 'sliders', path: '', words: `${words} day`, run: () => setColorScheme('light') },
  ];
}

function actionsLike(words: string, actions: readonly Action[]) {
  const typed = words.toLowerCase().split(/\s+/);
  const found = actions.filter(({ label, words: more = '' }) =>
    typed.every((word) => `${label} ${more}`.toLowerCase().includes(word)),
  );
  return { label: 'Actions', found };
}

export function useMerchantResults(words: string): FoundGroups {
  const environment = useEnvironment();
  const person = usePerson();
  const isSearch = words !== '';
  const appearances = useAppearances();
  const offers = useQuery({
    queryKey: ['offers', environment, 'palette', words],
    queryFn: ({ signal }) =>
      ask(
        api.GET('/{environment}/offers', {
          params: { path: { environment }, query: { q: words, limit: SHOWN_MAX } },
          signal,
        }),
      ),
    enabled: isSearch,
  });
  const files = useQuery({ ...fileSearchQuery(environment, words, SHOWN_MAX), enabled: isSearch });
  const foundOffers = (offers.data?.offers ?? []).map(
    (offer): Found => ({
      label: offer.title || offer.sku,
      detail: offer.sku,
      icon: 'tag',
      path: '/$environment/offers/$sku',
      params: { environment, sku: offer.sku },
    }),
  );
  const all: Found = {
    label: `Search offers for "${words}"`,
    icon: 'search',
    path: `/${environment}/offers`,
    search: { q: words },
  };
  const foundFiles = (files.data?.files ?? []).map(
    (file): Found => ({
      label: file.file_name,
      detail: `${file.status}, ${sinceText(new Date(file.received))}`,
      icon: 'file',
      path: '/$environment/files/$fileId',
      params: { environment, fileId: file.marketplace_file_id },
    }),
  );
  // An exact SKU comes first: the user most likely means that offer.
  foundOffers.sort((one, other) => Number(other.detail === words) - Number(one.detail === words));
  return {
    groups: isSearch
      ? [
          actionsLike(words, [...merchantActions(environment, person), ...appearances]),
          { label: 'Offers', found: [...foundOffers, all] },
          { label: 'Files', found: foundFiles },
        ]
      : [],
    isLoading: isSearch && (offers.isPending || files.isPending),
  };
}

export function useOperatorResults(words: string): FoundGroups {
  const isSearch = words !== '';
  const appearances = useAppearances();
  const merchants = useQuery({ ...merchantsQuery, enabled: isSearch });
  const found = (merchants.data?.merchants ?? [])
    .filter(({ id, name }) => isLike(words, id, name))
    .slice(0, SHOWN_MAX)
    .map(
      ({ id, name }): Found => ({
        label: name,
        detail: id,
        icon: 'store',
        path: '/operator/merchants/$merchantId',
        params: { merchantId: id },
      }),
    );
  const all: Found = {
    label: `Search offers for "${words}"`,
    icon: 'search',
    path: '/operator/offers',
    search: { q: words },
  };
  const groups = [
    actionsLike(words, [...OPERATOR_ACTIONS, ...appearances]),
    { label: 'Merchants', found },
    { label: 'Offers', found: [all] },
  ];
  return { groups: isSearch ? groups : [], isLoading: isSearch && merchants.isPending };
}

function isLike(words: string, ...texts: readonly string[]): boolean {
  return texts.some((text) => text.toLowerCase().includes(words.toLowerCase()));
}
