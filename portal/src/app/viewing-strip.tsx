/** Tells an operator that the pages show another merchant's data, read-only, and leads back. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api, ask } from '../api/client.ts';
import { viewedFrom } from '../api/operator-offers.ts';
import { usePerson } from '../api/session.ts';
import { Failed } from '../ui/states.tsx';

export function ViewingStrip() {
  const { merchant } = usePerson();
  const ending = useMutation({
    mutationFn: () => ask(api.DELETE('/view')),
    // Reloads the application, because everything on the page belongs to the merchant.
    onSuccess: () => window.location.assign(viewedFrom(merchant?.id ?? '')),
  });
  return (
    <Alert color="blue" mb="md" role="status">
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          Viewing as {merchant?.name}. Read-only.
        </Text>
        <Button size="compact-sm" variant="white" loading={ending.isPending} onClick={() => ending.mutate()}>
          Stop viewing
        </Button>
      </Group>
      {ending.isError && <Failed error={ending.error} />}
    </Alert>
  );
}
