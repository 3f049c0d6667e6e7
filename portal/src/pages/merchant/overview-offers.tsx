/** Offers on the overview: tiles, the issues to fix first, and the share of each status. All lead to the filtered list. */
import { Button, Card, Group, SimpleGrid, Stack, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createLink } from '@tanstack/react-router';
import { type ComponentProps, useState } from 'react';
import { STATUSES } from '#domain/vocabulary/statuses.ts';
import type { OfferFilters } from '../../api/offer-filters.ts';
import { heldBackQuery, type Overview } from '../../api/overview.ts';
import { useEnvironment, useStatusContext } from '../../ui/environment.ts';
import { Icon, type IconName } from '../../ui/icons.tsx';
import { ISSUES } from '../../ui/issues.ts';
import { TextLink } from '../../ui/links.tsx';
import { countOf, countText, priceText } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { Empty } from '../../ui/states.tsx';
import { OUT_OF_STOCK, offerColor, offerMeaning, statusName } from '../../ui/status-badge.tsx';
import { estimateText, offersByStatus, type StatusRow } from './offers-by-status.ts';
import classes from './overview-offers.module.css';

interface OverviewProps {
  readonly overview: Overview;
}

const BLOCKS: Readonly<Record<string, string>> = {
  [STATUSES.unauthorized]: 'Ask the marketplace for approval',
  [STATUSES.excluded]: 'Not allowed on this marketplace',
};

const FIXES_SHOWN_MAX = 6;
const HELD_REFRESH_MS = 60_000;

const CardLink = createLink((props: ComponentProps<'a'>) => <Card component="a" {...props} />);
const RowLink = createLink((props: ComponentProps<'a'>) => <UnstyledButton component="a" {...props} />);

/** Each tile counts the offers that its link finds. "In review" also counts unreviewed offers, which have no status to filter by. */
export function OfferTiles({ overview: { offers } }: OverviewProps) {
  const context = useStatusContext();
  const review = offers.by_status.find(({ status }) => offerMeaning(status) === 'waiting');
  const issues = offers.by_status.find(({ status }) => status === STATUSES.missing);
  const stockText = (count: number) => estimateText(offers, count);
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'sm', sm: 'md' }}>
      <Tile
        label={statusName(STATUSES.available, context)}
        icon={context.suspended ? 'blocked' : 'check'}
        color={offerColor(STATUSES.available, context)}
        count={stockText(offers.for_sale)}
        filters={{ status: STATUSES.available, stock: 'in' }}
      />
      <Tile
        label={OUT_OF_STOCK}
        icon="box"
        color="gray"
        count={stockText(offers.out_of_stock)}
        filters={{ status: STATUSES.available, stock: 'out' }}
      />
      <Tile
        label={statusName(STATUSES.missing, context)}
        icon="alert"
        color={offerColor(STATUSES.missing, context)}
        count={countText(issues?.offers ?? 0)}
        filters={{ status: STATUSES.missing }}
      />
      <Tile
        label="In review"
        icon="clock"
        color="blue"
        count={countText(offers.in_review)}
        filters={review ? { status: review.status } : {}}
      />
    </SimpleGrid>
  );
}

interface TileProps {
  readonly label: string;
  readonly icon: IconName;
  readonly color: string;
  readonly count: string;
  readonly filters: OfferFilters;
}

function Tile({ label, icon, color, count, filters }: TileProps) {
  const environment = useEnvironment();
  return (
    <CardLink to="/$environment/offers" params={{ environment }} search={filters} className={classes.tile}>
      <Group gap={8} wrap="nowrap" c={`var(--mantine-color-${color}-text)`}>
        <Icon name={icon} />
        <Text size="sm" fw={550} c="dimmed">
          {label}
        </Text>
      </Group>
      <Text className={classes.count}>{count}</Text>
    </CardLink>
  );
}

