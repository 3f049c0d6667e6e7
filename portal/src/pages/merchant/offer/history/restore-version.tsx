/** Restores the value of a part before a change, after confirmation. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type OfferKey, refreshOffer } from '../../../../api/offer.ts';
import { type Change, restoreChange } from '../../../../api/offer-versions.ts';
import { Dialog } from '../../../../ui/dialog.tsx';
import { inPageWordsWithLabels } from '../../../../ui/forms/page-words.ts';
import { Failed } from '../../../../ui/states.tsx';
import { Time } from '../../../../ui/time.tsx';
import { PART_NAMES } from './history-fields.ts';

interface RestoreButtonProps {
  readonly offerKey: OfferKey;
  readonly change: Change;
}

/** Restoring an exception can also remove it. Other parts cannot be removed once they are set. */
function hasVersionBefore({ part, before }: Change): boolean {
  if (part === 'shipping_exception' || part === 'returns_exception') return true;
  return part !== 'archive' && before !== null;
}

export function RestoreButton({ offerKey, change }: RestoreButtonProps) {
  const queryClient = useQueryClient();
  const [isOpen, dialog] = useDisclosure();
  const restoring = useMutation({
    mutationFn: () => restoreChange(offerKey, change.id),
    onSuccess: async () => {
      dialog.close();
      notifications.show({ message: `${PART_NAMES[change.part]} restored.`, color: 'green' });
      await refreshOffer(queryClient, offerKey);
    },
  });
  if (!hasVersionBefore(change)) return null;
  const name = PART_NAMES[change.part];
  return (
    <>
      <Button
        size="compact-xs"
        variant="light"
        mt={4}
        aria-label={`Restore earlier value: ${name} before ${new Date(change.at).toLocaleString()}`}
        onClick={() => {
          restoring.reset();
          dialog.open();
        }}
      >
        Restore earlier value
      </Button>
      <Dialog
        isOpen={isOpen}
        close={dialog.close}
        title={`Restore ${name.toLowerCase()}?`}
        hold={restoring.isPending ? 'busy' : undefined}
      >
        <Stack>
          <Text>
            This restores the {change.part === 'inventory' ? 'quantities in this entry' : name.toLowerCase()} from
            before the change on <Time at={change.at} />. The current value stays in the history.
          </Text>
          {restoring.isError && <Failed error={inPageWordsWithLabels(restoring.error)} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={dialog.close} disabled={restoring.isPending}>
              Cancel
            </Button>
            <Button loading={restoring.isPending} onClick={() => restoring.mutate()}>
              Restore
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}
