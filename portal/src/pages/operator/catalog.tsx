/** Catalog page: lists products, looks one up by code and corrects it. */
import { Alert, Badge, Button, Group, SegmentedControl, Text, TextInput } from '@mantine/core';
import { queryOptions, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, ask, askVersioned, type Versioned } from '../../api/client.ts';
import { keyOf, searchQuery } from '../../api/operator-offers.ts';
import { ApiError } from '../../api/problem.ts';
import type { components } from '../../api/schema.d.ts';
import type { Environment } from '../../api/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { useHeldForm } from '../../ui/forms/held-form.ts';
import { type Fields, SavingForm, useSaving } from '../../ui/forms/saving.tsx';
import { TextLink } from '../../ui/links.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { OfferStatus } from '../../ui/status-badge.tsx';
import { Conflicts, Products, plainCode, RankedOffers } from './catalog-products.tsx';
import { type ChangeQuery, ImpactDialog, type RuleChange } from './impact-dialog.tsx';
import { MergedProduct, MergePanel } from './merge-product.tsx';
import { NodePicker } from './node-picker.tsx';
import { RecentChanges } from './recent-changes.tsx';

type Product = Versioned<components['schemas']['GetProductAnswer']>;

/** How often offers are read again, so that new statuses appear soon after a correction. */
const REFRESH_MS = 5000;

interface Lookup {
  readonly environment: Environment;
  readonly code: string;
}

export function CatalogPage() {
  const { environment = 'live', code, q = '' } = useSearch({ from: '/operator/catalog' });
  const navigate = useNavigate();
  const { form } = useHeldForm<Lookup>({ environment, code: code ?? '' });
  const lookup = code === undefined ? undefined : { environment, code };
  const open = (search: Lookup) => {
    // The fields follow the URL again.
    form.resetDirty(search);
    void navigate({ to: '/operator/catalog', search });
  };
  const product = useQuery({ ...productQuery({ environment, code: code ?? '' }), enabled: code !== undefined });
  return (
    <Page
      title={lookup ? product.data?.title || lookup.code : 'Catalog'}
      about={
        lookup ? (
          <>
            <TextLink to="/operator/catalog" search={{ environment }} display="inline-block">
              All products
            </TextLink>{' '}
            · {lookup.code}
          </>
        ) : (
          'Find products, their offers and the best one. After a correction, the offers of a product are re-reviewed.'
        )
      }
    >
      <form onSubmit={form.onSubmit(open)}>
        <Group align="flex-end">
          <SegmentedControl
            aria-label="Environment"
            data={[
              { value: 'live', label: 'Live' },
              { value: 'test', label: 'Test' },
            ]}
            value={form.values.environment}
            onChange={(chosen) => {
              form.setFieldValue('environment', chosen as Environment);
              // The product below belongs to the other environment.
              if (lookup) open({ environment: chosen as Environment, code: lookup.code });
              else void navigate({ to: '/operator/catalog', search: { environment: chosen as Environment } });
            }}
          />
          <Group align="flex-end" wrap="nowrap" gap="xs">
            <TextInput
              label="Product code"
              placeholder="UPC, EAN, ISBN, GTIN-14 or ASIN"
              required
              withAsterisk={false}
              flex="0 1 280px"
              {...form.getInputProps('code')}
            />
            <Button type="submit" flex="none">
              Look up
            </Button>
          </Group>
        </Group>
      </form>
      {lookup ? (
        <>
          <ProductPanel key={`${lookup.environment} ${lookup.code}`} lookup={lookup} />
          <RankedOffers key={`ranked ${lookup.environment} ${lookup.code}`} {...lookup} />
          <OffersOfProduct lookup={lookup} />
        </>
      ) : (
        <>
          <Conflicts environment={environment} />
          <Products environment={environment} q={q} />
        </>
      )}
      <RecentChanges />
    </Page>
  );
}

function productQuery({ environment, code }: Lookup) {
  return queryOptions({
    queryKey: ['catalog', environment, code],
    queryFn: async (): Promise<Product | null> => {
      try {
        return await askVersioned(api.GET('/catalog', { params: { query: { environment, code } } }));
      } catch (error) {
        if (error instanceof ApiError && error.has('product_unknown')) return null;
        throw error;
      }
    },
  });
}

