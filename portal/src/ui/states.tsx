/** Shows states of a page without data: loading, error, empty. */
import { Alert, Button, Center, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError } from '../api/problem.ts';
import { FileRefused } from '../api/sheets/limits.ts';

/** Widths of the gray lines, which stand for text. */
const SKELETON_WIDTHS = ['40%', '90%', '75%'];

export function Loading({ what = 'page' }: { readonly what?: string }) {
  return (
    <Stack gap="sm" py="sm" role="status" aria-label={`Loading ${what}`}>
      {SKELETON_WIDTHS.map((width) => (
        <Skeleton key={width} height={16} width={width} />
      ))}
    </Stack>
  );
}

interface FailedProps {
  readonly error: unknown;
  readonly retry?: () => void;
}

export function Failed({ error, retry }: FailedProps) {
  const messages = error instanceof ApiError ? error.problems.map(({ message }) => message) : [textOf(error)];
  return (
    <Alert color="red" title="Something went wrong" role="alert">
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

function textOf(error: unknown): string {
  return error instanceof FileRefused ? error.message : String(error);
}

/** Warns above figures that exclude some accounts. */
export function SomeUnavailable({ children }: { readonly children: ReactNode }) {
  return (
    <Alert color="yellow" title="Some accounts are temporarily unavailable" role="status">
      {children}
    </Alert>
  );
}

interface EmptyProps {
  readonly title: string;
  /** Level of the heading: 2 if no panel is around it. */
  readonly order?: 2 | 3;
  readonly children?: ReactNode;
  /** The next step, as a link or button. */
  readonly action?: ReactNode;
}

export function Empty({ title, order = 3, children, action }: EmptyProps) {
  return (
    <Center p="sm">
      <Stack gap={4} align="center" maw={480}>
        <Title order={order} fz="md" ta="center">
          {title}
        </Title>
        {children && (
          <Text size="sm" c="dimmed" ta="center">
            {children}
          </Text>
        )}
        {action && (
          <Group mt="sm" justify="center">
            {action}
          </Group>
        )}
      </Stack>
    </Center>
  );
}
