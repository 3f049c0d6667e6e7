/** Chips above the offer list: all offers, the offers of each status with their number, and the saved views. */
import { Group, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { OfferFilters } from '../../../api/offer-filters.ts';
import { overviewQuery } from '../../../api/overview.ts';
import { useEnvironment, useStatusContext } from '../../../ui/environment.ts';
import { statusChoices } from '../../../ui/forms/status-select.tsx';
import { countText } from '../../../ui/numbers.ts';
import { offersByStatus } from '../offers-by-status.ts';
import classes from './offer-list.module.css';
import { isView, useOfferViews } from './offer-views.tsx';

interface StatusChipsProps {
  readonly filters: OfferFilters;
  readonly change: (next: OfferFilters) => void;
}

export function StatusChips({ filters, change }: StatusChipsProps) {
  const context = useStatusContext();
  const { data } = useQuery(overviewQuery(useEnvironment()));
  const [views] = useOfferViews();
  const { status, stock, sort: _sort, ...others } = filters;
  const rows = data === undefined ? [] : offersByStatus(data.offers, context);
  const { choices, value, choose } = statusChoices({
    statuses: data?.offers.by_status.map((one) => one.status) ?? [],
    chosen: filters,
    context,
    change: (next) => {
      const { status: _status, stock: _stock, ...rest } = filters;
      change({ ...rest, ...next });
    },
  });
  // The numbers of the overview are those of all offers.
  const isWhole = Object.keys(others).length === 0 && (stock === undefined || status !== undefined);
  const counted = (label: string) => (isWhole ? rows.find(({ name }) => name === label) : undefined);
  const view = views.find((one) => isView(one, filters));
  return (
    <Group className={classes.chips} gap={6} role="group" aria-label="Status">
      <ChipButton isOn={value === null && view === undefined} choose={() => (view ? change({}) : choose(null))}>
        All
        {data && isWhole && <Count text={countText(data.offers.total)} />}
      </ChipButton>
      {choices.map(({ value: one, label }) => (
        <ChipButton key={one} isOn={one === value && view === undefined} choose={() => choose(one)}>
          {label}
          <Count text={counted(label)?.text} />
        </ChipButton>
      ))}
      {views.map((one) => (
        <ChipButton key={`view ${one.name}`} isOn={one === view} choose={() => change(one.filters)}>
          {one.name}
        </ChipButton>
      ))}
    </Group>
  );
}

interface ChipButtonProps {
  readonly isOn: boolean;
  readonly choose: () => void;
  readonly children: ReactNode;
}

function ChipButton({ isOn, choose, children }: ChipButtonProps) {
  return (
    <UnstyledButton className={classes.chip} aria-pressed={isOn} onClick={choose}>
      {children}
    </UnstyledButton>
  );
}

function Count({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : <span className={classes.count}>{text}</span>;
}
