/** First step of adding an offer: the product code or the title. A code that the catalog knows fills the form. */
import { Button, Card, Group, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '../../../../api/client.ts';
import { useEnvironment } from '../../../../ui/environment.ts';
import { Failed } from '../../../../ui/states.tsx';
import type { StoredOffer } from '../data-values.ts';
import { readProductStart } from './product-start.ts';

export interface FoundProduct {
  readonly offer: StoredOffer;
  /** What the first step found. */
  readonly note: string;
}

export function FindProduct({ proceed }: { readonly proceed: (found: FoundProduct) => void }) {
  const environment = useEnvironment();
  const [text, setText] = useState('');
  const start = readProductStart(text);
  const finding = useMutation({
    mutationFn: async (): Promise<FoundProduct> => {
      if (start.fault !== undefined || start.code === undefined) {
        return { offer: start.fault === undefined ? start.offer : {}, note: '' };
      }
      const params = { path: { environment }, query: { code: start.code } };
      const { product } = await ask(api.GET('/{environment}/catalog', { params }));
      if (product === null) return { offer: start.offer, note: `No offer has the code ${start.code} yet.` };
      const { title, brand, category } = product;
      const known = { product_title: title, brand, ...(category && { marketplace_browse_node_id: category.id }) };
      return { offer: { ...start.offer, ...known }, note: `Filled from the catalog for the code ${start.code}.` };
    },
    onSuccess: proceed,
  });
  return (
    <Card withBorder>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (start.fault === undefined && text.trim() !== '') finding.mutate();
        }}
      >
        <Stack>
          <TextInput
            label="Product code or title"
            description="Enter or scan the UPC, EAN, ISBN or GTIN, or the ASIN. Without a code, enter the title."
            maw={520}
            autoFocus
            value={text}
            error={start.fault}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          {finding.isError && <Failed error={finding.error} />}
          <Group>
            <Button
              type="submit"
              loading={finding.isPending}
              disabled={text.trim() === '' || start.fault !== undefined}
            >
              Continue
            </Button>
            <Button variant="default" onClick={() => proceed({ offer: {}, note: '' })}>
              Skip this step
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
