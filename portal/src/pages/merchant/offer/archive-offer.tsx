/** Archives an offer after confirmation, and offers to undo it. */
import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { type Offer, type OfferKey, refreshOffer } from '../../../api/offer.ts';
import { type ArchivedStock, findArchivedStock, restoreChange, setArchived } from '../../../api/offer-versions.ts';
import { useHasHistory } from '../../../api/session.ts';
import { ConfirmButton } from '../../../ui/confirm.tsx';

const UNDO_MS = 10_000;

interface ArchiveButtonProps {
  readonly offerKey: OfferKey;
  readonly offer: Offer;
}

export function ArchiveButton({ offerKey, offer }: ArchiveButtonProps) {
  const queryClient = useQueryClient();
  const hasHistory = useHasHistory();
  return (
    <ConfirmButton
      title="Archive this offer?"
      action="Archive"
      run={() => setArchived(offerKey, true)}
      done={async () => {
        offerUndo(queryClient, offerKey);
        await refreshOffer(queryClient, offerKey);
      }}
    >
      {offer.product_title} will no longer be for sale, and its stock will be set to 0 at all locations. You can
      unarchive it later{hasHistory && ', and then restore the stock'}.
    </ConfirmButton>
  );
}

/** Restores the stock if it is given. If the stock is refused, the offer stays unarchived and a notification says so. */
export async function unarchive(queryClient: QueryClient, key: OfferKey, stock: ArchivedStock | null): Promise<void> {
  await setArchived(key, false);
  try {
    if (stock !== null) await restoreChange(key, stock.id);
    const message = stock === null ? 'Offer unarchived.' : 'Offer unarchived and stock restored.';
    notifications.show({ message, color: 'green' });
  } catch (error) {
    const message = `The stock is still 0. ${error instanceof Error ? error.message : error}`;
    notifications.show({ title: 'Offer unarchived, stock not restored', message, color: 'red', autoClose: false });
  }
  await refreshOffer(queryClient, key);
}

/** Shows a notification with an Undo button. It stays when the user opens another page, so it uses no state of this page. */
function offerUndo(queryClient: QueryClient, offerKey: OfferKey): void {
  const id = `archived ${offerKey.environment} ${offerKey.sku}`;
  const undo = async () => {
    notifications.hide(id);
    try {
      await unarchive(queryClient, offerKey, await findArchivedStock(offerKey));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      notifications.show({ title: "Couldn't unarchive", message, color: 'red', autoClose: false });
    }
  };
  notifications.show({
    id,
    autoClose: UNDO_MS,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">Archived. Stock is set to 0.</Text>
        <Button size="compact-sm" variant="light" onClick={undo}>
          Undo
        </Button>
      </Group>
    ),
  });
}
