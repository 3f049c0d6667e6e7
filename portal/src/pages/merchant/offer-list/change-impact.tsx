/** Shows what a change to many offers would do, and applies it once it is confirmed. */
import { Button, Group, List, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { LIMITS } from '#domain/limits.ts';
import type { OfferFilters } from '../../../api/offer-filters.ts';
import { type ChangePreview, changePreviewQuery, type OffersChange } from '../../../api/offers.ts';
import { useHasHistory } from '../../../api/session.ts';
import { useEnvironment } from '../../../ui/environment.ts';
import { NumberField, type NumberValue } from '../../../ui/forms/number-field.tsx';
import { countOf, countText, decimalText, priceText } from '../../../ui/numbers.ts';
import { Failed } from '../../../ui/states.tsx';

/** Beyond either limit, the user types the number of offers. */
const OFFERS_UNTYPED_MAX = 1000;
const PERCENT_UNTYPED_MAX = 30;

interface ChangeImpactProps {
  readonly filters: OfferFilters;
  readonly change: OffersChange;
  /** Returns to the form; undefined if there is none. */
  readonly back: (() => void) | undefined;
  readonly close: () => void;
  readonly apply: () => void;
  readonly isPending: boolean;
  readonly children: ReactNode;
}

export function ChangeImpact({ filters, change, back, close, apply, isPending, children }: ChangeImpactProps) {
  const preview = useQuery(changePreviewQuery(useEnvironment(), filters, change));
  const [typed, setTyped] = useState<NumberValue>('');
  const offers = preview.data?.offers ?? 0;
  const isLarge = offers > OFFERS_UNTYPED_MAX || (preview.data?.prices?.percent_max ?? 0) > PERCENT_UNTYPED_MAX;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    apply();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {preview.isError && <Failed error={preview.error} retry={() => preview.refetch()} />}
        {(preview.isFetching || isPending) && (
          <Text role="status">Reading the offers. A large catalog takes up to a minute.</Text>
        )}
        {preview.data && <Impact preview={preview.data} change={change} />}
        {children}
        {isLarge && (
          <NumberField
            label={`Type ${countText(offers)} to confirm`}
            description={
              offers > OFFERS_UNTYPED_MAX
                ? 'The change affects many offers.'
                : `Prices change by up to ${decimalText(preview.data?.prices?.percent_max ?? 0)}%.`
            }
            isWhole
            value={typed}
            onChange={setTyped}
            data-autofocus
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={back ?? close} disabled={isPending}>
            {back === undefined ? 'Cancel' : 'Back'}
          </Button>
          {preview.data && offers === 0 ? (
            <Button onClick={close}>Close</Button>
          ) : (
            <Button
              type="submit"
              {...(isLarge || change.change === 'archive' ? { color: 'red' } : {})}
              loading={isPending}
              disabled={preview.data === undefined || (isLarge && typed !== offers)}
            >
              {ACTIONS[change.change] ?? 'Change'} {preview.data ? countOf(offers, 'offer') : 'offers'}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

const ACTIONS: Partial<Record<OffersChange['change'], string>> = { archive: 'Archive', unarchive: 'Unarchive' };
const RESULTS: Partial<Record<OffersChange['change'], string>> = { archive: 'be archived', unarchive: 'be unarchived' };

type Previewed = ChangePreview['examples'][number];

const REASONS: Readonly<Record<ChangePreview['skipped'][number]['reason'], string>> = {
  archived: 'Archived',
  not_archived: 'Not archived',
  no_price: 'No price',
  price_too_low: `New price below ${priceText(LIMITS.amount_min)}`,
  price_too_high: 'New price too high',
};

function Impact({ preview, change }: { readonly preview: ChangePreview; readonly change: OffersChange }) {
  const { offers, skipped, examples, prices } = preview;
  const hasHistory = useHasHistory();
  const text = prices === undefined ? countText : priceText;
  const what = prices === undefined ? 'Stock' : 'Price';
  return (
    <>
      <Stack gap={4}>
        <Text fw={600}>
          {offers === 0 ? 'No offers change' : `${countOf(offers, 'offer')} will ${RESULTS[change.change] ?? 'change'}`}
        </Text>
        {change.change === 'archive' && offers > 0 && (
          <Text size="sm">
            Archiving takes offers off sale and sets their stock to 0.
            {hasHistory && ' When you unarchive them, you can restore the stock.'}
          </Text>
        )}
        {skipped.length > 0 && (
          <>
            <Text size="sm">
              {countOf(
                skipped.reduce((sum, { offers: count }) => sum + count, 0),
                'offer',
              )}{' '}
              skipped:
            </Text>
            <List size="sm">
              {skipped.map(({ reason, offers: count }) => (
                <List.Item key={reason}>
                  {REASONS[reason]}: {countText(count)}
                </List.Item>
              ))}
            </List>
          </>
        )}
      </Stack>
      {examples.length > 0 && (
        <Table horizontalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{offers > examples.length ? 'First five offers' : 'Offer'}</Table.Th>
              <Table.Th ta="right">{what} before</Table.Th>
              <Table.Th ta="right">{what} after</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {examples.map((offer) => (
              <Row key={offer.sku} offer={offer} text={text} />
            ))}
            {prices && <Row label="Lowest new price" offer={prices.lowest} text={text} />}
            {prices && <Row label="Highest new price" offer={prices.highest} text={text} />}
          </Table.Tbody>
        </Table>
      )}
    </>
  );
}

interface RowProps {
  readonly label?: string;
  readonly offer: Previewed;
  readonly text: (value: number) => string;
}

function Row({ label, offer: { sku, title, before, after }, text }: RowProps) {
  return (
    <Table.Tr>
      <Table.Td className="anywhere">
        <Text size="sm" lineClamp={1} {...(label === undefined ? {} : { fw: 600 })}>
          {label ?? (title.trim() || 'No title')}
        </Text>
        <Text size="xs" c="dimmed" ff="monospace" lineClamp={1}>
          {sku}
        </Text>
      </Table.Td>
      <Table.Td ta="right" className="number">
        {before === null ? '—' : text(before)}
      </Table.Td>
      <Table.Td ta="right" className="number">
        {text(after)}
      </Table.Td>
    </Table.Tr>
  );
}
