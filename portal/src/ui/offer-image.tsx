/** Shows an offer's image from the merchant's URL, or a placeholder if it does not load. */
import { Center, Image, Text } from '@mantine/core';
import { useState } from 'react';

interface OfferImageProps {
  readonly address: string | null;
  readonly size: number;
  readonly alt?: string;
}

export function OfferImage({ address, size, alt = '' }: OfferImageProps) {
  const [missing, setMissing] = useState<string>();
  if (address === null || address === missing) {
    return (
      <Center w={size} h={size} bg="var(--mantine-color-default-hover)" flex="none" bdrs="sm">
        <Text size="xs" c="dimmed" aria-hidden>
          {size < 80 ? '–' : 'No image'}
        </Text>
      </Center>
    );
  }
  return (
    <Image
      src={address}
      alt={alt}
      w={size}
      h={size}
      fit="contain"
      radius="sm"
      flex="none"
      loading="lazy"
      referrerPolicy="no-referrer"
      onError={() => setMissing(address)}
    />
  );
}
