/** Restores the value of a part before a change, after confirmation. */

import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { CLEARABLE_PARTS } from '#domain/vocabulary/offer-parts.ts';
import { type OfferKey, refreshOffer } from '../../../../api/offer.ts';
import { type Change, restoreChange } from '../../../../api/offer-versions.ts';
import { ConfirmButton } from '../../../../ui/confirm.tsx';
import { inPageWordsWithLabels } from '../../../../ui/forms/page-words.ts';
import { exactText, Time } from '../../../../ui/time.tsx';
import { PART_NAMES } from './history-fields.ts';

interface RestoreButtonProps {
  readonly offerKey: OfferKey;
  readonly change: Change;
}

/** Restoring a part that can be cleared can also clear it. Other parts cannot be removed once they are set. */
function hasVersionBefore({ part, before }: Change): boolean {
  if (CLEARABLE_PARTS.some((clearable) => clearable === part)) return true;
  return part !== 'archive' && before !== null;
}

export function RestoreButton({ offerKey, change }: RestoreButtonProps) {
  const queryClient = useQueryClient();
  if (!hasVersionBefore(change)) return null;
  const name = PART_NAMES[change.part];
  return (
    <ConfirmButton
      label="Restore"
      button={{
        size: 'compact-xs',
        variant: 'light',
        flex: 'none',
        'aria-label': `Restore earlier value: ${name} before ${exactText(change.at)}`,
      }}
      title={`Restore ${name.toLowerCase()}?`}
      action="Restore"
      isHarmless
      run={() =>
        restoreChange(offerKey, change.id).catch((error) => {
          throw inPageWordsWithLabels(error);
        })
      }
      done={async () => {
        notifications.show({ message: `${name} restored.`, color: 'green' });
        await refreshOffer(queryClient, offerKey);
      }}
    >
      This restores the {change.part === 'inventory' ? 'quantities in this entry' : name.toLowerCase()} from before the
      change on <Time at={change.at} />. The current value stays in the history.
    </ConfirmButton>
  );
}
