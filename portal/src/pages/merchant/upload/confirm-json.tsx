/** Asks for confirmation of a JSON file and of its type before it is uploaded. */
import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { FILE_TYPES, type FileType } from '#domain/vocabulary/file-types.ts';
import { fileTypeChoices } from '../../../api/files.ts';
import { bytesText } from '../../../ui/numbers.ts';

interface ConfirmJsonProps {
  readonly file: File;
  readonly detected: FileType | undefined;
  readonly confirm: (file: File, type: FileType) => void;
  readonly cancel: () => void;
}

export function ConfirmJson({ file, detected, confirm, cancel }: ConfirmJsonProps) {
  const [type, setType] = useState<FileType | null>(detected ?? null);
  return (
    <Stack align="flex-start">
      <Text className="anywhere">
        <strong>{file.name}</strong> · JSON · {bytesText(file.size)}
      </Text>
      <Select
        label="File type"
        description={detected === undefined ? 'Choose the type of the rows.' : 'Detected from the first row.'}
        placeholder="Choose"
        data={fileTypeChoices(FILE_TYPES)}
        value={type}
        w={320}
        maw="100%"
        onChange={(value) => setType(value as FileType | null)}
      />
      <Group>
        <Button disabled={type === null} onClick={() => type !== null && confirm(file, type)}>
          Upload
        </Button>
        <Button variant="default" onClick={cancel}>
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}
