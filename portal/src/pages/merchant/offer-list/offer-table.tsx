/** Table of offers with selection, sortable columns, and shortcuts for its rows. */
import { Badge, Checkbox, Group, Table, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useCallbackRef, useMediaQuery } from '@mantine/hooks';
import { memo, type ReactNode, useRef } from 'react';
import type { OfferSort } from '#domain/vocabulary/offer-sorts.ts';
import { STATUSES } from '#domain/vocabulary/statuses.ts';
import type { OfferListSearch } from '../../../api/offer-filters.ts';
import type { ListedOffer } from '../../../api/offers.ts';
import type { Environment } from '../../../api/session.ts';
import { useEnvironment, useStatusContext } from '../../../ui/environment.ts';
import { ISSUES, issueNames } from '../../../ui/issues.ts';
import { TextLink } from '../../../ui/links.tsx';
import { countText, ordinalText } from '../../../ui/numbers.ts';
import { OfferImage } from '../../../ui/offer-image.tsx';
import { COLORS, OfferStatus, type StatusContext, statusName } from '../../../ui/status-badge.tsx';
import { Time } from '../../../ui/time.tsx';
import { isSelected, type Selection, SelectShown, toggled, withRange } from './bulk-bar.tsx';
import type { Edits } from './editable-cell.tsx';
import { PriceCell, StockCell } from './offer-cells.tsx';
import type { OfferColumn } from './offer-columns.tsx';
import classes from './offer-list.module.css';
import { useRowShortcuts } from './row-shortcuts.ts';

export interface ShownOffers {
  readonly offers: readonly ListedOffer[];
  /** The search that produced the list, for the link back from an offer. */
  readonly search: OfferListSearch;
  /** The selection; undefined if the user cannot make changes. */
  readonly selected: Selection | undefined;
  readonly setSelected: (selected: Selection) => void;
  /** Undefined if the user cannot make changes, or while other offers are being read. */
  readonly edits: Edits | undefined;
  /** True while other offers are read: the rows cannot be reached, but the headings keep the focus. */
  readonly isPrevious: boolean;
}

interface OfferTableProps extends ShownOffers {
  readonly columns: readonly OfferColumn[];
  readonly sort: OfferSort;
  readonly setSort: (sort: OfferSort) => void;
}

const TABLE_PX_MIN = 860;

export function OfferTable(props: OfferTableProps) {
  // A container that scrolls sideways would keep the head from sticking to the window.
  const fits = useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false });
  if (fits) return <Rows {...props} isHeadSticky />;
  return (
    <Table.ScrollContainer minWidth={TABLE_PX_MIN}>
      <Rows {...props} isHeadSticky={false} />
    </Table.ScrollContainer>
  );
}

function Rows({ isHeadSticky, ...props }: OfferTableProps & { readonly isHeadSticky: boolean }) {
  const { offers, search, selected, setSelected, edits, isPrevious, columns, sort, setSort } = props;
  const environment = useEnvironment();
  const context = useStatusContext();
  const table = useRef<HTMLTableElement>(null);
  const skus = offers.map(({ sku }) => sku);
  const last = useRef<string>(undefined);
  const toggle = useCallbackRef((sku: string, isRange: boolean) => {
    if (selected === undefined) return;
    const from = isRange ? last.current : undefined;
    setSelected(from === undefined ? toggled(selected, sku, skus) : withRange(selected, from, sku, skus));
    last.current = sku;
  });
  useRowShortcuts(table, selected && ((row, isRange) => toggle(skus[row] ?? '', isRange)));
  const sorting = { sort, setSort };
  const has = (column: OfferColumn) => columns.includes(column);
  return (
    <Table
      ref={table}
      className={classes.table}
      highlightOnHover
      horizontalSpacing={8}
      stickyHeader={isHeadSticky}
      stickyHeaderOffset="var(--app-shell-header-offset, 0px)"
    >
      <Table.Thead>
        <Table.Tr>
          {selected && (
            <Table.Th w={40}>
              <SelectShown skus={skus} selected={selected} setSelected={setSelected} />
            </Table.Th>
          )}
          <SortedHead label="Title" by="title" {...sorting} />
          {has('sku') && <SortedHead label="SKU" by="sku" {...sorting} />}
          {has('status') && <SortedHead label="Status" by="status" {...sorting} />}
          {has('price') && <SortedHead label="Price" by="price" isNumber {...sorting} />}
          {has('stock') && <SortedHead label="Stock" by="stock" isNumber {...sorting} />}
          {has('category') && <Table.Th>Category</Table.Th>}
          {has('updated') && <SortedHead label="Updated" by="updated" {...sorting} />}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody inert={isPrevious}>
        {offers.map((offer) => (
          <OfferRow
            key={offer.sku}
            {...{ offer, search, environment, columns, toggle, edits }}
            isSuspended={context.suspended}
            isSelected={selected && isSelected(selected, offer.sku)}
          />
        ))}
      </Table.Tbody>
    </Table>
  );
}

interface OfferRowProps extends Pick<OfferTableProps, 'search' | 'edits' | 'columns'> {
  readonly offer: ListedOffer;
  readonly environment: Environment;
  readonly isSuspended: boolean;
  readonly isSelected: boolean | undefined;
  readonly toggle: (sku: string, isRange: boolean) => void;
}

