/** Asks before a location is removed, and shows which offers still use it. */
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { Confirm } from '../../ui/confirm.tsx';

interface RemovePlaceProps {
  /** The location to remove; undefined while the dialog is closed. */
  readonly id: string | undefined;
  readonly close: () => void;
  readonly remove: (id: string) => Promise<unknown>;
  readonly queryKey: QueryKey;
}

export function RemovePlace({ id, close, remove, queryKey }: RemovePlaceProps) {
  const queryClient = useQueryClient();
  const removing = useMutation({
    mutationFn: remove,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey });
      close();
    },
  });
  return (
    <Confirm
      isOpen={id !== undefined}
      close={() => {
        close();
        removing.reset();
      }}
      title={`Remove ${id ?? ''}`}
      action="Remove"
      isPending={removing.isPending}
      error={removing.error}
      confirm={() => id !== undefined && removing.mutate(id)}
    >
      Offers can no longer use this location. You can remove it only if no offer uses it.
    </Confirm>
  );
}
