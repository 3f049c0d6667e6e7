/** Result of a change to many offers: progress of its bulk file, with links and an undo. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type BulkFile, fileQuery, isInProgress } from '../../../api/files.ts';
import type { ChangedOffers } from '../../../api/offers.ts';
import { useEnvironment } from '../../../ui/environment.ts';
import { ButtonLink } from '../../../ui/links.tsx';
import { countOf } from '../../../ui/numbers.ts';
import { FileProgress } from '../file-progress.tsx';
import { UndoFile } from '../undo-file.tsx';

export function Result({ changed, close }: { readonly changed: ChangedOffers; readonly close: () => void }) {
  const { offers, skipped, file } = changed;
  if (file === undefined) {
    return (
      <Stack>
        <Text>Nothing to change: {skipped === 0 ? 'no offer matches.' : `${countOf(skipped, 'offer')} skipped.`}</Text>
        <Group justify="flex-end">
          <Button onClick={close}>Close</Button>
        </Group>
      </Stack>
    );
  }
  return (
    <Stack>
      <Text>
        {countOf(offers, 'offer')} to change
        {skipped > 0 && `, ${countOf(skipped, 'offer')} skipped`}.
      </Text>
      <Progress fileId={file.marketplace_file_id} first={file} close={close} />
    </Stack>
  );
}

interface ProgressProps {
  readonly fileId: string;
  readonly first: BulkFile;
  readonly close: () => void;
}

function Progress({ fileId, first, close }: ProgressProps) {
  const environment = useEnvironment();
  const queryClient = useQueryClient();
  const { data: file = first } = useQuery(fileQuery(environment, fileId));
  const isDone = !isInProgress(file);
  useEffect(() => {
    if (isDone) queryClient.invalidateQueries({ queryKey: ['offers', environment] });
  }, [isDone, queryClient, environment]);
  return (
    <>
      <FileProgress file={file} />
      <Text size="sm" role="status">
        {isDone ? resultText(file) : 'You can close this dialog; the change continues.'}
      </Text>
      <Group justify="flex-end">
        <UndoFile file={file} />
        <ButtonLink variant="default" to="/$environment/files/$fileId" params={{ environment, fileId }}>
          {file.rows_failed > 0 ? 'View errors' : 'View file'}
        </ButtonLink>
        <Button onClick={close}>Close</Button>
      </Group>
    </>
  );
}

function resultText({ status, rows_processed, rows_failed, rows_superseded }: BulkFile): string {
  const changed = countOf(rows_processed - rows_failed - rows_superseded, 'offer');
  if (status === 'Cancelled') return `Cancelled: ${changed} changed.`;
  return rows_failed === 0 ? `Done: ${changed} changed.` : `Done: ${changed} changed, ${rows_failed} failed.`;
}