export function FixFirst({ overview: { offers } }: OverviewProps) {
  const [isAllShown, setAllShown] = useState(false);
  const blocked = offers.by_status.filter(({ status, offers: count }) => status in BLOCKS && count > 0);
  const environment = useEnvironment();
  const { data: held } = useQuery({ ...heldBackQuery(environment), refetchInterval: HELD_REFRESH_MS });
  // Issues of offers in review may disappear without action.
  const toFix = offers.by_status.find(({ status }) => status === STATUSES.missing)?.offers ?? 0;
  const heldBy = (issue: string) => held?.by_sub_status.find(({ sub_status }) => sub_status === issue);
  const listValue = (issue: string) => heldBy(issue)?.list_value ?? 0;
  // The most frequent issue comes first among those that hold back the same value.
  const kinds =
    toFix === 0
      ? []
      : offers.by_sub_status.toSorted((one, other) => listValue(other.sub_status) - listValue(one.sub_status));
  const issues = isAllShown ? kinds : kinds.slice(0, FIXES_SHOWN_MAX);
  const heldText = ({ units = 0, list_value: value = 0 }: { units?: number; list_value?: number } = {}) => {
    // The server reads the offers of a status after those of another, and may not have come to these.
    if (held === undefined || (held.is_more && units === 0)) return undefined;
    const least = held.is_more ? 'At least ' : '';
    return `${least}${countOf(units, 'unit')}${value > 0 ? ` · ${priceText(value)}` : ''} held back`;
  };
  const rows: readonly FixRowProps[] = [
    ...issues.map(({ sub_status, offers: count }) => {
      const { name: text, fix: detail } = ISSUES[sub_status];
      return {
        icon: 'alert',
        text,
        detail,
        count,
        held: heldText(heldBy(sub_status)),
        filters: { sub_status },
      } as const;
    }),
    ...blocked.map(({ status, offers: count }) => {
      const own = held?.by_status.find((one) => one.status === status);
      const detail = BLOCKS[status] ?? '';
      return { icon: 'blocked', text: status, detail, count, held: heldText(own), filters: { status } } as const;
    }),
  ];
  return (
    <Panel title="Fix these first">
      {rows.length === 0 ? (
        <Empty title="No issues">
          {offers.in_review === 0
            ? 'Every offer has the data it needs.'
            : 'Offers in review are listed here if the review finds issues.'}
        </Empty>
      ) : (
        <Stack gap={0}>
          {rows.map((row) => (
            <FixRow key={row.text} {...row} />
          ))}
          {kinds.length > issues.length && (
            <Button variant="subtle" onClick={() => setAllShown(true)}>
              Show {countOf(kinds.length - issues.length, 'more kind of issue', 'more kinds of issues')}
            </Button>
          )}
        </Stack>
      )}
    </Panel>
  );
}

interface FixRowProps {
  readonly icon: 'alert' | 'blocked';
  readonly text: string;
  readonly detail: string;
  readonly count: number;
  /** Undefined until it is known. */
  readonly held: string | undefined;
  readonly filters: OfferFilters;
}

function FixRow({ icon, text, detail, count, held, filters }: FixRowProps) {
  const environment = useEnvironment();
  return (
    <RowLink to="/$environment/offers" params={{ environment }} search={filters} className={classes.row}>
      <span className={classes.sign} data-blocked={icon === 'blocked' || undefined}>
        <Icon name={icon} />
      </span>
      <Stack gap={0} flex={1} miw={0}>
        <Text fw={550}>{text}</Text>
        <Text size="sm" c="dimmed">
          {detail}
        </Text>
        <Text size="sm" c="dimmed" hiddenFrom="sm">
          {held}
        </Text>
      </Stack>
      <Stack gap={0} ta="right">
        <Text size="sm">{countOf(count, 'offer')}</Text>
        <Text size="sm" c="dimmed" visibleFrom="sm">
          {held}
        </Text>
      </Stack>
      <Icon name="chevron" size={16} />
    </RowLink>
  );
}

export function OffersByStatus({ overview: { offers } }: OverviewProps) {
  const environment = useEnvironment();
  const rows = offersByStatus(offers, useStatusContext());
  return (
    <Panel title="Offers by status">
      <svg className={classes.shares} aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 100 1">
        {sharesOf(rows).map(({ name, color, from, share }) => (
          <rect key={name} x={from} width={share} height="1" fill={shade(color)} />
        ))}
      </svg>
      <Stack gap={10}>
        {rows.map(({ name, color, text, filters }) => (
          <Group key={name} gap="sm" wrap="nowrap">
            <svg width="8" height="8" aria-hidden="true">
              <circle cx="4" cy="4" r="4" fill={shade(color)} />
            </svg>
            <TextLink
              to="/$environment/offers"
              params={{ environment }}
              search={filters}
              c="var(--mantine-color-text)"
              flex={1}
            >
              {name}
            </TextLink>
            <Text fw={600}>{text}</Text>
          </Group>
        ))}
      </Stack>
    </Panel>
  );
}

function shade(color: string): string {
  return `var(--mantine-color-${color}-6)`;
}

/** Returns the share of each row in percent. */
function sharesOf(rows: readonly StatusRow[]) {
  const all = Math.max(
    1,
    rows.reduce((sum, { count }) => sum + count, 0),
  );
  let from = 0;
  return rows.map(({ name, color, count }) => {
    const share = (count / all) * 100;
    from += share;
    return { name, color, from: from - share, share };
  });
}
