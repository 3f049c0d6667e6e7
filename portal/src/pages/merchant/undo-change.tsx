/** Button that undoes a finished change of many offers, after confirmation. */
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type BulkFile, isInProgress, undoChange } from '../../api/files.ts';
import type { ChangedOffers } from '../../api/offers.ts';
import { useHasHistory, useMayChange } from '../../api/session.ts';
import { ConfirmButton } from '../../ui/confirm.tsx';
import { useEnvironment } from '../../ui/environment.ts';
import { countOf } from '../../ui/numbers.ts';

/** The name that the offer list gives its files: "Change price by +5% (3 offers)". Other files cannot be undone. */
const FROM_OFFER_LIST = / \(\d+ offers?\)$/;

export function UndoChange({ file }: { readonly file: BulkFile }) {
  const environment = useEnvironment();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const mayChange = useMayChange();
  const hasHistory = useHasHistory();
  const changed = file.rows_processed - file.rows_failed - file.rows_superseded;
  const report = async ({ offers, skipped, file: undo }: ChangedOffers) => {
    const rest =
      skipped === 0 ? '' : ` ${countOf(skipped, 'offer')} skipped: changed again since, or had no earlier value.`;
    const message = offers === 0 ? `Nothing to undo.${rest}` : `Restoring ${countOf(offers, 'offer')}.${rest}`;
    notifications.show({ message, autoClose: skipped === 0 ? 4000 : false });
    await queryClient.invalidateQueries({ queryKey: ['files', environment] });
    if (undo === undefined) return;
    const params = { environment, fileId: undo.marketplace_file_id };
    await navigate({ to: '/$environment/files/$fileId', params });
  };
  if (!mayChange || !hasHistory || isInProgress(file) || changed === 0 || !FROM_OFFER_LIST.test(file.file_name))
    return null;
  return (
    <ConfirmButton
      title={`Undo: ${file.file_name}`}
      action="Undo this change"
      isHarmless
      run={() => undoChange(environment, file.marketplace_file_id)}
      done={report}
    >
      Restores the value before this change for up to {countOf(changed, 'offer')}.{' '}
      {file.file_type === 'Archive' && 'Unarchived offers get their stock back. '}
      Offers that were changed again since are skipped.
    </ConfirmButton>
  );
}
