/** In charge of archiving, and taking back, the offers that are chosen in the list. */
import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { archiveOffers } from '../../api/offers.ts';
import { useSession } from '../../api/session.ts';
import { useEnvironment } from '../../ui/environment.ts';
import { countOf } from '../../ui/numbers.ts';
import { Failed } from '../../ui/states.tsx';

interface ArchiveBarProps {
  readonly chosen: ReadonlySet<string>;
  readonly setChosen: (chosen: ReadonlySet<string>) => void;
}

export function ArchiveBar({ chosen, setChosen }: ArchiveBarProps) {
  const environment = useEnvironment();
  const { limits } = useSession();
  const queryClient = useQueryClient();
  const archiving = useMutation({
    mutationFn: (archived: boolean) => archiveOffers(environment, [...chosen], archived),
    onSuccess: async ({ done, failed }, archived) => {
      // Those that failed stay chosen, to be tried again.
      setChosen(new Set(failed.map(({ sku }) => sku)));
      if (done > 0) {
        const message = `${countOf(done, 'offer')} ${archived ? 'archived' : 'unarchived'}.`;
        notifications.show({ message, color: 'green' });
      }
      await queryClient.invalidateQueries({ queryKey: ['offers', environment] });
    },
  });
  const tooMany = chosen.size > limits.offers_per_change_max;
  const failed = archiving.data?.failed ?? [];
  if (chosen.size === 0 && failed.length === 0 && !archiving.isError) return null;
  return (
    <Stack gap="xs">
      {chosen.size > 0 && (
        <Group>
          <Text>{countOf(chosen.size, 'offer')} chosen</Text>
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
          <Button size="compact-sm" variant="subtle" onClick={() => setChosen(new Set())}>
            Choose none
          </Button>
          {tooMany && (
            <Text size="sm" c="var(--mantine-color-error)">
              At most {limits.offers_per_change_max} at once.
            </Text>
          )}
        </Group>
      )}
      {archiving.isError && <Failed error={archiving.error} />}
      {failed.length > 0 && (
        <Alert color="orange" title={`Not changed: ${countOf(failed.length, 'offer')}`} role="alert">
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
