/** Input for the URL of an image, with a preview that follows the typing. */
import { Group, TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { OfferImage } from '../../../ui/offer-image.tsx';

const TYPING_PAUSE_MS = 400;

interface ImageInputProps extends Omit<TextInputProps, 'value'> {
  readonly value?: string;
}

export function ImageInput({ value = '', ...props }: ImageInputProps) {
  const [typed] = useDebouncedValue(value, TYPING_PAUSE_MS);
  return (
    <Group wrap="nowrap" align="flex-start" flex={1} miw={200}>
      <OfferImage address={isHttpUrl(typed) ? typed : null} size={60} alt={`Preview of ${props.label}`} />
      <TextInput flex={1} miw={0} placeholder="https://" value={value} {...props} />
    </Group>
  );
}

function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}
