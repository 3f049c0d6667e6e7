/** In charge of sending a bulk file from the browser: drag and drop or a dialog, its type, and how much was sent. */
import '@mantine/dropzone/styles.css';
import { Alert, Button, Card, Group, Progress, Select, Stack, Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { type BulkFile, FILE_TYPES, type FileType, isGzip, sendFile } from '../../api/files.ts';
import { ApiError } from '../../api/problem.ts';
import { type Environment, useSession } from '../../api/session.ts';
import { bytesText } from '../../ui/numbers.ts';
import { Failed } from '../../ui/states.tsx';

export function SendFile({ environment }: { readonly environment: Environment }) {
  const { limits } = useSession();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [type, setType] = useState<FileType>('MerchantSKUs');
  const [share, setShare] = useState(0);
  const [refused, setRefused] = useState<string>();
  const stopping = useRef(new AbortController());
  const sending = useMutation({
    mutationFn: async (file: File) => {
      stopping.current = new AbortController();
      setShare(0);
      if (file.size > limits.file_bytes_max && (await isGzip(file))) throw tooLarge(limits.file_bytes_max);
      return sendFile({ environment, type, file, onSent: setShare, signal: stopping.current.signal });
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['files', environment] }),
  });
  // Not called where another page was opened meanwhile: nobody is pulled away from it.
  const follow = ({ marketplace_file_id: fileId }: BulkFile) =>
    navigate({ to: '/$environment/files/$fileId', params: { environment, fileId } });
  const send = (files: readonly File[]) => {
    const [file] = files;
    setRefused(undefined);
    if (file !== undefined) sending.mutate(file, { onSuccess: follow });
  };
  const largest = Math.max(limits.file_bytes_max, limits.file_unpacked_bytes_max);
  const wasStopped = stopping.current.signal.aborted;
  return (
    <Card withBorder>
      <Stack>
        <Select
          label="What the rows are"
          data={FILE_TYPES}
          value={type}
          allowDeselect={false}
          maw={320}
          disabled={sending.isPending}
          onChange={(value) => setType(value as FileType)}
        />
        {sending.isPending ? (
          <Stack gap="xs">
            <Progress value={share * 100} size="lg" animated aria-label="Sent" />
            <Group justify="space-between">
              <Text size="sm">
                {sending.variables.name}: {bytesText(sending.variables.size * share)} of{' '}
                {bytesText(sending.variables.size)} sent
              </Text>
              <Button size="xs" variant="default" onClick={() => stopping.current.abort(new Error('Stopped by you.'))}>
                Stop
              </Button>
            </Group>
          </Stack>
        ) : (
          <Dropzone
            onDrop={send}
            onReject={() => setRefused(`Send one file of at most ${bytesText(largest)}.`)}
            maxSize={largest}
            maxFiles={1}
            multiple={false}
            inputProps={{ 'aria-label': 'File to send' }}
            p="xl"
          >
            <Stack gap={4} align="center">
              <Text fw={600}>Drop a file here, or press to choose one</Text>
              <Text size="sm" c="dimmed" ta="center">
                One JSON object, plain or gzip: {'{"<SKU id>": <body of the single call>, …}'}
              </Text>
            </Stack>
          </Dropzone>
        )}
        {refused !== undefined && (
          <Alert color="red" role="alert">
            {refused}
          </Alert>
        )}
        {sending.isError && !wasStopped && <Failed error={sending.error} />}
        {sending.isError && wasStopped && (
          <Alert color="gray" role="alert">
            Stopped. Nothing of the file was taken.
          </Alert>
        )}
      </Stack>
    </Card>
  );
}

function tooLarge(bytesMax: number): ApiError {
  const message = `A file of gzip may have at most ${bytesText(bytesMax)}. Send it in parts.`;
  return new ApiError(413, [{ code: 'file_too_large', field: '', message }]);
}
