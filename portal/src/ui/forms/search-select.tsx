/** In charge of choosing one of many: the server searches for what is typed, and its answer is what can be chosen. */
import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';

const TYPING_PAUSE_MS = 250;

export type SearchSelectLooks = Pick<SelectProps, 'label' | 'w' | 'error' | 'description' | 'readOnly'>;

interface SearchSelectProps extends SearchSelectLooks {
  /** From `useSearchWords`. */
  readonly search: SearchWords;
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
  /** Labels by value; the value itself is among them. */
  readonly choices: ReadonlyMap<string, string>;
  readonly nothingFound: string;
}

export interface SearchWords {
  /** What is to be searched for; '' where nothing was typed. */
  readonly words: string;
  readonly type: (text: string) => void;
}

export function useSearchWords(): SearchWords {
  const [typed, setTyped] = useState('');
  const [words] = useDebouncedValue(typed.trim(), TYPING_PAUSE_MS);
  return { words, type: setTyped };
}

export function SearchSelect({ search, value, onChange, choices, nothingFound, ...looks }: SearchSelectProps) {
  return (
    <Select
      searchable
      clearable
      placeholder={looks.readOnly ? undefined : 'Search by words'}
      nothingFoundMessage={search.words === '' ? 'Type to search' : nothingFound}
      // The server has searched; what it found need not hold the words as they were typed.
      filter={({ options }) => options}
      data={Array.from(choices, ([id, label]) => ({ value: id, label }))}
      value={value}
      onChange={onChange}
      onSearchChange={search.type}
      {...looks}
    />
  );
}
