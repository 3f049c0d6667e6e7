/** Chooses the category of an offer by search, and shows its place in the taxonomy. */
import { Breadcrumbs, Button, Group, Stack, Text } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { SHOE_PRODUCT_TYPES } from '#domain/vocabulary/product-types.ts';
import { categoryQuery, suggestionsQuery } from '../../../api/categories.ts';
import { useEnvironment } from '../../../ui/environment.ts';
import { useCategoryPaths } from '../../../ui/forms/category-picker.tsx';
import { SearchSelect } from '../../../ui/forms/search-select.tsx';
import { lazyPart } from '../../../ui/lazy.tsx';

const BrowseCategories = lazyPart(() => import('./browse-categories.tsx'), 'BrowseCategories');

/** How long after the last key the categories are suggested. */
const TYPING_PAUSE_MS = 400;

interface CategoryFieldProps {
  readonly value: string | null;
  /** The title of the offer, from which categories are suggested. */
  readonly title: string;
  readonly onChange: (value: string | null) => void;
  readonly error: React.ReactNode;
  readonly readOnly: boolean;
}

export function CategoryField({ value, title, readOnly, ...props }: CategoryFieldProps) {
  const { search, paths } = useCategoryPaths(value);
  const [isBrowsing, { open, close }] = useDisclosure();
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
      {!readOnly && (
        <Button size="compact-sm" variant="subtle" style={{ alignSelf: 'flex-start' }} onClick={open}>
          Browse categories
        </Button>
      )}
      {isBrowsing && <BrowseCategories choose={props.onChange} close={close} />}
      {value === null && !readOnly && <Suggestions title={title} choose={props.onChange} />}
    </Stack>
  );
}

function Suggestions({ title, choose }: { readonly title: string; readonly choose: (id: string) => void }) {
  const [settled] = useDebouncedValue(title, TYPING_PAUSE_MS);
  const { data = [] } = useQuery({ ...suggestionsQuery(useEnvironment(), settled), placeholderData: keepPreviousData });
  if (data.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-label="Suggested categories">
      <Text size="sm" c="dimmed">
        From the title:
      </Text>
      {data.map(({ id, path }) => (
        <Button key={id} size="compact-sm" variant="light" title={path} onClick={() => choose(id)}>
          {namesIn(path).at(-1)}
        </Button>
      ))}
    </Group>
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