/** Rendered again only if it changes: 50 rows take longer than their request. */
const OfferRow = memo(function OfferRow(row: OfferRowProps) {
  const { offer, search, environment, isSuspended, isSelected, columns, toggle, edits } = row;
  const has = (column: OfferColumn) => columns.includes(column);
  return (
    <Table.Tr>
      {isSelected !== undefined && (
        <Table.Td>
          <Checkbox
            aria-label={`Select ${offer.sku}`}
            checked={isSelected}
            // The browser makes a change of a checkbox from the click.
            onChange={({ nativeEvent }) => toggle(offer.sku, (nativeEvent as MouseEvent).shiftKey)}
          />
        </Table.Td>
      )}
      <Table.Td className="anywhere" miw={308} w="30%">
        <Group gap="sm" wrap="nowrap">
          <OfferImage address={offer.image} size={28} />
          <OneLine title={offer.title} brand={offer.brand}>
            <OfferLink offer={offer} search={search} environment={environment} />
          </OneLine>
        </Group>
      </Table.Td>
      {has('sku') && (
        <Table.Td ff="monospace" fz="xs" miw="clamp(112px, 20vw - 144px, 170px)" className="anywhere">
          <Text inherit lh={1.3} lineClamp={2} title={offer.sku}>
            {offer.sku}
          </Text>
        </Table.Td>
      )}
      {has('status') && (
        <Table.Td>
          <Group gap="xs" wrap="nowrap">
            <StatusOrIssue offer={offer} asked={search.sub_status} context={{ environment, suspended: isSuspended }} />
            {offer.rank && (
              <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }} title="Rank among the offers of this product">
                {rankText(offer.rank)}
              </Text>
            )}
          </Group>
        </Table.Td>
      )}
      {has('price') && (
        <Table.Td ta="right" className="number">
          <PriceCell offer={offer} edits={edits} />
        </Table.Td>
      )}
      {has('stock') && (
        <Table.Td ta="right" className="number">
          <StockCell offer={offer} edits={edits} />
        </Table.Td>
      )}
      {has('category') && (
        <Table.Td miw="clamp(75px, 28vw - 283px, 130px)">
          <Text size="sm" lh={1.2} lineClamp={2} title={offer.category?.name ?? offer.category?.id}>
            {offer.category?.name ?? offer.category?.id}
          </Text>
        </Table.Td>
      )}
      {has('updated') && (
        <Table.Td style={{ whiteSpace: 'nowrap' }}>
          <Time at={offer.updated} relative size="sm" />
        </Table.Td>
      )}
    </Table.Tr>
  );
});

interface StatusOrIssueProps {
  readonly offer: ListedOffer;
  /** The issue that the list is filtered by. */
  readonly asked: string | undefined;
  readonly context: StatusContext;
}

/** An offer with issues shows one of them, and how many there are besides. The tooltip has all. */
function StatusOrIssue({ offer: { status, sub_status, quantity }, asked, context }: StatusOrIssueProps) {
  const shown = sub_status.find((issue) => issue === asked) ?? sub_status[0];
  if (shown === undefined || status !== STATUSES.missing)
    return <OfferStatus status={status} quantity={quantity} context={context} />;
  return (
    <Badge variant="light" color={COLORS.fix} className="status" title={issueNames(sub_status)}>
      <VisuallyHidden>{statusName(status, context)}: </VisuallyHidden>
      {ISSUES[shown].name}
      {sub_status.length > 1 && ` +${sub_status.length - 1}`}
    </Badge>
  );
}

export function rankText({ rank, of }: NonNullable<ListedOffer['rank']>): string {
  return `${ordinalText(rank)} of ${countText(of)}`;
}

interface OfferLinkProps {
  readonly offer: ListedOffer;
  readonly search: OfferListSearch;
  readonly environment: Environment;
  readonly lines?: number;
}

/** A longer title is cut after `lines` lines. */
export function OfferLink({ offer, search, environment, lines }: OfferLinkProps) {
  return (
    <TextLink
      to="/$environment/offers/$sku"
      params={{ environment, sku: offer.sku }}
      state={{ listed: search }}
      {...(lines === undefined ? {} : { lineClamp: lines })}
      fz="sm"
    >
      {offer.title.trim() || <Text c="dimmed">No title</Text>}
    </TextLink>
  );
}

interface OneLineProps {
  readonly title: string;
  readonly brand: string;
  /** Link with the title. */
  readonly children: ReactNode;
}

/** A long title is cut, and its brand then hidden. The tooltip shows both. */
function OneLine({ title, brand, children }: OneLineProps) {
  return (
    <div className={classes.title} title={`${title}\n${brand}`}>
      <Text component="div" size="sm" lineClamp={1} style={{ wordBreak: 'break-all' }}>
        {children}
      </Text>
      <Text size="xs" c="dimmed" truncate>
        {brand}
      </Text>
    </div>
  );
}

interface SortedHeadProps {
  readonly label: string;
  readonly by: 'title' | 'sku' | 'status' | 'price' | 'stock' | 'updated';
  readonly isNumber?: boolean;
  readonly sort: OfferSort;
  readonly setSort: (sort: OfferSort) => void;
}

function SortedHead({ label, by, isNumber = false, sort, setSort }: SortedHeadProps) {
  const order = sort === by ? 'ascending' : sort === `-${by}` ? 'descending' : 'none';
  const arrow = { ascending: ' ↑', descending: ' ↓', none: '' }[order];
  return (
    <Table.Th aria-sort={order} ta={isNumber ? 'right' : undefined}>
      <UnstyledButton style={{ whiteSpace: 'nowrap' }} onClick={() => setSort(sort === by ? `-${by}` : by)}>
        {label}
        {arrow}
      </UnstyledButton>
    </Table.Th>
  );
}
