/** Merges a catalog product into another one after a preview, and separates products that were merged. */
import { Alert, Box, Button, List, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '../../api/client.ts';
import { ApiError } from '../../api/problem.ts';
import type { components } from '../../api/schema.d.ts';
import type { Environment } from '../../api/session.ts';
import { withCodeNames } from '../../ui/forms/page-words.ts';
import { useFormMutation } from '../../ui/forms/use-form-mutation.ts';
import { TextLink } from '../../ui/links.tsx';
import { countOf, priceText } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { ProblemList } from '../../ui/problem-list.tsx';
import { plainCode } from './catalog-products.tsx';
import { type ChangeQuery, ImpactDialog, type RuleChange } from './impact-dialog.tsx';

type Product = components['schemas']['GetProductAnswer'];
type Merge = NonNullable<components['schemas']['PutProductAnswer']['merge']>;

interface MergeProps {
  readonly environment: Environment;
  readonly product: Product;
}

/** Replaces the form of a product that was merged into another one. */
export function MergedProduct({ environment, product: { code, same_as } }: MergeProps) {
  const { start, dialog } = useMergeDialog();
  const other = same_as ?? '';
  const separate = () =>
    start({
      title: 'Separate products',
      action: 'Separate',
      about: `${plainCode(code)} becomes a product of its own again, with its own offers.`,
      send: (query) =>
        inCodeNames(ask(api.PUT('/catalog', { params: { query }, body: { environment, code, same_as: null } }))),
    });
  return (
    <Stack align="flex-start">
      {dialog}
      <Alert color="gray" w="100%">
        {plainCode(code)} is the same product as <CodeLink environment={environment} code={other} />. Correct that one;
        its data applies to the offers of both.
      </Alert>
      <Button variant="default" onClick={separate}>
        Separate
      </Button>
    </Stack>
  );
}

export function MergePanel({ environment, product: { code, merged } }: MergeProps) {
  const { start, dialog } = useMergeDialog();
  const form = useForm({ initialValues: { same_as: '' } });
  const previewing = useFormMutation({
    form,
    fields: ['same_as'],
    mutationFn: async ({ same_as }: { readonly same_as: string }): Promise<RuleChange> => {
      const send = (query: ChangeQuery) =>
        inCodeNames(ask(api.PUT('/catalog', { params: { query }, body: { environment, code, same_as } })));
      const { impact, merge, brand, title } = await send({ preview: 'true' });
      return {
        title: 'Merge products',
        action: 'Merge',
        about: <MergePreview code={code} into={`${title} by ${brand}`} merge={merge} />,
        send,
        impact,
        done: form.reset,
      };
    },
    onSuccess: start,
  });
  return (
    <Panel title="Same product, other codes">
      {dialog}
      {merged.length > 0 && (
        <Text size="sm">
          Merged into this product:{' '}
          {merged.map((each, at) => (
            <span key={each}>
              {at > 0 && ', '}
              <CodeLink environment={environment} code={each} />
            </span>
          ))}
          . Open one to separate it.
        </Text>
      )}
      {merged.length === 0 && (
        <Box component="form" maw={560} onSubmit={form.onSubmit((values) => previewing.mutate(values))}>
          <Stack align="flex-start">
            <ProblemList problems={previewing.problems} />
            <TextInput
              label="Merge into the product with the code"
              description="The shop then shows the offers of both as one product."
              required
              w="100%"
              {...form.getInputProps('same_as')}
            />
            <Button type="submit" variant="default" loading={previewing.isPending}>
              Preview merge
            </Button>
          </Stack>
        </Box>
      )}
    </Panel>
  );
}

/** Rejects with problems that name products by their codes as printed, without advice for API clients. */
function inCodeNames<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    const shown = (text: string) => withCodeNames(text).replace(' with same_as null', '');
    throw new ApiError(
      error.status,
      error.problems.map((problem) => ({ ...problem, message: shown(problem.message) })),
    );
  });
}

function useMergeDialog() {
  const [change, setChange] = useState<RuleChange>();
  const queryClient = useQueryClient();
  const close = () => {
    setChange(undefined);
    void queryClient.invalidateQueries({ queryKey: ['catalog'] });
  };
  return { start: setChange, dialog: <ImpactDialog change={change} close={close} /> };
}

function CodeLink({ environment, code }: { readonly environment: Environment; readonly code: string }) {
  return (
    <TextLink inherit to="/operator/catalog" search={{ environment, code: plainCode(code) }}>
      {plainCode(code)}
    </TextLink>
  );
}

interface MergePreviewProps {
  readonly code: string;
  readonly into: string;
  readonly merge: Merge | null;
}

function MergePreview({ code, into, merge }: MergePreviewProps) {
  return (
    <>
      {plainCode(code)} becomes the same product as {into}.
      {merge && (
        <List size="sm" mt="xs">
          <List.Item>Codes: {merge.codes.map(plainCode).join(', ')}</List.Item>
          <List.Item>{countOf(merge.offers, 'offer')} on sale</List.Item>
          {merge.best_offers.map(({ multipack_quantity: pack, total, merchant_name: merchant, product_code: from }) => (
            <List.Item key={pack}>
              Best offer{pack === 1 ? '' : ` for a pack of ${pack}`}: {priceText(total)} with shipping from {merchant},
              now at {plainCode(from)}
            </List.Item>
          ))}
        </List>
      )}
    </>
  );
}
