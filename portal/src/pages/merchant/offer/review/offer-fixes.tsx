/** Shows the fixes for an issue of an offer, each with a button that applies it. */
import { Button, Group, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { applyFixes, type Fix, type OfferKey, refreshOffer } from '../../../../api/offer.ts';
import { FixText } from '../../../../ui/forms/fix-text.tsx';
import { inPageWordsWithLabels } from '../../../../ui/forms/page-words.ts';
import { Failed } from '../../../../ui/states.tsx';

interface OfferFixesProps {
  readonly offerKey: OfferKey;
  readonly fixes: readonly Fix[];
  readonly mayChange: boolean;
}

export function OfferFixes({ offerKey, fixes, mayChange }: OfferFixesProps) {
  const queryClient = useQueryClient();
  const fixing = useMutation({
    mutationFn: (fix: Fix) => applyFixes(offerKey, [fix]),
    onSuccess: () => notifications.show({ message: 'Change applied. You can undo it under History.' }),
    // A refusal says that the offer has changed meanwhile.
    onSettled: () => refreshOffer(queryClient, offerKey),
  });
  return (
    <Stack gap="xs" mt={4}>
      {fixes.map((fix) => (
        <Group key={fix.id} justify="space-between" wrap="nowrap" gap="md">
          <Stack gap={0} miw={0}>
            <FixText fix={fix} />
          </Stack>
          {mayChange && (
            <Button
              variant="light"
              size="compact-sm"
              flex="none"
              aria-label={`Apply: ${fix.text}`}
              loading={fixing.isPending && fixing.variables.id === fix.id}
              disabled={fixing.isPending}
              onClick={() => fixing.mutate(fix)}
            >
              Apply
            </Button>
          )}
        </Group>
      ))}
      {fixing.isError && <Failed error={inPageWordsWithLabels(fixing.error)} />}
    </Stack>
  );
}
