/** In charge of choosing a node of the taxonomy, for operators: any node, not only those that carry offers. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '../../api/client.ts';
import { SearchSelect, type SearchSelectLooks, useSearchWords } from '../../ui/forms/search-select.tsx';

interface NodePickerProps extends SearchSelectLooks {
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
  /** Of the value that the form began with. */
  readonly path?: string | null;
}

export function NodePicker({ value, onChange, path, ...looks }: NodePickerProps) {
  const search = useSearchWords();
  const [chosen, setChosen] = useState(path ?? null);
  const found = useQuery({
    queryKey: ['taxonomy-search', search.words],
    queryFn: () => ask(api.GET('/taxonomy/search', { params: { query: { q: search.words } } })),
    enabled: search.words !== '',
    placeholderData: keepPreviousData,
  });
  const nodes = search.words === '' ? [] : (found.data?.nodes ?? []);
  const choices = new Map(nodes.map((node) => [String(node.id), node.path]));
  if (value !== null && !choices.has(value)) choices.set(value, chosen ?? value);
  return (
    <SearchSelect
      label="Category"
      search={search}
      value={value}
      onChange={(next) => {
        setChosen(next === null ? null : (choices.get(next) ?? next));
        onChange(next);
      }}
      choices={choices}
      nothingFound="No category has these words"
      {...looks}
    />
  );
}
