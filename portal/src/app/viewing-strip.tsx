/** Tells an operator that the pages show another merchant's data, read-only, and leads back. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { viewedFrom } from '../api/operator-offers.ts';
import { usePerson } from '../api/session.ts';

export function ViewingStrip() {
  const { merchant } = usePerson();
  return (
    <Alert color="blue" mb="md" role="status">
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          Viewing as {merchant?.name}. Read-only.
        </Text>
        {/* The operator's page ends the view. It is loaded again, because everything on this page belongs to the merchant. */}
        <Button
          size="compact-sm"
          variant="white"
          onClick={() => window.location.assign(viewedFrom(merchant?.id ?? ''))}
        >
          Stop viewing
        </Button>
      </Group>
    </Alert>
  );
}
