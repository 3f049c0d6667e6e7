/** Page that adds an offer with its price and stock, empty or as a duplicate of another one. */
import { Box, Button, Card, Group, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { nodesQuery } from '../../../../api/account-settings.ts';
import { api, ask } from '../../../../api/client.ts';
import { type OfferKey, offerQuery, pathOf, refreshOffer } from '../../../../api/offer.ts';
import { ApiError, type Problem } from '../../../../api/problem.ts';
import { useMayChange } from '../../../../api/session.ts';
import { useEnvironment } from '../../../../ui/environment.ts';
import { useHeldForm } from '../../../../ui/forms/held-form.ts';
import { MoneyField, NumberField, type NumberValue } from '../../../../ui/forms/number-field.tsx';
import { type Fields, problemsOf, SaveBar, SavingRow } from '../../../../ui/forms/saving.tsx';
import { TextLink } from '../../../../ui/links.tsx';
import { Page } from '../../../../ui/page.tsx';
import { QueryView } from '../../../../ui/query-view.tsx';
import { Empty } from '../../../../ui/states.tsx';
import { IdentityFields } from '../data-sections.tsx';
import {
  bodyOf,
  type DataValues,
  dataFieldName,
  dataFieldNames,
  missingValues,
  type StoredOffer,
  shoeTypeOf,
  valuesOf,
} from '../data-values.ts';
import { nodeFieldName } from '../node-panel.tsx';
import { FindProduct, type FoundProduct } from './find-product.tsx';
import {
  CODE_FIELDS,
  FoldedSections,
  GroupIndex,
  PlainInputs,
  REQUIRED_FIELDS,
  useFoldedGroups,
} from './folded-sections.tsx';

export function AddOfferPage() {
  const environment = useEnvironment();
  const { from } = useSearch({ from: '/$environment/add-offer' });
  return (
    <Page
      title={from === undefined ? 'Add offer' : `Duplicate ${from}`}
      about={
        <TextLink to="/$environment/offers" params={{ environment }}>
          All offers
        </TextLink>
      }
    >
      {from === undefined ? <AddInSteps key={environment} /> : <DuplicateForm key={environment} from={from} />}
    </Page>
  );
}

const NEW: StoredOffer = Object.freeze({ multipack_quantity: 1 });

function AddInSteps() {
  const [found, setFound] = useState<FoundProduct>();
  if (!useMayChange()) return <ReadOnly />;
  if (found === undefined) return <FindProduct proceed={setFound} />;
  const offer = { ...NEW, ...found.offer };
  return <AddForm source={offer} values={valuesOf(offer)} note={found.note} startOver={() => setFound(undefined)} />;
}

function ReadOnly() {
  return <Empty title="You cannot add offers">Your access is read-only. Ask an administrator to add the offer.</Empty>;
}

function DuplicateForm({ from }: { readonly from: string }) {
  const source = useQuery(offerQuery({ environment: useEnvironment(), sku: from }));
  return (
    <QueryView query={source} what="offer">
      {(found) => <AddForm source={found} values={newValues(found)} />}
    </QueryView>
  );
}

/** The codes identify one product, so a duplicate starts without them. */
function newValues(source: StoredOffer): DataValues {
  const values = valuesOf(source);
  return { ...values, codes: [], plain: { ...values.plain, ASIN: '' } };
}

const SKU = 'sku';
const PRICE = 'price';
const quantityName = (at: number) => `nodes.${at}.quantity`;

function sentNode({ id, quantity }: NewValues['nodes'][number]) {
  return { fulfillment_node_id: id, quantity: quantity as number };
}

/** The price and the stock are optional. */
interface NewValues {
  readonly sku: string;
  readonly price: NumberValue;
  readonly nodes: readonly { readonly id: string; readonly quantity: NumberValue }[];
}

type AddFormProps = Omit<NewOfferFormProps, 'nodeIds'>;

function AddForm(props: AddFormProps) {
  const nodes = useQuery(nodesQuery(useEnvironment()));
  return (
    <QueryView query={nodes} what="locations">
      {({ fulfillment_nodes: places }) => (
        <NewOfferForm {...props} nodeIds={places.map((node) => node.fulfillment_node_id)} />
      )}
    </QueryView>
  );
}

interface NewOfferFormProps {
  readonly source: StoredOffer;
  readonly values: DataValues;
  readonly nodeIds: readonly string[];
  /** What the first step found. */
  readonly note?: string;
  /** Returns to the first step. */
  readonly startOver?: () => void;
}

function NewOfferForm({ source, values: given, nodeIds, note, startOver }: NewOfferFormProps) {
  const environment = useEnvironment();
  const mayChange = useMayChange();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [values] = useState(given);
  const data = useHeldForm<DataValues>(values);
  const other = useHeldForm<NewValues>({ sku: '', price: '', nodes: nodeIds.map((id) => ({ id, quantity: '' })) });
  const { form } = data;
  const { sku, price, nodes } = other.form.values;
  const stocked = nodes.filter((node) => node.quantity !== '');
  const fields: Fields = {
    names: () => [SKU, PRICE, ...nodes.map((_node, at) => quantityName(at)), ...dataFieldNames(form.values)],
    nameOf: (pointer) => {
      if (pointer === `/${SKU}` || pointer === `/${PRICE}`) return pointer.slice(1);
      return nodeFieldName(pointer, 'quantity', stocked, nodes) ?? dataFieldName(pointer, form.values);
    },
  };
  const key: OfferKey = { environment, sku: sku.trim() };
  const adding = useMutation({
    mutationFn: async (sent: DataValues) => {
      other.form.clearErrors();
      const fault = skuFault(key);
      // Nothing is sent in this case, so the server cannot report what else is missing.
      if (fault !== undefined) throw new ApiError(400, [skuProblem(fault), ...missingValues(sent)]);
      const { product_type_id } = source;
      const body = {
        sku: { ...bodyOf(sent, source), ...(product_type_id === undefined ? {} : { product_type_id }) },
        ...(price === '' ? {} : { price: { price: price as number } }),
        ...(stocked.length === 0 ? {} : { inventory: { fulfillment_nodes: stocked.map(sentNode) } }),
      };
      const params = { path: pathOf(key), header: NEW_ONLY };
      await ask(api.PUT('/{environment}/merchant-skus/{user_defined_sku_id}/offer', { params, body })).catch(
        (error) => {
          throw skuRefusal(error) ?? withoutPartNames(error);
        },
      );
      return key;
    },
    onSuccess: async (added) => {
      const isForSale = price !== '' && stocked.length > 0;
      const message = isForSale ? 'Offer added.' : 'Offer added. Set its price and stock to sell it.';
      notifications.show({ message, color: 'green' });
      await refreshOffer(queryClient, added);
      // Skips the confirmation, because the form still counts as unsaved.
      await navigate({ to: '/$environment/offers/$sku', params: added, replace: true, ignoreBlocker: true });
    },
    onError: (error) => {
      const { atFields } = problemsOf(error, fields);
      form.setErrors(atFields);
      other.form.setErrors(atFields);
    },
  });
  const folded = useFoldedGroups(form.errors);
  const page = useRef<HTMLFormElement>(null);
  const { error } = adding;
  // After the render that shows the errors and opens their groups. The center is never below the save bar.
  useEffect(() => {
    if (error === null) return;
    const first = page.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    first?.scrollIntoView({ block: 'center' });
    first?.focus({ preventScroll: true });
  }, [error]);
  if (!mayChange) return <ReadOnly />;
  const isDirty = other.isDirty || data.isDirty;
  return (
    <form ref={page} onSubmit={form.onSubmit((sent) => adding.mutate(sent))}>
      <Group align="flex-start" wrap="nowrap" gap="lg">
        <Stack flex={1} miw={0}>
          <Card withBorder component="section" aria-label="Needed fields">
            <Stack>
              <Group justify="space-between">
                <Title order={2} size="h4">
                  Needed fields
                </Title>
                {startOver && !isDirty && (
                  <Button variant="subtle" size="compact-sm" onClick={startOver}>
                    Another product
                  </Button>
                )}
              </Group>
              <Text size="sm" c="dimmed">
                {note} Fields marked with * are required. An offer also needs a product code or an ASIN.
              </Text>
              <TextInput
                label="SKU"
                description="Your own ID for this offer. It cannot be changed later."
                withAsterisk
                aria-required
                maw={420}
                {...other.form.getInputProps(SKU)}
              />
              <PlainInputs fields={REQUIRED_FIELDS} form={form} />
              <IdentityFields form={form} shoeType={shoeTypeOf(source)} readOnly={false} />
              <PlainInputs fields={CODE_FIELDS} form={form} />
              <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
                <MoneyField label="Price" {...other.form.getInputProps(PRICE)} />
                {nodes.map((node, at) => (
                  <NumberField
                    key={node.id}
                    label={nodes.length === 1 ? 'Stock' : `Stock at ${node.id}`}
                    isWhole
                    {...other.form.getInputProps(quantityName(at))}
                  />
                ))}
              </SimpleGrid>
              <Text size="sm" c="dimmed">
                {nodes.length === 0 ? (
                  <>
                    <TextLink to="/$environment/settings" params={{ environment }}>
                      Add a location in Settings
                    </TextLink>{' '}
                    to set stock.
                  </>
                ) : (
                  'Price and stock are needed to go live. You can set them later.'
                )}
              </Text>
            </Stack>
          </Card>
          <FoldedSections form={form} folded={folded} />
          <SaveBar mayChange>
            <SavingRow
              saving={adding}
              held={{
                isDirty,
                isBehind: false,
                discard: () => {
                  for (const { discard, form } of [other, data]) {
                    discard();
                    form.clearErrors();
                  }
                },
              }}
              fields={fields}
              mayChange
            />
          </SaveBar>
        </Stack>
        <Box visibleFrom="md" w={210} pos="sticky" top="calc(var(--app-shell-header-offset, 0px) + 16px)">
          <GroupIndex form={form} />
        </Box>
      </Group>
    </form>
  );
}

function skuProblem(message: string): Problem {
  return { code: 'sku_invalid', field: `/${SKU}`, message };
}

/** Without this header, the call would replace an existing offer. */
const NEW_ONLY = Object.freeze({ 'If-None-Match': '*' });

function skuFault({ sku }: OfferKey): string | undefined {
  if (sku === '') return 'Enter a SKU.';
  // Browsers remove these path segments from URLs.
  return sku === '.' || sku === '..' ? 'A SKU must not be . or ..' : undefined;
}

/** Returns undefined if the server did not refuse the SKU. */
function skuRefusal(error: unknown): ApiError | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.has('sku_id_invalid')) return new ApiError(error.status, [skuProblem(error.message)]);
  if (!error.has('precondition_failed') && !error.has('sku_archived')) return undefined;
  return new ApiError(error.status, [skuProblem('You already have an offer with this SKU.')]);
}

/** The parts share no field names, so `/sku/brand` becomes `/brand`, as in the part's own call. */
function withoutPartNames(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  return new ApiError(
    error.status,
    error.problems.map((problem) => ({ ...problem, field: problem.field.replace(/^\/\w+(?=\/)/, '') })),
  );
}
