/** Select whose choices come from a search on the server. */
import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';

const TYPING_PAUSE_MS = 250;

export type SearchSelectLooks = Pick<
  SelectProps,
  'label' | 'w' | 'error' | 'description' | 'placeholder' | 'readOnly' | 'renderOption'
>;

interface SearchSelectProps extends SearchSelectLooks {
  /** The result of `useSearchWords`. */
  readonly search: SearchWords;
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
  /** Labels by value; contains the current value. */
  readonly choices: ReadonlyMap<string, string>;
  readonly nothingFound: string;
}

export interface SearchWords {
  /** Search text; '' if nothing was typed. */
  readonly words: string;
  readonly type: (text: string) => void;
}

export function useSearchWords(): SearchWords {
  const [typed, setTyped] = useState('');
  const [words] = useDebouncedValue(typed.trim(), TYPING_PAUSE_MS);
  return { words, type: setTyped };
}

/** With these props, typing replaces the chosen name, choosing it again keeps it, and the keyboard reaches the Clear button. */
const REPLACED_BY_TYPING: Pick<SelectProps, 'allowDeselect' | 'clearButtonProps' | 'onFocus'> = {
  allowDeselect: false,
  clearButtonProps: { 'aria-label': 'Clear', 'aria-hidden': false, tabIndex: 0 },
  onFocus: (event) => event.currentTarget.select(),
};

export function SearchSelect({ search, value, onChange, choices, nothingFound, ...looks }: SearchSelectProps) {
  return (
    <Select
      searchable
      clearable
      {...REPLACED_BY_TYPING}
      nothingFoundMessage={search.words === '' ? 'Type to search' : nothingFound}
      // The server has already filtered; its results need not contain the typed text.
      filter={({ options }) => options}
      data={Array.from(choices, ([id, label]) => ({ value: id, label }))}
      value={value}
      onChange={onChange}
      onSearchChange={search.type}
      {...looks}
      placeholder={looks.readOnly ? undefined : (looks.placeholder ?? 'Search categories')}
    />
  );
}
