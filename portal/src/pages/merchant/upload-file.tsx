/** Uploads a bulk file by drag and drop or file dialog, with its type and progress. */
import '@mantine/dropzone/styles.css';
import { Alert, Button, Card, Group, Progress, Select, Stack, Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { type BulkFile, FILE_TYPES, type FileType, isGzip, uploadFile } from '../../api/files.ts';
import { ApiError } from '../../api/problem.ts';
import { type Environment, useSession } from '../../api/session.ts';
import { bytesText } from '../../ui/numbers.ts';
import { Failed } from '../../ui/states.tsx';

export function UploadFile({ environment }: { readonly environment: Environment }) {
  const { limits } = useSession();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [type, setType] = useState<FileType>('MerchantSKUs');
  const [share, setShare] = useState(0);
  const [refused, setRefused] = useState<string>();
  const aborting = useRef(new AbortController());
  const uploading = useMutation({
    mutationFn: async (file: File) => {
      aborting.current = new AbortController();
      setShare(0);
      if (file.size > limits.file_bytes_max && (await isGzip(file))) throw tooLarge(limits.file_bytes_max);
      return uploadFile({ environment, type, file, onSent: setShare, signal: aborting.current.signal });
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['files', environment] }),
  });
  // Only called while this page is open, so it never pulls the user away from another page.
  const openFile = ({ marketplace_file_id: fileId }: BulkFile) =>
    navigate({ to: '/$environment/files/$fileId', params: { environment, fileId } });
  const send = (files: readonly File[]) => {
    const [file] = files;
    setRefused(undefined);
    if (file !== undefined) uploading.mutate(file, { onSuccess: openFile });
  };
  const largest = Math.max(limits.file_bytes_max, limits.file_unpacked_bytes_max);
  const wasCanceled = aborting.current.signal.aborted;
  return (
    <Card withBorder>
      <Stack>
        <Select
          label="File type"
          data={FILE_TYPES}
          value={type}
          allowDeselect={false}
          maw={320}
          disabled={uploading.isPending}
          onChange={(value) => setType(value as FileType)}
        />
        {uploading.isPending ? (
          <Stack gap="xs">
            <Progress value={share * 100} size="lg" animated aria-label="Upload progress" />
            <Group justify="space-between">
              <Text size="sm">
                {uploading.variables.name}: {bytesText(uploading.variables.size * share)} of{' '}
                {bytesText(uploading.variables.size)}
              </Text>
              <Button size="xs" variant="default" onClick={() => aborting.current.abort(new Error('Upload canceled.'))}>
                Cancel
              </Button>
            </Group>
          </Stack>
        ) : (
          <Dropzone
            onDrop={send}
            onReject={() => setRefused(`Upload one file of at most ${bytesText(largest)}.`)}
            maxSize={largest}
            maxFiles={1}
            multiple={false}
            inputProps={{ 'aria-label': 'File to upload' }}
            p="xl"
          >
            <Stack gap={4} align="center">
              <Text fw={600}>Drag a file here or browse</Text>
              <Text size="sm" c="dimmed" ta="center">
                JSON, plain or gzip: {'{"<SKU ID>": <body of the API call>, …}'}
              </Text>
            </Stack>
          </Dropzone>
        )}
        {refused !== undefined && (
          <Alert color="red" role="alert">
            {refused}
          </Alert>
        )}
        {uploading.isError && !wasCanceled && <Failed error={uploading.error} />}
        {uploading.isError && wasCanceled && (
          <Alert color="gray" role="alert">
            Upload canceled.
          </Alert>
        )}
      </Stack>
    </Card>
  );
}

function tooLarge(bytesMax: number): ApiError {
  const message = `A gzip file must be at most ${bytesText(bytesMax)}. Split it into several files.`;
  return new ApiError(413, [{ code: 'file_too_large', field: '', message }]);
}
