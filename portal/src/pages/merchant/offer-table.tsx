/** In charge of the table of offers. */
import { Checkbox, Group, Stack, Table, Text, UnstyledButton } from '@mantine/core';
import type { OfferFilters, OfferSort } from '../../api/offer-filters.ts';
import type { ListedOffer } from '../../api/offers.ts';
import { useEnvironment } from '../../ui/environment.ts';
import { TextLink } from '../../ui/links.tsx';
import { countText, priceText } from '../../ui/numbers.ts';
import { OfferImage } from '../../ui/offer-image.tsx';
import { OfferStatus } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';

interface OfferTableProps {
  readonly offers: readonly ListedOffer[];
  /** By which they were found. */
  readonly filters: OfferFilters;
  readonly sort: OfferSort;
  readonly setSort: (sort: OfferSort) => void;
  /** SKU ids; undefined where the person may choose none. */
  readonly chosen: ReadonlySet<string> | undefined;
  readonly setChosen: (chosen: ReadonlySet<string>) => void;
}

export function OfferTable({ offers, filters, sort, setSort, chosen, setChosen }: OfferTableProps) {
  const toggle = (sku: string) => {
    if (chosen?.has(sku)) setChosen(new Set([...chosen].filter((one) => one !== sku)));
    else if (chosen) setChosen(new Set([...chosen, sku]));
  };
  const areAllChosen = chosen !== undefined && offers.every(({ sku }) => chosen.has(sku));
  return (
    <Table.ScrollContainer minWidth={860}>
      <Table highlightOnHover verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {chosen && (
              <Table.Th w={40}>
                <Checkbox
                  aria-label="Choose all offers shown"
                  checked={areAllChosen}
                  indeterminate={!areAllChosen && chosen.size > 0}
                  onChange={() => setChosen(new Set(areAllChosen ? [] : offers.map(({ sku }) => sku)))}
                />
              </Table.Th>
            )}
            <SortedHead label="Title" up="title" down="-title" sort={sort} setSort={setSort} />
            <SortedHead label="SKU" up="sku" down="-sku" sort={sort} setSort={setSort} />
            <Table.Th miw={190}>Status</Table.Th>
            <Table.Th ta="right">Price</Table.Th>
            <Table.Th ta="right">Stock</Table.Th>
            <Table.Th>Category</Table.Th>
            <Table.Th>Changed</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {offers.map((offer) => (
            <OfferRow
              key={offer.sku}
              offer={offer}
              filters={filters}
              isChosen={chosen?.has(offer.sku)}
              toggle={() => toggle(offer.sku)}
            />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface OfferRowProps {
  readonly offer: ListedOffer;
  readonly filters: OfferFilters;
  /** Undefined where it cannot be chosen. */
  readonly isChosen: boolean | undefined;
  readonly toggle: () => void;
}

function OfferRow({ offer, filters, isChosen, toggle }: OfferRowProps) {
  const environment = useEnvironment();
  return (
    <Table.Tr>
      {isChosen !== undefined && (
        <Table.Td>
          <Checkbox aria-label={`Choose ${offer.sku}`} checked={isChosen} onChange={toggle} />
        </Table.Td>
      )}
      <Table.Td className="anywhere" miw={240}>
        <Group gap="sm" wrap="nowrap">
          <OfferImage address={offer.image} size={40} />
          <Stack gap={0} miw={0}>
            <TextLink
              to="/$environment/offers/$sku"
              params={{ environment, sku: offer.sku }}
              state={{ listed: filters }}
              lineClamp={3}
            >
              {offer.title || <Text c="dimmed">No title</Text>}
            </TextLink>
            <Text size="xs" c="dimmed" lineClamp={1}>
              {offer.brand}
            </Text>
          </Stack>
        </Group>
      </Table.Td>
      <Table.Td ff="monospace" fz="sm" miw={130} className="anywhere">
        {offer.sku}
      </Table.Td>
      <Table.Td>
        <Stack gap={2} align="flex-start">
          <OfferStatus status={offer.status} />
          {offer.sub_status.length > 0 && (
            <Text size="xs" c="dimmed">
              {offer.sub_status.join(', ')}
            </Text>
          )}
        </Stack>
      </Table.Td>
      <Table.Td ta="right">{offer.price === null ? <Text c="dimmed">none</Text> : priceText(offer.price)}</Table.Td>
      <Table.Td ta="right">{countText(offer.quantity)}</Table.Td>
      <Table.Td>
        <Text size="sm">{offer.category?.name ?? offer.category?.id}</Text>
      </Table.Td>
      <Table.Td>
        <Time at={offer.updated} relative size="sm" />
      </Table.Td>
    </Table.Tr>
  );
}

interface SortedHeadProps {
  readonly label: string;
  readonly up: OfferSort;
  readonly down: OfferSort;
  readonly sort: OfferSort;
  readonly setSort: (sort: OfferSort) => void;
}

function SortedHead({ label, up, down, sort, setSort }: SortedHeadProps) {
  const order = sort === up ? 'ascending' : sort === down ? 'descending' : 'none';
  const arrow = { ascending: ' ↑', descending: ' ↓', none: '' }[order];
  return (
    <Table.Th aria-sort={order}>
      <UnstyledButton fw={700} fz="sm" onClick={() => setSort(sort === up ? down : up)}>
        {label}
        {arrow}
      </UnstyledButton>
    </Table.Th>
  );
}
