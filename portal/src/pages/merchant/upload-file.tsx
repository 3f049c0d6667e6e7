/** Uploads a bulk file by drag and drop or file dialog: detects what it is, asks for confirmation, shows progress. */
import '@mantine/dropzone/styles.css';
import { Alert, Box, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState } from 'react';
import type { FileType } from '#domain/vocabulary/file-types.ts';
import { type BulkFile, isGzip, uploadFile } from '../../api/files.ts';
import { ApiError } from '../../api/problem.ts';
import { type Environment, useSession } from '../../api/session.ts';
import type { JsonFile, SheetFile } from '../../api/sheets/inspect-file.ts';
import { FileRefused, SHEET_ROWS_MAX } from '../../api/sheets/limits.ts';
import { bytesText, countText } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { Failed, Loading } from '../../ui/states.tsx';
import { ConfirmJson } from './upload/confirm-json.tsx';
import { TemplateMenu } from './upload/template-menu.tsx';

/** Loaded on demand, because it contains the server's rules for rows, which only sheets need. */
const ConfirmSheet = lazy(async () => ({ default: (await import('./upload/confirm-sheet.tsx')).ConfirmSheet }));

interface Inspected {
  readonly file: File;
  readonly found: JsonFile | SheetFile;
}

export function UploadFile({ environment }: { readonly environment: Environment }) {
  const { limits } = useSession();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [share, setShare] = useState(0);
  const [refused, setRefused] = useState<string>();
  const aborting = useRef(new AbortController());
  const inspecting = useMutation({
    mutationFn: async (file: File): Promise<Inspected> => {
      if (file.size > limits.file_bytes_max && (await isGzip(file))) throw tooLarge(limits.file_bytes_max);
      const { inspectFile } = await import('../../api/sheets/inspect-file.ts');
      return { file, found: await inspectFile(file) };
    },
  });
  const uploading = useMutation({
    mutationFn: ({ file, type }: { file: File; type: FileType }) => {
      aborting.current = new AbortController();
      setShare(0);
      return uploadFile({ environment, type, file, onSent: setShare, signal: aborting.current.signal });
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['files', environment] }),
  });
  // Only called while this page is open, so it never pulls the user away from another page.
  const openFile = ({ marketplace_file_id: fileId }: BulkFile) =>
    navigate({ to: '/$environment/files/$fileId', params: { environment, fileId } });
  const inspect = ([file]: readonly File[]) => {
    setRefused(undefined);
    uploading.reset();
    if (file !== undefined) inspecting.mutate(file);
  };
  const cancel = () => {
    inspecting.reset();
    uploading.reset();
  };
  const confirm = (file: File, type: FileType) => uploading.mutate({ file, type }, { onSuccess: openFile });
  const largest = Math.max(limits.file_bytes_max, limits.file_unpacked_bytes_max);
  const wasCanceled = aborting.current.signal.aborted;
  return (
    <Panel title="Upload a file" actions={<TemplateMenu environment={environment} />}>
      {uploading.isPending && (
        <Stack gap="xs">
          <Progress value={share * 100} size="lg" animated aria-label="Upload progress" />
          <Group justify="space-between">
            <Text size="sm">
              {uploading.variables.file.name}: {bytesText(uploading.variables.file.size * share)} of{' '}
              {bytesText(uploading.variables.file.size)}
            </Text>
            <Button size="xs" variant="default" onClick={() => aborting.current.abort(new Error('Upload cancelled.'))}>
              Cancel
            </Button>
          </Group>
        </Stack>
      )}
      {/* Stays mounted, so that a failed upload keeps what the user chose. */}
      {inspecting.data !== undefined && (
        <Box display={uploading.isPending ? 'none' : 'block'}>
          <Suspense fallback={<Loading what="sheet" />}>
            <Confirmation {...inspecting.data} environment={environment} confirm={confirm} cancel={cancel} />
          </Suspense>
        </Box>
      )}
      {inspecting.data === undefined && !uploading.isPending && (
        <Dropzone
          onDrop={inspect}
          onReject={() => setRefused(`Upload one file of at most ${bytesText(largest)}.`)}
          maxSize={largest}
          maxFiles={1}
          multiple={false}
          loading={inspecting.isPending}
          inputProps={{ 'aria-label': 'File to upload' }}
          p="xl"
        >
          <Stack gap={4} align="center">
            <Text fw={600}>Drag a file here or browse</Text>
            <Text size="sm" c="dimmed" ta="center">
              CSV or Excel (XLSX) with up to {countText(SHEET_ROWS_MAX)} rows, or JSON of any length. gzip works too.
            </Text>
          </Stack>
        </Dropzone>
      )}
      {refused !== undefined && <Refused>{refused}</Refused>}
      {inspecting.error instanceof FileRefused && <Refused>{inspecting.error.message}</Refused>}
      {inspecting.isError && !(inspecting.error instanceof FileRefused) && <Failed error={inspecting.error} />}
      {uploading.isError && !wasCanceled && <Failed error={uploading.error} />}
      {uploading.isError && wasCanceled && (
        <Alert color="gray" role="alert">
          Upload cancelled.
        </Alert>
      )}
    </Panel>
  );
}

interface ConfirmationProps extends Inspected {
  readonly environment: Environment;
  readonly confirm: (file: File, type: FileType) => void;
  readonly cancel: () => void;
}

function Confirmation({ found, ...props }: ConfirmationProps) {
  return found.format === 'JSON' ? (
    <ConfirmJson {...props} detected={found.type} />
  ) : (
    <ConfirmSheet {...props} sheet={found} />
  );
}

function Refused({ children }: { readonly children: string }) {
  return (
    <Alert color="red" role="alert">
      {children}
    </Alert>
  );
}

function tooLarge(bytesMax: number): ApiError {
  const message = `A gzip file must be at most ${bytesText(bytesMax)}. Split it into several files.`;
  return new ApiError(413, [{ code: 'file_too_large', field: '', message }]);
}
