/** Content of a dialog that shows a new secret once, with copy buttons. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { CopyValue } from '../../ui/copy-value.tsx';

interface ShownSecretProps {
  /** What to do if the secret is lost. */
  readonly remedy: string;
  readonly values: readonly { readonly title: string; readonly label: string; readonly value: string }[];
  readonly done: () => void;
  readonly children?: ReactNode;
}

export function ShownSecret({ remedy, values, done, children }: ShownSecretProps) {
  return (
    <Stack>
      <Alert color="orange" title="Copy the secret now">
        You won't see it again. If you lose it, {remedy}.
      </Alert>
      {values.map(({ title, label, value }) => (
        <Fragment key={label}>
          <Text fw={600}>{title}</Text>
          <CopyValue value={value} label={label} />
        </Fragment>
      ))}
      {children && <Text size="sm">{children}</Text>}
      <Group justify="flex-end">
        <Button onClick={done}>Done</Button>
      </Group>
    </Stack>
  );
}
