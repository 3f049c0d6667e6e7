/** The logo: an open book whose right page is a price tag, and the name. `public/icon.svg` has the same mark. */
import { Group, Text } from '@mantine/core';

export function Logo({ size = 26 }: { readonly size?: number }) {
  return (
    <Group gap={9} wrap="nowrap">
      <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="#5046c2" />
        <path d="M6 9.6c3.6-1.3 6.9-.9 10 1.3v13.3c-3.1-2.2-6.4-2.6-10-1.3z" fill="#bdb8f5" />
        <path
          d="M26 9.6c-3.6-1.3-6.9-.9-10 1.3v13.3c3.1-2.2 6.4-2.6 10-1.3zM21 13a1.9 1.9 0 1 1 0 3.8 1.9 1.9 0 0 1 0-3.8z"
          fill="#fff"
          fillRule="evenodd"
        />
      </svg>
      <Text span fw={680} fz="lg" lts="-0.02em" c="var(--mantine-color-text)">
        Offerbook
      </Text>
    </Group>
  );
}
