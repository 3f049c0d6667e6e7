/** Products of the catalog: search with offers and best offer of each, offers that contradict their product, and the ranked offers of one product. */
import { Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, ask } from '../../api/client.ts';
import { foundOffers, keyOf, searchQuery } from '../../api/operator-offers.ts';
import { isOnePage } from '../../api/pages.ts';
import { ApiError } from '../../api/problem.ts';
import type { components } from '../../api/schema.d.ts';
import { type Environment, useSession } from '../../api/session.ts';
import { CardList } from '../../ui/card-list.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { SearchField } from '../../ui/forms/search-field.tsx';
import { ISSUES } from '../../ui/issues.ts';
import { TextLink } from '../../ui/links.tsx';
import { countOf, priceText } from '../../ui/numbers.ts';
import { OfferImage } from '../../ui/offer-image.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { Empty, Failed, Loading } from '../../ui/states.tsx';

type Product = components['schemas']['ListProductsAnswer']['products'][number];

/** The issue of offers whose code belongs to another product. */
const CONFLICT = 'Additional SKU ID needed';
const CONFLICTS_SHOWN_MAX = 5;

interface ProductsProps {
  readonly environment: Environment;
  readonly q: string;
}

export function Conflicts({ environment }: Pick<ProductsProps, 'environment'>) {
  const search = { environment, sub_status: CONFLICT } as const;
  const found = useInfiniteQuery(searchQuery(search));
  const offers = foundOffers(found.data?.pages ?? []).slice(0, CONFLICTS_SHOWN_MAX);
  if (offers.length === 0) return null;
  return (
    <Panel
      title="Offers that contradict their product"
      about={`Issue: ${ISSUES[CONFLICT].name}. The brand or the codes of the offer differ from the catalog.`}
      actions={
        <TextLink to="/operator/offers" search={search} size="sm">
          View all
        </TextLink>
      }
    >
      <Stack gap="xs">
        {offers.map((offer) => (
          <Group key={keyOf(offer)} gap="sm" wrap="nowrap">
            <OfferImage address={offer.image} size={32} />
            <Stack gap={0} miw={0} align="flex-start">
              <TextLink to="/operator/offers" search={{ q: offer.sku, environment }} size="sm" lineClamp={1}>
                {offer.title || 'No title'}
              </TextLink>
              <Text size="xs" c="dimmed" className="anywhere">
                {offer.sku} · {offer.brand} · {offer.merchant.name}
              </Text>
            </Stack>
          </Group>
        ))}
      </Stack>
    </Panel>
  );
}

export function Products({ environment, q }: ProductsProps) {
  const navigate = useNavigate({ from: '/operator/catalog' });
  const { storefront } = useSession();
  if (!storefront) {
    return (
      <Empty order={2} title="Products can't be listed">
        The storefront is off. Set STOREFRONT=on and restart the server, or look up a product by its code.
      </Empty>
    );
  }
  return (
    <Panel
      title="Products"
      about="Products with live offers in stock, and the offer that gets the order. Prices include shipping."
    >
      <Group role="search" aria-label="Products">
        <SearchField
          placeholder="Title or brand"
          value={q}
          change={(words) =>
            navigate({ search: words === '' ? { environment } : { environment, q: words }, replace: true })
          }
        />
      </Group>
      <ProductList key={`${environment} ${q}`} environment={environment} q={q} />
    </Panel>
  );
}

