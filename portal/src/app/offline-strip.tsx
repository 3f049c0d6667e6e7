/** Tells that the browser is offline, and what happens to changes meanwhile. */
import { Affix, Alert, Button, Group, Text } from '@mantine/core';
import { cancelKept, useKeptChanges } from '../api/offline.ts';
import { useUnsaved } from '../ui/forms/unsaved.tsx';
import { countOf } from '../ui/numbers.ts';

/** Above dialogs, because one may be waiting for its change. */
const Z_INDEX = 400;

export function OfflineStrip() {
  const kept = useKeptChanges();
  useUnsaved(kept !== undefined && kept > 0);
  if (kept === undefined) return null;
  return (
    <Affix position={{ bottom: 0, left: 0, right: 0 }} zIndex={Z_INDEX}>
      <Alert color="yellow" variant="filled" autoContrast radius={0} py="xs" role="status">
        <Group justify="center" gap="sm">
          <Text size="sm" fw={600}>
            You are offline.{' '}
            {kept === 0
              ? 'Changes are kept on this page, and sent when you are online again.'
              : `${countOf(kept, 'change')} ${kept === 1 ? 'is' : 'are'} kept on this page, and sent when you are online again.`}
          </Text>
          {kept > 0 && (
            <Button size="compact-sm" variant="default" onClick={cancelKept}>
              {kept === 1 ? 'Cancel the change' : 'Cancel the changes'}
            </Button>
          )}
        </Group>
      </Alert>
    </Affix>
  );
}
