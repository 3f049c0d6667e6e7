/** What the command palette finds besides pages: a merchant's offers and files, an operator's merchants. */
import { useQuery } from '@tanstack/react-query';
import { api, ask } from '../api/client.ts';
import { filesQuery } from '../api/files.ts';
import { useEnvironment } from '../ui/environment.ts';
import type { Found, FoundGroups } from './command-palette.tsx';

const SHOWN_MAX = 6;

export function useMerchantResults(words: string): FoundGroups {
  const environment = useEnvironment();
  const isSearch = words !== '';
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
  const files = useQuery({ ...filesQuery(environment, 1), enabled: isSearch });
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
  const foundFiles = (files.data?.files ?? [])
    .filter((file) => isLike(words, file.file_name, file.marketplace_file_id))
    .slice(0, SHOWN_MAX)
    .map(
      (file): Found => ({
        label: file.file_name,
        detail: file.status,
        icon: 'file',
        path: '/$environment/files/$fileId',
        params: { environment, fileId: file.marketplace_file_id },
      }),
    );
  // An exact SKU is what was meant.
  foundOffers.sort((one, other) => Number(other.detail === words) - Number(one.detail === words));
  return {
    groups: isSearch
      ? [
          { label: 'Offers', found: [...foundOffers, all] },
          { label: 'Files', found: foundFiles },
        ]
      : [],
    isLoading: isSearch && (offers.isPending || files.isPending),
  };
}

export function useOperatorResults(words: string): FoundGroups {
  const isSearch = words !== '';
  const merchants = useQuery({
    queryKey: ['merchants'],
    queryFn: () => ask(api.GET('/merchants')),
    enabled: isSearch,
  });
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
    { label: 'Merchants', found },
    { label: 'Offers', found: [all] },
  ];
  return { groups: isSearch ? groups : [], isLoading: isSearch && merchants.isPending };
}

function isLike(words: string, ...texts: readonly string[]): boolean {
  return texts.some((text) => text.toLowerCase().includes(words.toLowerCase()));
}
