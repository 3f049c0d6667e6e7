/** Corrects the failed rows of a bulk file in place, and uploads only them. */
import { Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { matchImported } from '#domain/sheets/header.ts';
import { nodesQuery } from '../../../api/account-settings.ts';
import { uploadFile } from '../../../api/files.ts';
import type { Environment } from '../../../api/session.ts';
import { bulkFile, checkSheet } from '../../../api/sheets/check-sheet.ts';
import { type FailedRows, readFailedRows } from '../../../api/sheets/download-sheet.ts';
import type { SheetFile } from '../../../api/sheets/inspect-file.ts';
import { useUnsaved } from '../../../ui/forms/unsaved.tsx';
import { Empty, Failed, Loading } from '../../../ui/states.tsx';
import { CheckedRows } from './checked-rows.tsx';

interface CorrectRowsProps {
  readonly environment: Environment;
  readonly fileId: string;
  readonly fileName: string;
  readonly failed: FailedRows;
  readonly close: () => void;
}

export function CorrectRows({ environment, fileId, fileName, failed, close }: CorrectRowsProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { type } = failed;
  const edits = useRef(new Map<number, readonly string[]>());
  const nodes = useQuery(nodesQuery(environment));
  const read = useQuery({
    queryKey: ['failed-rows', environment, fileId],
    queryFn: async ({ signal }) => {
      const [headings = [], ...rows] = await readFailedRows(failed);
      const sheet: SheetFile = { format: 'CSV', type, headings, rows };
      const mapping = matchImported(type, headings);
      const nodeIds = nodes.data?.fulfillment_nodes.map((node) => node.fulfillment_node_id);
      const knownNodes = nodeIds && new Set(nodeIds);
      const checked = await checkSheet({
        sheet,
        type,
        mapping,
        fixed: new Map(),
        knownNodes,
        edits: new Map(),
        signal,
      });
      return { sheet, mapping, checked };
    },
    enabled: !nodes.isPending,
    gcTime: 0,
    // What the user has corrected must stay.
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
    retry: false,
  });
  const name = `${fileName.replace(/\.[^.]*$/, '')}-corrected.csv`;
  const uploading = useMutation({
    mutationFn: (file: File) =>
      uploadFile({ environment, type, file, onSent: () => undefined, signal: new AbortController().signal }),
    onSuccess: async ({ marketplace_file_id: sentId }) => {
      close();
      await queryClient.invalidateQueries({ queryKey: ['files', environment] });
      await navigate({
        to: '/$environment/files/$fileId',
        params: { environment, fileId: sentId },
        ignoreBlocker: true,
      });
    },
  });
  useUnsaved(!uploading.isSuccess);
  if (read.isError) {
    return (
      <Empty title="The failed rows cannot be read">
        The server may have deleted them. Correct the rows in your own file, and upload it again.
      </Empty>
    );
  }
  if (read.data === undefined) return <Loading what="failed rows" />;
  return (
    <>
      {uploading.isPending && <Loading what="upload" />}
      {uploading.isError && <Failed error={uploading.error} />}
      {/* Stays mounted, so that a failed upload keeps what the user typed. */}
      <Stack display={uploading.isPending ? 'none' : undefined}>
        <CheckedRows
          environment={environment}
          fileName={fileName}
          type={type}
          {...read.data}
          edits={edits.current}
          isRetry
          upload={(rows) => uploading.mutate(bulkFile(name, rows))}
          cancel={close}
        />
      </Stack>
    </>
  );
}
