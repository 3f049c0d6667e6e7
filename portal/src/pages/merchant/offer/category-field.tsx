/** Chooses the category of an offer by search, and shows its place in the taxonomy. */
import { Breadcrumbs, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { SHOE_PRODUCT_TYPES } from '#domain/vocabulary/product-types.ts';
import { categoryQuery } from '../../../api/categories.ts';
import { useEnvironment } from '../../../ui/environment.ts';
import { useCategoryPaths } from '../../../ui/forms/category-picker.tsx';
import { SearchSelect } from '../../../ui/forms/search-select.tsx';

interface CategoryFieldProps {
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
  readonly error: React.ReactNode;
  readonly readOnly: boolean;
}

export function CategoryField({ value, readOnly, ...props }: CategoryFieldProps) {
  const { search, paths } = useCategoryPaths(value);
  return (
    <Stack gap={4}>
      <SearchSelect
        label="Category"
        description={readOnly ? undefined : 'Needed to go live.'}
        readOnly={readOnly}
        search={search}
        choices={new Map(Array.from(paths, ([id, path]) => [id, namesIn(path).at(-1) ?? path]))}
        nothingFound="No category matches. Try a broader word."
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
        <Text key={name} size="sm" c="dimmed" lh={1.2} style={{ whiteSpace: 'normal' }}>
          {name}
        </Text>
      ))}
    </Breadcrumbs>
  );
}
