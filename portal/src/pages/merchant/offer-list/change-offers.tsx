/** Dialog that changes price, stock or archive flag of many offers, and follows the bulk file that does it. */
import { Box, Checkbox, SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { nodesQuery } from '../../../api/account-settings.ts';
import type { OfferFilters } from '../../../api/offer-filters.ts';
import { changeOffers, type OffersChange } from '../../../api/offers.ts';
import { useHasHistory } from '../../../api/session.ts';
import { Dialog, DialogButtons } from '../../../ui/dialog.tsx';
import { useEnvironment } from '../../../ui/environment.ts';
import { NumberField, type NumberValue } from '../../../ui/forms/number-field.tsx';
import { Failed } from '../../../ui/states.tsx';
import { ChangeImpact } from './change-impact.tsx';
import { Result } from './change-result.tsx';

export type ChangeKind = 'price' | 'stock' | 'archive' | 'unarchive';

interface ChangeOffersProps {
  readonly kind: ChangeKind;
  /** "3 offers". */
  readonly what: string;
  readonly filters: OfferFilters;
  /** The selected SKUs; undefined for all offers that match the filters. */
  readonly skus: readonly string[] | undefined;
  readonly close: () => void;
  /** Called when the change was accepted. */
  readonly done: () => void;
}

const TITLES: Readonly<Record<ChangeKind, string>> = {
  price: 'Change price',
  stock: 'Change stock',
  archive: 'Archive offers',
  unarchive: 'Unarchive offers',
};

export function ChangeOffers({ kind, what: now, filters, skus, close, done }: ChangeOffersProps) {
  const environment = useEnvironment();
  const queryClient = useQueryClient();
  // Keeps the selection from when the dialog opened, because it is cleared when the change is accepted.
  const [{ what, chosen }] = useState({ what: now, chosen: skus });
  // The change whose impact is shown. Archiving has nothing to fill in first.
  const [change, setChange] = useState<OffersChange | undefined>(kind === 'archive' ? { change: kind } : undefined);
  const sent = change && { ...change, ...(chosen === undefined ? {} : { skus: [...chosen] }) };
  const changing = useMutation({
    mutationFn: (body: OffersChange) => changeOffers(environment, filters, body),
    onSuccess: async ({ file }) => {
      if (file !== undefined) done();
      await queryClient.invalidateQueries({ queryKey: ['files', environment] });
    },
  });
  return (
    <Dialog isOpen close={close} title={TITLES[kind]} size="lg" hold={changing.isPending ? 'busy' : undefined}>
      {changing.data !== undefined && <Result changed={changing.data} close={close} />}
      {changing.data === undefined && sent !== undefined && (
        <ChangeImpact
          filters={filters}
          change={sent}
          back={kind === 'archive' ? undefined : () => setChange(undefined)}
          close={close}
          apply={() => changing.mutate(sent)}
          isPending={changing.isPending}
        >
          {changing.isError && <Failed error={changing.error} />}
        </ChangeImpact>
      )}
      {/* Keeps what was typed, for Back. */}
      <Box display={change === undefined ? undefined : 'none'}>
        {kind !== 'archive' && <ChangeForm kind={kind} what={what} close={close} next={setChange} />}
      </Box>
    </Dialog>
  );
}

interface ChangeFormProps {
  readonly kind: Exclude<ChangeKind, 'archive'>;
  readonly what: string;
  readonly close: () => void;
  readonly next: (change: OffersChange) => void;
}

function ChangeForm({ kind, what, close, next }: ChangeFormProps) {
  const [change, setChange] = useState<OffersChange>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (change !== undefined) next(change);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {kind === 'unarchive' && <UnarchiveFields what={what} set={setChange} />}
        {kind === 'price' && <PriceFields what={what} set={setChange} />}
        {kind === 'stock' && <StockFields what={what} set={setChange} />}
        <DialogButtons close={close} isPending={false} disabled={change === undefined}>
          Preview change
        </DialogButtons>
      </Stack>
    </form>
  );
}

interface FieldsProps {
  readonly what: string;
  /** Called with the change, or with undefined while the fields are incomplete. */
  readonly set: (change: OffersChange | undefined) => void;
}

function UnarchiveFields({ what, set }: FieldsProps) {
  const hasHistory = useHasHistory();
  const [withStock, setWithStock] = useState(hasHistory);
  useEffect(() => set({ change: 'unarchive', restore_stock: withStock }), [withStock, set]);
  return (
    <>
      <Text>
        Unarchive {what}?{!withStock && ' Their stock stays 0.'}
      </Text>
      {hasHistory && (
        <Checkbox
          label="Restore the stock from before archiving"
          description="Only for offers whose archiving is still in the history."
          checked={withStock}
          onChange={(event) => setWithStock(event.currentTarget.checked)}
        />
      )}
    </>
  );
}

type PriceChange = 'set_price' | 'add_percent_to_price' | 'add_to_price';

function PriceFields({ what, set }: FieldsProps) {
  const [how, setHow] = useState<PriceChange>('add_percent_to_price');
  const [amount, setAmount] = useState<NumberValue>('');
  useEffect(() => {
    set(typeof amount === 'number' ? { change: how, amount } : undefined);
  }, [how, amount, set]);
  const hasHistory = useHasHistory();
  return (
    <>
      <Text size="sm">
        For {what}. Archived offers are skipped{how !== 'set_price' && ', and offers without a price'}.
        {hasHistory && ' You can undo the change later, under Files.'}
      </Text>
      <SegmentedControl
        aria-label="How to change the price"
        value={how}
        onChange={(value) => setHow(value as PriceChange)}
        data={[
          { value: 'add_percent_to_price', label: 'By percent' },
          { value: 'add_to_price', label: 'By amount' },
          { value: 'set_price', label: 'Set price' },
        ]}
      />
      <NumberField
        label={{ set_price: 'New price', add_percent_to_price: 'Percent', add_to_price: 'Amount' }[how]}
        description={
          how === 'set_price'
            ? 'Price overrides for individual locations are removed.'
            : 'A negative number lowers prices.'
        }
        // The keypad of a phone has no minus.
        inputMode="text"
        unit={how === 'add_percent_to_price' ? '%' : '$'}
        value={amount}
        onChange={setAmount}
        data-autofocus
      />
    </>
  );
}

function StockFields({ what, set }: FieldsProps) {
  const environment = useEnvironment();
  const nodes = useQuery(nodesQuery(environment));
  const ids = nodes.data?.fulfillment_nodes.map(({ fulfillment_node_id }) => fulfillment_node_id) ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const [quantity, setQuantity] = useState<NumberValue>('');
  const node = chosen ?? (ids.length === 1 ? ids[0] : undefined);
  useEffect(() => {
    const isComplete = node !== undefined && typeof quantity === 'number';
    set(isComplete ? { change: 'set_stock', fulfillment_node_id: node, quantity } : undefined);
  }, [node, quantity, set]);
  if (nodes.isError) return <Failed error={nodes.error} retry={() => nodes.refetch()} />;
  return (
    <>
      <Text size="sm">For {what}. Archived offers are skipped.</Text>
      <Select label="Location" data={ids} value={node ?? null} onChange={setChosen} searchable data-autofocus />
      <NumberField label="Quantity" isWhole value={quantity} onChange={setQuantity} />
    </>
  );
}
