/** Search field of a list: searches after a pause in typing. */
import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

/** Leaves most of half a second for the request and the rows that follow. */
const TYPING_PAUSE_MS = 200;

interface SearchFieldProps {
  readonly value: string;
  readonly change: (value: string) => void;
  readonly placeholder: string;
}

export function SearchField({ value, change, placeholder }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const asked = useRef(value);
  const search = useDebouncedCallback((words: string, page: string) => {
    // The user has opened another page, whose code is still loading. A search would return to the list.
    if (location.pathname !== page) return;
    // A list that changes while the mouse button is down would take the click away.
    if (document.querySelector(':active') !== null) {
      search(words, page);
      return;
    }
    asked.current = words;
    change(words);
  }, TYPING_PAUSE_MS);
  // Accepts only changes from elsewhere, such as Clear, and ignores the echo of this field's own search.
  useEffect(() => {
    if (value === asked.current) return;
    asked.current = value;
    setTyped(value);
  }, [value]);
  return (
    <TextInput
      label="Search"
      type="search"
      placeholder={placeholder}
      flex="1 0 260px"
      maw={{ base: 'none', xs: 260 }}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        search(currentTarget.value.trim(), location.pathname);
      }}
    />
  );
}
