/** In charge of what a page shows when it has no data to show: it loads, it failed, there is none. */
import { Alert, Button, Center, Group, Loader, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError } from '../api/problem.ts';

export function Loading({ what = 'page' }: { readonly what?: string }) {
  return (
    <Center mih={160} role="status" aria-label={`The ${what} is loading`}>
      <Loader />
    </Center>
  );
}

interface FailedProps {
  readonly error: unknown;
  readonly retry?: () => void;
}

export function Failed({ error, retry }: FailedProps) {
  const messages = error instanceof ApiError ? error.problems.map(({ message }) => message) : [String(error)];
  return (
    <Alert color="red" title="This did not work" role="alert">
      <Stack gap="xs" align="flex-start">
        {messages.map((message) => (
          <Text size="sm" key={message}>
            {message}
          </Text>
        ))}
        {retry && (
          <Button size="xs" variant="light" color="red" onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** Above figures that leave some accounts out. */
export function SomeUnavailable({ children }: { readonly children: ReactNode }) {
  return (
    <Alert color="yellow" title="Some accounts are temporarily unavailable" role="status">
      {children}
    </Alert>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly children?: ReactNode;
  /** What can be done about it. */
  readonly action?: ReactNode;
}

export function Empty({ title, children, action }: EmptyProps) {
  return (
    <Center mih={160} p="xl">
      <Stack gap="xs" align="center" maw={480}>
        <Title order={3} size="h4">
          {title}
        </Title>
        {children && (
          <Text c="dimmed" ta="center">
            {children}
          </Text>
        )}
        {action && <Group mt="sm">{action}</Group>}
      </Stack>
    </Center>
  );
}
