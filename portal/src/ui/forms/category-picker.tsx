/** Lets merchants choose a category in which offers can be listed; shows the full path. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { categoriesQuery, categoryQuery } from '../../api/categories.ts';
import { useEnvironment } from '../environment.ts';
import { SearchSelect, type SearchSelectLooks, useSearchWords } from './search-select.tsx';

interface CategoryPickerProps extends SearchSelectLooks {
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}

export function CategoryPicker({ value, onChange, ...looks }: CategoryPickerProps) {
  const { search, paths } = useCategoryPaths(value);
  return (
    <SearchSelect
      label="Category"
      search={search}
      value={value}
      onChange={onChange}
      choices={paths}
      nothingFound="No matching category in which offers can be listed"
      {...looks}
    />
  );
}

/** Returns the search, and the paths of the found categories and of the chosen one by id. */
export function useCategoryPaths(value: string | null) {
  const environment = useEnvironment();
  const search = useSearchWords();
  const found = useQuery({ ...categoriesQuery(environment, search.words), placeholderData: keepPreviousData });
  const current = useQuery({ ...categoryQuery(environment, value ?? ''), enabled: value !== null });
  const paths = new Map((search.words === '' ? [] : (found.data ?? [])).map((one) => [one.id, one.path]));
  const path = value === null ? undefined : (current.data?.path ?? paths.get(value));
  // There is no label until the name is known, because the select would search for the label.
  if (value !== null && (path !== undefined || !current.isPending)) paths.set(value, path ?? value);
  return { search, paths };
}