function ProductPanel({ lookup }: { readonly lookup: Lookup }) {
  const product = useQuery(productQuery(lookup));
  const { environment } = lookup;
  const into = product.data?.same_as;
  return (
    <>
      <Panel
        title={into ? `${lookup.code} was merged into ${product.data?.title}` : 'Product'}
        actions={
          into && (
            <TextLink to="/operator/catalog" search={{ environment, code: plainCode(into) }}>
              View {plainCode(into)}
            </TextLink>
          )
        }
      >
        <QueryView query={product} what="product">
          {(found) =>
            found?.same_as ? (
              <MergedProduct environment={environment} product={found} />
            ) : (
              <ProductForm lookup={lookup} product={found} />
            )
          }
        </QueryView>
      </Panel>
      {product.data && product.data.same_as === null && <MergePanel environment={environment} product={product.data} />}
    </>
  );
}

/** The search looks the code up first, and finds up to 50 offers that use it. */
function OffersOfProduct({ lookup: { environment, code } }: { readonly lookup: Lookup }) {
  const found = useInfiniteQuery({ ...searchQuery({ q: code, environment }), refetchInterval: REFRESH_MS });
  const offers = found.data?.pages[0]?.exact ?? [];
  if (offers.length === 0) return null;
  return (
    <Panel
      title="Offers with this code or SKU"
      actions={
        <TextLink to="/operator/offers" search={{ q: code, environment }} size="sm">
          View in offers
        </TextLink>
      }
    >
      <DataTable
        minWidth={300}
        rows={offers}
        keyOf={keyOf}
        columns={[
          { head: 'SKU', cell: ({ sku }) => sku, td: { className: 'anywhere' } },
          {
            head: 'Merchant',
            cell: ({ merchant }) => (
              <TextLink to="/operator/merchants/$merchantId" params={{ merchantId: merchant.id }}>
                {merchant.name}
              </TextLink>
            ),
          },
          { head: 'Brand', cell: ({ brand }) => brand, visibleFrom: 'sm' },
          {
            head: 'Status',
            cell: ({ status, quantity, merchant: { suspended } }) => (
              <OfferStatus status={status} quantity={quantity} context={{ environment, suspended }} />
            ),
          },
        ]}
      />
    </Panel>
  );
}

const fields: Fields = { names: () => ['brand', 'title', 'category'] };

function ProductForm({ lookup, product }: { readonly lookup: Lookup; readonly product: Product | null }) {
  const [change, setChange] = useState<RuleChange>();
  const queryClient = useQueryClient();
  const held = useHeldForm(
    {
      brand: product?.brand ?? '',
      title: product?.title ?? '',
      category: product?.category ? String(product.category.id) : null,
    },
    product?.etag,
  );
  const { form } = held;
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['catalog'] });
  const saving = useSaving({
    held,
    fields,
    save: async (sent, header): Promise<RuleChange> => {
      const { brand, title, category } = sent;
      // Ids may be beyond 2^53.
      const categoryId = category === null ? null : (BigInt(category) as unknown as number);
      const send = (query: ChangeQuery) =>
        ask(
          api.PUT('/catalog', { params: { query, header }, body: { ...lookup, brand, title, category: categoryId } }),
        );
      const { impact } = await send({ preview: 'true' });
      const about = `${lookup.environment === 'live' ? 'Live' : 'Test'} environment: offers of ${lookup.code} are re-reviewed.`;
      return {
        title: product === null ? 'Add product' : 'Correct product',
        action: 'Save',
        about,
        send,
        impact,
        done: () => held.noteSaved(sent),
      };
    },
    refresh,
    proceed: setChange,
  });
  const close = () => {
    setChange(undefined);
    // The product may have changed while the dialog was open.
    void refresh();
  };
  return (
    <SavingForm saving={saving} held={held} fields={fields} mayChange changesAt="" maw={560}>
      <ImpactDialog change={change} close={close} />
      {product === null ? (
        <Alert color="gray">
          This code is not in the catalog yet. Its first offer adds it, or you can add it here.
        </Alert>
      ) : (
        <Group gap="xs">
          <Text ff="monospace">{plainCode(product.code)}</Text>
          <Badge variant="light" tt="none">
            {product.origin === 'operator' ? 'Corrected by an operator' : 'From first offer'}
          </Badge>
        </Group>
      )}
      <TextInput label="Brand" {...form.getInputProps('brand')} />
      <TextInput label="Title" {...form.getInputProps('title')} />
      <NodePicker
        value={form.values.category}
        stored={product?.category}
        onChange={(value) => form.setFieldValue('category', value)}
        error={form.errors.category}
      />
    </SavingForm>
  );
}
