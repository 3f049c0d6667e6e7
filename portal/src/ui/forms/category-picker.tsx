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
  const environment = useEnvironment();
  const search = useSearchWords();
  const found = useQuery({ ...categoriesQuery(environment, search.words), placeholderData: keepPreviousData });
  const current = useQuery({ ...categoryQuery(environment, value ?? ''), enabled: value !== null });
  const choices = new Map((search.words === '' ? [] : (found.data ?? [])).map((one) => [one.id, one.path]));
  if (value !== null) choices.set(value, current.data?.path ?? choices.get(value) ?? value);
  return (
    <SearchSelect
      label="Category"
      search={search}
      value={value}
      onChange={onChange}
      choices={choices}
      nothingFound="No matching category in which offers can be listed"
      {...looks}
    />
  );
}
