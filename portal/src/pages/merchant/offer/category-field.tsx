/** Chooses the category of an offer by search, and shows its place in the taxonomy. */
import { Breadcrumbs, Select, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { SHOE_PRODUCT_TYPES } from '#domain/vocabulary/product-types.ts';
import { categoriesQuery, categoryQuery } from '../../../api/categories.ts';
import { useEnvironment } from '../../../ui/environment.ts';
import { REPLACED_BY_TYPING, useSearchWords } from '../../../ui/forms/search-select.tsx';

interface CategoryFieldProps {
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
  readonly error: React.ReactNode;
  readonly readOnly: boolean;
}

export function CategoryField({ value, readOnly, ...props }: CategoryFieldProps) {
  const environment = useEnvironment();
  const search = useSearchWords();
  const found = useQuery({ ...categoriesQuery(environment, search.words), placeholderData: keepPreviousData });
  const current = useQuery({ ...categoryQuery(environment, value ?? ''), enabled: value !== null });
  const paths = new Map((search.words === '' ? [] : (found.data ?? [])).map((one) => [one.id, one.path]));
  const path = value === null ? undefined : (current.data?.path ?? paths.get(value));
  // There is no label until the name is known, because the select would search for the label.
  if (value !== null && (path !== undefined || !current.isPending)) paths.set(value, path ?? value);
  return (
    <Stack gap={4}>
      <Select
        label="Category"
        description={readOnly ? undefined : 'Needed to go live.'}
        searchable
        clearable
        {...REPLACED_BY_TYPING}
        readOnly={readOnly}
        placeholder={readOnly ? undefined : 'Search categories'}
        nothingFoundMessage={search.words === '' ? 'Type to search' : 'No category matches. Try a broader word.'}
        // The server has already filtered; its results need not contain the typed text.
        filter={({ options }) => options}
        data={Array.from(paths, ([id, path]) => ({ value: id, label: namesIn(path).at(-1) ?? path }))}
        renderOption={({ option }) => (
          <div>
            <Text size="sm">{option.label}</Text>
            <Text size="xs" c="dimmed">
              {namesIn(paths.get(option.value) ?? '')
                .slice(0, -1)
                .join(SEPARATOR)}
            </Text>
          </div>
        )}
        value={value}
        onSearchChange={search.type}
        data-path="category"
        {...props}
      />
      {value !== null && <CategoryPath id={value} />}
    </Stack>
  );
}

const SEPARATOR = ' > ';

function namesIn(path: string): string[] {
  return path.split(' > ');
}

/** Shoes have a product type, which is also their category. */
export function ShoeType({ id }: { readonly id: string }) {
  return <Text>Shoe type: {shoeTypeName(id)}</Text>;
}

export function shoeTypeName(id: string): string {
  return SHOE_PRODUCT_TYPES.find((type) => String(type.id) === id)?.name ?? id;
}

/** The names from the department down to the category. */
export function CategoryPath({ id }: { readonly id: string }) {
  const category = useQuery(categoryQuery(useEnvironment(), id));
  if (category.isPending) return null;
  const names = category.data === undefined ? [`${id} (not in the taxonomy)`] : namesIn(category.data.path);
  return (
    <Breadcrumbs separator={SEPARATOR.trim()} separatorMargin={6}>
      {names.map((name) => (
        <Text key={name} size="sm" c="dimmed">
          {name}
        </Text>
      ))}
    </Breadcrumbs>
  );
}
