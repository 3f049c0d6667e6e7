/** Button that undoes a finished bulk file, after confirmation. */
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type BulkFile, isInProgress, type UndoneFile, undoFile } from '../../api/files.ts';
import { useHasHistory, useMayChange } from '../../api/session.ts';
import { ConfirmButton } from '../../ui/confirm.tsx';
import { useEnvironment } from '../../ui/environment.ts';
import { countOf } from '../../ui/numbers.ts';

const SKIPPED_NAMED = 5;
const LEFT_TEXTS = {
  changed_since: 'changed again since',
  offer_added: 'added by the file',
  no_earlier_value: 'no earlier value',
} as const;

export function UndoFile({ file }: { readonly file: BulkFile }) {
  const environment = useEnvironment();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const mayChange = useMayChange();
  const hasHistory = useHasHistory();
  const changed = file.rows_processed - file.rows_failed - file.rows_superseded;
  const report = async ({ offers, skipped, skipped_skus: left, file: undo }: UndoneFile) => {
    const named = left.slice(0, SKIPPED_NAMED).map(({ sku, reason }) => `${sku} (${LEFT_TEXTS[reason]})`);
    const others = skipped > named.length ? ' and others' : '';
    const rest = skipped === 0 ? '' : ` ${countOf(skipped, 'offer')} skipped: ${named.join(', ')}${others}.`;
    const message = offers === 0 ? `Nothing to undo.${rest}` : `Restoring ${countOf(offers, 'offer')}.${rest}`;
    notifications.show({ message, autoClose: skipped === 0 ? 4000 : false });
    await queryClient.invalidateQueries({ queryKey: ['files', environment] });
    if (undo === undefined) return;
    const params = { environment, fileId: undo.marketplace_file_id };
    await navigate({ to: '/$environment/files/$fileId', params });
  };
  // Undoing a group would change offers that the file does not name.
  const isUndoable = file.file_type !== 'Variation' && !file.validate_only && !isInProgress(file) && changed > 0;
  if (!mayChange || !hasHistory || !isUndoable) return null;
  return (
    <ConfirmButton
      title={`Undo: ${file.file_name}`}
      action="Undo this file"
      isHarmless
      run={() => undoFile(environment, file.marketplace_file_id)}
      done={report}
    >
      Restores the values from before this file for up to {countOf(changed, 'offer')}.{' '}
      {file.file_type === 'Archive' && 'Unarchived offers get their stock back. '}
      Offers that were changed again since, or that the file added, are skipped.
    </ConfirmButton>
  );
}
