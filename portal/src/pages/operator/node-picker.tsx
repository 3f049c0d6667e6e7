/** Lets operators choose any taxonomy node, including nodes in which no offers can be listed. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '../../api/client.ts';
import { SearchSelect, type SearchSelectLooks, useSearchWords } from '../../ui/forms/search-select.tsx';

interface NodePickerProps extends SearchSelectLooks {
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
  /** The stored category, which may change while the form is open. */
  readonly stored?: { readonly id: number; readonly path: string | null } | null | undefined;
}

export function NodePicker({ value, onChange, stored, ...looks }: NodePickerProps) {
  const search = useSearchWords();
  const [chosen, setChosen] = useState<readonly [id: string | null, path: string]>();
  const found = useQuery({
    queryKey: ['taxonomy-search', search.words],
    queryFn: () => ask(api.GET('/taxonomy/search', { params: { query: { q: search.words } } })),
    enabled: search.words !== '',
    placeholderData: keepPreviousData,
  });
  const nodes = search.words === '' ? [] : (found.data?.nodes ?? []);
  const choices = new Map(nodes.map((node) => [String(node.id), node.path]));
  if (value !== null && !choices.has(value)) {
    const path = chosen?.[0] === value ? chosen[1] : String(stored?.id) === value ? stored?.path : null;
    choices.set(value, path ?? value);
  }
  return (
    <SearchSelect
      label="Category"
      search={search}
      value={value}
      onChange={(next) => {
        setChosen([next, choices.get(next ?? '') ?? '']);
        onChange(next);
      }}
      choices={choices}
      nothingFound="No matching categories"
      {...looks}
    />
  );
}
