/** Layout of pages for visitors who have not signed in: the logo above a card. */
import { Center, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Logo } from '../../ui/logo.tsx';
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
      <Stack w="100%" maw={400} gap="xl" align="center">
        <Logo size={32} />
        <Paper withBorder shadow="sm" radius="lg" p="xl" w="100%">
          <Stack gap="md">
            <Title order={1} size="h2">
              {title}
            </Title>
            {about && <Text c="dimmed">{about}</Text>}
            {children}
          </Stack>
        </Paper>
      </Stack>
    </Center>
  );
}
