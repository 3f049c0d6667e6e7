/** Page that adds an offer, empty or as a duplicate of another one. */
import { Card, Stack, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type OfferKey, offerQuery, refreshOffer } from '../../../api/offer.ts';
import { ApiError, type Problem } from '../../../api/problem.ts';
import { useMayChange } from '../../../api/session.ts';
import { useEnvironment } from '../../../ui/environment.ts';
import { useHeldForm } from '../../../ui/forms/held-form.ts';
import { TextLink } from '../../../ui/links.tsx';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Empty } from '../../../ui/states.tsx';
import { saveData } from './data-form.tsx';
import { DataSections } from './data-sections.tsx';
import {
  type DataValues,
  dataFieldName,
  dataFieldNames,
  missingValues,
  type StoredOffer,
  shoeTypeOf,
  valuesOf,
} from './data-values.ts';
import { type Fields, problemsOf, SaveBar, SavingRow } from './saving.tsx';

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
      {from === undefined ? (
        <AddForm key={environment} source={NEW} />
      ) : (
        <DuplicateForm key={environment} from={from} />
      )}
    </Page>
  );
}

const NEW: StoredOffer = Object.freeze({ multipack_quantity: 1 });

function DuplicateForm({ from }: { readonly from: string }) {
  const source = useQuery(offerQuery({ environment: useEnvironment(), sku: from }));
  return (
    <QueryView query={source} what="offer">
      {(found) => <AddForm source={found} />}
    </QueryView>
  );
}

/** The codes identify one product, so a duplicate starts without them. */
function newValues(source: StoredOffer): DataValues {
  const values = valuesOf(source);
  return { ...values, codes: [], plain: { ...values.plain, ASIN: '' } };
}

const SKU = 'sku';

function AddForm({ source }: { readonly source: StoredOffer }) {
  const environment = useEnvironment();
  const mayChange = useMayChange();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [sku, setSku] = useState('');
  const [values] = useState(() => newValues(source));
  const held = useHeldForm<DataValues>(values);
  const { form } = held;
  const fields: Fields = {
    names: () => [SKU, ...dataFieldNames(form.values)],
    nameOf: (pointer) => (pointer === `/${SKU}` ? SKU : dataFieldName(pointer, form.values)),
  };
  const key: OfferKey = { environment, sku: sku.trim() };
  const adding = useMutation({
    mutationFn: async (sent: DataValues) => {
      const fault = skuFault(key);
      // Nothing is sent then, so the server cannot report what else is missing.
      if (fault !== undefined) throw new ApiError(400, [skuProblem(fault), ...missingValues(sent)]);
      await saveData(key, source, sent, NEW_ONLY).catch((error) => {
        throw skuRefusal(error) ?? error;
      });
      return key;
    },
    onSuccess: async (added) => {
      notifications.show({ message: 'Offer added. Set its price and stock.', color: 'green' });
      await refreshOffer(queryClient, added);
      // The form still counts as unsaved.
      await navigate({ to: '/$environment/offers/$sku', params: added, replace: true, ignoreBlocker: true });
    },
    onError: (error) => {
      const { atFields } = problemsOf(error, fields);
      form.setErrors(atFields);
      form.getInputNode(Object.keys(atFields)[0] ?? '')?.focus();
    },
  });
  if (!mayChange)
    return <Empty title="You cannot add offers">Your role is read-only. Ask an administrator for access.</Empty>;
  const isDirty = sku !== '' || held.isDirty;
  return (
    <form onSubmit={form.onSubmit((sent) => adding.mutate(sent))}>
      <Stack>
        <Card withBorder>
          <TextInput
            label="SKU"
            description="Your own ID for this offer. It cannot be changed later."
            withAsterisk
            aria-required
            maw={420}
            value={sku}
            onChange={(event) => {
              setSku(event.currentTarget.value);
              form.clearFieldError(SKU);
            }}
            error={form.errors[SKU]}
            data-path={SKU}
          />
        </Card>
        <DataSections form={form} shoeType={shoeTypeOf(source)} readOnly={false} />
        <SaveBar mayChange>
          <SavingRow
            saving={adding}
            held={{
              isDirty,
              isBehind: false,
              discard: () => {
                setSku('');
                form.setValues(values);
                form.resetDirty(values);
                form.clearErrors();
              },
            }}
            fields={fields}
            mayChange
          />
        </SaveBar>
      </Stack>
    </form>
  );
}

function skuProblem(message: string): Problem {
  return { code: 'sku_invalid', field: `/${SKU}`, message };
}

/** The upload would replace an existing offer. */
const NEW_ONLY = Object.freeze({ 'If-None-Match': '*' });

function skuFault({ sku }: OfferKey): string | undefined {
  if (sku === '') return 'Enter a SKU.';
  // A browser leaves these out of the URL.
  return sku === '.' || sku === '..' ? 'A SKU must not be . or ..' : undefined;
}

/** Undefined if the server did not refuse the SKU. */
function skuRefusal(error: unknown): ApiError | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.has('sku_id_invalid')) return new ApiError(error.status, [skuProblem(error.message)]);
  if (!error.has('precondition_failed') && !error.has('sku_archived')) return undefined;
  return new ApiError(error.status, [skuProblem('You already have an offer with this SKU.')]);
}
