/** Archives and unarchives the offers selected in the list. */
import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { archiveOffers } from '../../api/offers.ts';
import { useSession } from '../../api/session.ts';
import { useEnvironment } from '../../ui/environment.ts';
import { countOf, countText } from '../../ui/numbers.ts';
import { Failed } from '../../ui/states.tsx';

interface ArchiveBarProps {
  readonly selected: ReadonlySet<string>;
  readonly setSelected: (selected: ReadonlySet<string>) => void;
}

export function ArchiveBar({ selected, setSelected }: ArchiveBarProps) {
  const environment = useEnvironment();
  const { limits } = useSession();
  const queryClient = useQueryClient();
  const archiving = useMutation({
    mutationFn: (archived: boolean) => archiveOffers(environment, [...selected], archived),
    onSuccess: async ({ done, failed }, archived) => {
      // Failed offers stay selected for a retry.
      setSelected(new Set(failed.map(({ sku }) => sku)));
      if (done > 0) {
        const message = `${countOf(done, 'offer')} ${archived ? 'archived' : 'unarchived'}.`;
        notifications.show({ message, color: 'green' });
      }
      await queryClient.invalidateQueries({ queryKey: ['offers', environment] });
    },
  });
  const tooMany = selected.size > limits.offers_per_change_max;
  const failed = archiving.data?.failed ?? [];
  if (selected.size === 0 && failed.length === 0 && !archiving.isError) return null;
  return (
    <Stack gap="xs">
      {selected.size > 0 && (
        <Group>
          <Text>{countText(selected.size)} selected</Text>
          <Button
            size="compact-sm"
            disabled={tooMany}
            loading={archiving.isPending && archiving.variables}
            onClick={() => archiving.mutate(true)}
          >
            Archive
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            disabled={tooMany}
            loading={archiving.isPending && !archiving.variables}
            onClick={() => archiving.mutate(false)}
          >
            Unarchive
          </Button>
          <Button size="compact-sm" variant="subtle" onClick={() => setSelected(new Set())}>
            Clear selection
          </Button>
          {tooMany && (
            <Text size="sm" c="var(--mantine-color-error)">
              Select at most {countOf(limits.offers_per_change_max, 'offer')}.
            </Text>
          )}
        </Group>
      )}
      {archiving.isError && <Failed error={archiving.error} />}
      {failed.length > 0 && (
        <Alert color="orange" title={`${countOf(failed.length, 'offer')} not changed`} role="alert">
          <List size="sm">
            {failed.map(({ sku, errors }) => (
              <List.Item key={sku}>
                {sku}: {errors.join(' ')}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </Stack>
  );
}
