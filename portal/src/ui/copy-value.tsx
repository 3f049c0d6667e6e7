/** In charge of values that people copy: shown as code, with a button that copies them. */
import { Button, Code, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';

interface CopyValueProps {
  readonly value: string;
  /** What it is, for the name of the button. */
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
        // Browsers lend the clipboard only to pages that came encrypted, or from the same machine.
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          The browser does not let this page copy. Mark the text and copy it yourself.
        </Text>
      )}
    </Stack>
  );
}
