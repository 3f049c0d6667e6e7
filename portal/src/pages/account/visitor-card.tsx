/** Layout of pages for visitors who have not signed in. */
import { Center, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePageTitle } from '../../ui/page-title.tsx';

interface VisitorCardProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly children: ReactNode;
}

export function VisitorCard({ title, about, children }: VisitorCardProps) {
  usePageTitle(title);
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p="xl" w="100%" maw={420}>
        <Stack gap="md">
          <Text fw={700} c="dimmed">
            Offerbook
          </Text>
          <Title order={1} size="h2">
            {title}
          </Title>
          {about && <Text c="dimmed">{about}</Text>}
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}
