/** Field for a date and time in the viewer's zone. */
import { TextInput, type TextInputProps } from '@mantine/core';

export function DateField(props: TextInputProps) {
  return <TextInput type="datetime-local" {...props} />;
}