function ProductList({ environment, q }: ProductsProps) {
  const list = useInfiniteQuery({
    queryKey: ['products', environment, q],
    queryFn: ({ pageParam: cursor }) => {
      const query = { ...(q === '' ? {} : { q }), ...(cursor === undefined ? {} : { cursor }) };
      return ask(api.GET('/{environment}/products', { params: { path: { environment }, query } }));
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchOnWindowFocus: isOnePage,
  });
  if (list.isPending) return <Loading what="products" />;
  if (list.data === undefined) return <Failed error={list.error} retry={() => list.refetch()} />;
  const products = list.data.pages.flatMap((page) => page.products);
  return (
    <Stack>
      {list.isError && <Failed error={list.error} retry={() => list.fetchNextPage()} />}
      {products.length === 0 && !list.hasNextPage ? (
        <Empty title="No matching products">Search for whole words of the title or brand.</Empty>
      ) : (
        <CardList rows={products} keyOf={({ code }) => code}>
          {(product) => <ProductRow product={product} environment={environment} />}
        </CardList>
      )}
      <ShowMore list={list} />
    </Stack>
  );
}

interface ProductRowProps {
  readonly product: Product;
  readonly environment: Environment;
}

/** Only offers of the same pack size are compared, so a product may have several best offers. */
function ProductRow({ product, environment }: ProductRowProps) {
  const { code, title, brand, images, best_offers: best } = product;
  // An offer without a valid product code is a product of its own.
  const hasCode = !code.startsWith('offer:');
  const offers = best.reduce((sum, { rank_of: compared }) => sum + compared, 0);
  return (
    <Group wrap="nowrap" align="flex-start" gap="sm">
      <OfferImage address={images[0] ?? null} size={40} />
      <Stack gap={0} miw={0} flex={1} align="flex-start">
        {hasCode ? (
          <TextLink to="/operator/catalog" search={{ environment, code: plainCode(code) }} size="sm" lineClamp={2}>
            {title}
          </TextLink>
        ) : (
          <Text size="sm" lineClamp={2}>
            {title}
          </Text>
        )}
        <Text size="xs" c="dimmed" className="anywhere">
          {brand} · {hasCode ? plainCode(code) : 'No product code'} · {countOf(offers, 'offer')}
        </Text>
        {best.map((offer) => (
          <Text key={offer.multipack_quantity} size="sm" className="anywhere">
            {packText(offer.multipack_quantity)}
            <b>{priceText(offer.total)}</b> from {offer.merchant_name}
            {offer.rank_of > 1 && ` · ${offer.why}`}
          </Text>
        ))}
      </Stack>
    </Group>
  );
}

export function RankedOffers({ environment, code }: { readonly environment: Environment; readonly code: string }) {
  const { storefront } = useSession();
  const product = useQuery({
    queryKey: ['products', environment, 'ranked', code],
    enabled: storefront,
    queryFn: async () => {
      const path = { environment, product_code: code };
      try {
        return await ask(api.GET('/{environment}/products/{product_code}', { params: { path } }));
      } catch (error) {
        // No offer of it is live and in stock.
        if (error instanceof ApiError && error.has('product_not_found')) return null;
        throw error;
      }
    },
  });
  if (product.isError) return <Failed error={product.error} retry={() => product.refetch()} />;
  if (!product.data) return null;
  return (
    <Panel title="Ranked offers" about="The first offer of each pack size gets the order.">
      <DataTable
        minWidth={300}
        rows={product.data.offers}
        keyOf={({ merchant_id: merchant, merchant_sku: sku }) => `${merchant} ${sku}`}
        columns={[
          { head: 'Rank', cell: ({ rank, multipack_quantity: pack }) => `${packText(pack)}${rank}` },
          {
            head: 'Merchant',
            td: { className: 'anywhere' },
            cell: ({ merchant_id: merchantId, merchant_name: name }) => (
              <TextLink to="/operator/merchants/$merchantId" params={{ merchantId }}>
                {name}
              </TextLink>
            ),
          },
          { head: 'SKU', cell: ({ merchant_sku: sku }) => sku, td: { className: 'anywhere' }, visibleFrom: 'sm' },
          { head: 'With shipping', isNumber: true, cell: ({ total }) => priceText(total) },
          { head: 'Why', cell: ({ why }) => why },
        ]}
      />
    </Panel>
  );
}

function packText(quantity: number): string {
  return quantity === 1 ? '' : `Pack of ${quantity}: `;
}

/** As printed on the product: without `gtin:` and its leading zeros. */
export function plainCode(code: string): string {
  return code.replace(/^gtin:0{0,2}(?=\d{12})/, '').replace(/^asin:/, '');
}
