/** Search field of an offer list. It searches after a pause in typing. */
import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

const TYPING_PAUSE_MS = 300;

interface SearchFieldProps {
  readonly value: string;
  readonly change: (value: string) => void;
}

export function SearchField({ value, change }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const asked = useRef(value);
  const search = useDebouncedCallback((words: string) => {
    asked.current = words;
    change(words);
  }, TYPING_PAUSE_MS);
  // Ignore the echo of this field's own search; take over only changes from elsewhere, such as Clear.
  useEffect(() => {
    if (value === asked.current) return;
    asked.current = value;
    setTyped(value);
  }, [value]);
  return (
    <TextInput
      label="Search"
      type="search"
      placeholder="Title, brand, SKU or product code"
      w={200}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        search(currentTarget.value.trim());
      }}
    />
  );
}
