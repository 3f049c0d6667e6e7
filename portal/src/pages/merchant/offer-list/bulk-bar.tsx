/** Bar at the bottom of the window with the actions for the offers selected in the list. */
import { Button, Checkbox, Group, Menu, Paper, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { OfferFilters } from '../../../api/offer-filters.ts';
import type { OfferTotal } from '../../../api/offers.ts';
import { useSession } from '../../../api/session.ts';
import { useIsPhone } from '../../../ui/card-list.tsx';
import { useEnvironment } from '../../../ui/environment.ts';
import { lazyPart } from '../../../ui/lazy.tsx';
import { countOf, countText } from '../../../ui/numbers.ts';
import type { ChangeKind } from './change-offers.tsx';

const CopyToLive = lazyPart(() => import('./copy-to-live.tsx'), 'CopyToLive');
const ChangeOffers = lazyPart(() => import('./change-offers.tsx'), 'ChangeOffers');

/** SKU ids, or all offers that match the filters. */
export type Selection = ReadonlySet<string> | 'matching';

export function isSelected(selected: Selection, sku: string): boolean {
  return selected === 'matching' || selected.has(sku);
}

/** Selects or deselects an offer. Deselecting one of "all that match" leaves the other offers shown selected. */
export function toggled(selected: Selection, sku: string, shown: readonly string[]): Selection {
  const skus = new Set(selected === 'matching' ? shown : selected);
  if (!skus.delete(sku)) skus.add(sku);
  return skus;
}

/** Selects the offers from one to another, as shown; or deselects them, if the first was deselected last. */
export function withRange(selected: Selection, from: string, to: string, shown: readonly string[]): Selection {
  const [start = -1, end = -1] = [shown.indexOf(from), shown.indexOf(to)].sort((a, b) => a - b);
  if (start === -1) return toggled(selected, to, shown);
  const range = shown.slice(start, end + 1);
  const skus = new Set(selected === 'matching' ? shown : selected);
  const isOn = isSelected(selected, from);
  for (const sku of range) isOn ? skus.add(sku) : skus.delete(sku);
  return skus;
}

interface SelectShownProps {
  readonly skus: readonly string[];
  readonly selected: Selection;
  readonly setSelected: (selected: Selection) => void;
  readonly label?: string;
}

/** Selects all offers of the page, or none of them. */
export function SelectShown({ skus, selected, setSelected, ...props }: SelectShownProps) {
  const areAll = skus.every((sku) => isSelected(selected, sku));
  const others = selected === 'matching' ? [] : [...selected].filter((sku) => !skus.includes(sku));
  return (
    <Checkbox
      aria-label="Select all offers shown"
      checked={areAll}
      indeterminate={!areAll && skus.some((sku) => isSelected(selected, sku))}
      onChange={() => setSelected(new Set(areAll ? others : [...others, ...skus]))}
      {...props}
    />
  );
}

interface BulkBarProps {
  readonly selected: Selection;
  readonly setSelected: (selected: Selection) => void;
  /** SKU ids on the page. */
  readonly shown: readonly string[];
  readonly filters: OfferFilters;
  readonly total: OfferTotal | undefined;
  /** The change whose dialog is open at first. */
  readonly asked: ChangeKind | undefined;
}

/** How many actions a phone shows next to the menu with the others. */
const ACTIONS_ON_PHONE = 2;

const ACTIONS: readonly { readonly kind: ChangeKind | 'copy'; readonly label: string }[] = [
  { kind: 'price', label: 'Change price' },
  { kind: 'stock', label: 'Change stock' },
  { kind: 'archive', label: 'Archive' },
  { kind: 'unarchive', label: 'Unarchive' },
  { kind: 'copy', label: 'Copy to live' },
];

export function BulkBar({ selected, setSelected, shown, filters, total, asked }: BulkBarProps) {
  const { limits } = useSession();
  const environment = useEnvironment();
  const [kind, setKind] = useState<ChangeKind | 'copy' | undefined>(asked);
  const isPhone = useIsPhone();
  const actions = ACTIONS.filter(({ kind: action }) => action !== 'copy' || environment === 'test');
  const inMenu = isPhone ? actions.splice(ACTIONS_ON_PHONE) : [];
  const navigate = useNavigate();
  const close = () => {
    setKind(undefined);
    // A reload does not open the dialog again.
    if (asked !== undefined) void navigate({ to: '.', search: true, state: {}, replace: true });
  };
  const isNothing = selected !== 'matching' && selected.size === 0;
  const tooMany = selected !== 'matching' && selected.size > limits.offers_per_change_max;
  const isWholePage = selected !== 'matching' && shown.length > 0 && shown.every((sku) => selected.has(sku));
  const hasMore = total !== undefined && selected !== 'matching' && (total.is_more || total.offers > selected.size);
  const what = whatText(selected, total);
  return (
    <>
      {!isNothing && (
        <Paper
          withBorder
          shadow="md"
          p="sm"
          role="region"
          aria-label="Selected offers"
          style={{ position: 'sticky', bottom: 8, zIndex: 10 }}
        >
          <Group gap="xs">
            <Text size="sm" fw={600}>
              {selected === 'matching' ? `${capital(what)} selected` : `${countText(selected.size)} selected`}
            </Text>
            {(isWholePage || tooMany) && hasMore && (
              <Button size="compact-sm" variant="subtle" onClick={() => setSelected('matching')}>
                Select all that match
              </Button>
            )}
            <Button
              size="compact-sm"
              variant="subtle"
              aria-label="Clear selection"
              onClick={() => setSelected(new Set())}
            >
              {isPhone ? 'Clear' : 'Clear selection'}
            </Button>
            {actions.map(({ kind: action, label }) => (
              <Button
                key={action}
                size="compact-sm"
                variant={action === 'archive' ? 'light' : 'default'}
                {...(action === 'archive' ? { color: 'red' } : {})}
                disabled={tooMany}
                onClick={() => setKind(action)}
              >
                {label}
              </Button>
            ))}
            {inMenu.length > 0 && (
              <Menu position="top-end">
                <Menu.Target>
                  <Button size="compact-sm" variant="default" disabled={tooMany}>
                    More
                  </Button>
                </Menu.Target>
                <Menu.Dropdown>
                  {inMenu.map(({ kind: action, label }) => (
                    <Menu.Item
                      key={action}
                      {...(action === 'archive' ? { color: 'red' } : {})}
                      onClick={() => setKind(action)}
                    >
                      {label}
                    </Menu.Item>
                  ))}
                </Menu.Dropdown>
              </Menu>
            )}
            {tooMany && (
              <Text size="sm" c="var(--mantine-color-error)">
                Select at most {countOf(limits.offers_per_change_max, 'offer')} one by one, or all that match.
              </Text>
            )}
          </Group>
        </Paper>
      )}
      {kind === 'copy' && (
        <CopyToLive filters={filters} skus={selected === 'matching' ? undefined : [...selected]} close={close} />
      )}
      {kind !== undefined && kind !== 'copy' && (
        <ChangeOffers
          kind={kind}
          what={what}
          filters={filters}
          skus={selected === 'matching' ? undefined : [...selected]}
          close={close}
          done={() => setSelected(new Set())}
        />
      )}
    </>
  );
}

/** "3 offers", "all 12,300 matching offers". */
function whatText(selected: Selection, total: OfferTotal | undefined): string {
  if (selected !== 'matching') return countOf(selected.size, 'offer');
  if (total === undefined) return 'all matching offers';
  return total.is_more
    ? `all matching offers (more than ${countText(total.offers)})`
    : `all ${countOf(total.offers, 'matching offer')}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
