/** Button that removes a location after confirmation; the dialog shows which offers still use it. */
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { ConfirmButton, removalLooks } from '../../ui/confirm.tsx';

interface RemovePlaceProps {
  readonly id: string;
  readonly remove: () => Promise<unknown>;
  readonly queryKey: QueryKey;
}

export function RemovePlace({ id, remove, queryKey }: RemovePlaceProps) {
  const queryClient = useQueryClient();
  return (
    <ConfirmButton
      button={removalLooks(id)}
      title={`Remove ${id}`}
      action="Remove"
      run={async () => {
        await remove();
        await queryClient.invalidateQueries({ queryKey });
      }}
    >
      Offers can no longer use this location. You can remove it only if no offer uses it.
    </ConfirmButton>
  );
}
