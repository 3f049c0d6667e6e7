/** Search, filters and sort order above the offer list. */
import { Button, Group, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { OfferSort } from '#domain/vocabulary/offer-sorts.ts';
import { upcomingQuery } from '../../../api/announced-changes.ts';
import type { OfferFilters } from '../../../api/offer-filters.ts';
import { useEnvironment } from '../../../ui/environment.ts';
import { CategoryPicker } from '../../../ui/forms/category-picker.tsx';
import { FilterDrawer } from '../../../ui/forms/filter-drawer.tsx';
import { SearchField } from '../../../ui/forms/search-field.tsx';
import { ISSUE_CHOICES } from '../../../ui/issues.ts';

const SORTS: { value: OfferSort; label: string }[] = [
  { value: 'newest', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
  { value: 'title', label: 'Title, A to Z' },
  { value: '-title', label: 'Title, Z to A' },
  { value: 'sku', label: 'SKU, A to Z' },
  { value: '-sku', label: 'SKU, Z to A' },
  { value: 'status', label: 'Status, A to Z' },
  { value: '-status', label: 'Status, Z to A' },
  { value: 'price', label: 'Price, low to high' },
  { value: '-price', label: 'Price, high to low' },
  { value: 'stock', label: 'Stock, low to high' },
  { value: '-stock', label: 'Stock, high to low' },
  { value: '-updated', label: 'Recently updated' },
  { value: 'updated', label: 'Longest unchanged' },
];

interface OfferFilterBarProps {
  readonly filters: OfferFilters;
  /** With `replace`, the change is a step of typing that Back does not return to. */
  readonly change: (next: OfferFilters, replace?: boolean) => void;
}

export function OfferFilterBar({ filters, change }: OfferFilterBarProps) {
  const environment = useEnvironment();
  const upcoming = useQuery(upcomingQuery(environment));
  const announced = upcoming.data?.changes.map(({ id, rule }) => ({ value: String(id), label: rule })) ?? [];
  const { sort, ...active } = filters;
  const { q: _q, status: _status, ...chosen } = active;
  const set = (name: keyof OfferFilters, value: string | null) => change(withFilter(filters, name, value));
  return (
    <Group align="flex-end" gap="xs" role="search" aria-label="Offer filters">
      <SearchField
        placeholder="Title, brand, SKU or product code"
        value={filters.q ?? ''}
        change={(q) => change(withFilter(filters, 'q', q), true)}
      />
      <FilterDrawer count={Object.keys(chosen).length}>
        {(width) => (
          <>
            <Select
              label="Issue"
              placeholder="All"
              clearable
              searchable
              w={width(140)}
              data={ISSUE_CHOICES}
              value={filters.sub_status ?? null}
              onChange={(value) => set('sub_status', value)}
            />
            <CategoryPicker
              value={filters.category ?? null}
              onChange={(value) => set('category', value)}
              w={width(170)}
            />
            <Select
              label="Stock"
              placeholder="All"
              clearable
              w={width(110)}
              data={[
                { value: 'in', label: 'In stock' },
                { value: 'out', label: 'Out of stock' },
              ]}
              value={filters.stock ?? null}
              onChange={(value) => set('stock', value)}
            />
            {(announced.length > 0 || filters.upcoming !== undefined) && (
              <Select
                label="Announced change"
                placeholder="All"
                clearable
                w={width(170)}
                data={[{ value: 'yes', label: 'Offers that will fail' }, ...announced]}
                value={filters.upcoming ?? null}
                onChange={(value) => set('upcoming', value)}
              />
            )}
            <Select
              label="Sort by"
              w={width(160)}
              allowDeselect={false}
              data={SORTS}
              value={filters.sort ?? 'newest'}
              onChange={(value) => set('sort', value)}
            />
          </>
        )}
      </FilterDrawer>
      {Object.keys(active).length > 0 && (
        <Button variant="subtle" onClick={() => change(sort === undefined ? {} : { sort })}>
          Clear
        </Button>
      )}
    </Group>
  );
}

function withFilter(filters: OfferFilters, name: keyof OfferFilters, value: string | null): OfferFilters {
  const { [name]: _before, ...others } = filters;
  return value === null || value === '' ? others : { ...others, [name]: value };
}
