/** Shows a value as code, with a copy button. */
import { Button, Code, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';

interface CopyValueProps {
  readonly value: string;
  /** Names the value in the button's accessible name. */
  readonly label: string;
}

export function CopyValue({ value, label }: CopyValueProps) {
  const { copy, copied, error } = useClipboard();
  return (
    <Stack gap={4}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Code block flex={1} miw={0} className="wrapped">
          {value}
        </Code>
        <Button size="compact-sm" variant="light" onClick={() => copy(value)} aria-label={`Copy ${label}`}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
      </Group>
      <VisuallyHidden role="status">{copied ? `Copied ${label}` : ''}</VisuallyHidden>
      {error !== null && (
        // Browsers allow clipboard access only over HTTPS and on localhost.
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          The browser blocked copying. Select the text and copy it.
        </Text>
      )}
    </Stack>
  );
}
