/** Says that an offer is archived; unarchives it, with the stock it had before. */
import { Alert, Button, Checkbox, List, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { OfferKey } from '../../../api/offer.ts';
import { type ArchivedStock, archivedStockQuery } from '../../../api/offer-versions.ts';
import { useMayChange } from '../../../api/session.ts';
import { Dialog, DialogButtons } from '../../../ui/dialog.tsx';
import { countText } from '../../../ui/numbers.ts';
import { QueryView } from '../../../ui/query-view.tsx';
import { Failed } from '../../../ui/states.tsx';
import { unarchive } from './archive-offer.tsx';

export function UnarchiveNotice({ offerKey }: { readonly offerKey: OfferKey }) {
  const mayChange = useMayChange();
  const [isOpen, dialog] = useDisclosure();
  return (
    <Alert color="gray" title="Archived">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">This offer is not for sale. Unarchive it to edit it.</Text>
        {mayChange && (
          <Button size="xs" onClick={dialog.open}>
            Unarchive
          </Button>
        )}
        <Dialog isOpen={isOpen} close={dialog.close} title="Unarchive this offer?">
          <UnarchiveForm offerKey={offerKey} close={dialog.close} />
        </Dialog>
      </Stack>
    </Alert>
  );
}

interface UnarchiveFormProps {
  readonly offerKey: OfferKey;
  readonly close: () => void;
}

function UnarchiveForm({ offerKey, close }: UnarchiveFormProps) {
  const stock = useQuery(archivedStockQuery(offerKey));
  return (
    <QueryView query={stock} what="stock before archiving">
      {(found) => <Unarchive offerKey={offerKey} close={close} stock={found} />}
    </QueryView>
  );
}

function Unarchive({ offerKey, close, stock }: UnarchiveFormProps & { readonly stock: ArchivedStock | null }) {
  const queryClient = useQueryClient();
  const [withStock, setWithStock] = useState(true);
  const unarchiving = useMutation({
    mutationFn: () => unarchive(queryClient, offerKey, withStock ? stock : null),
    onSuccess: close,
  });
  return (
    <Stack>
      {stock === null ? (
        <Text>The offer's stock is 0. After you unarchive it, set the stock to sell it.</Text>
      ) : (
        <>
          <Text>Archiving set the stock to 0. Before that, it was:</Text>
          <List>
            {stock.quantities.map(([node, quantity]) => (
              <List.Item key={node}>
                {node}: {countText(quantity)}
              </List.Item>
            ))}
          </List>
          <Checkbox
            label="Restore these quantities"
            checked={withStock}
            onChange={(event) => setWithStock(event.currentTarget.checked)}
          />
        </>
      )}
      {unarchiving.isError && <Failed error={unarchiving.error} />}
      <DialogButtons close={close} isPending={unarchiving.isPending} confirm={() => unarchiving.mutate()}>
        Unarchive
      </DialogButtons>
    </Stack>
  );
}
