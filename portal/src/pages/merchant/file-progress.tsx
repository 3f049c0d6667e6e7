/** Progress of a bulk file: bar, row counts, rate and time left. It shows no size, because a sheet is stored as JSON, which is larger. */
import { Group, Progress, Stack, Text } from '@mantine/core';
import { type BulkFile, isInProgress } from '../../api/files.ts';
import { countOf, countText, durationText } from '../../ui/numbers.ts';
import { COLORS, fileColor } from '../../ui/status-badge.tsx';

export function FileProgress({ file }: { readonly file: BulkFile }) {
  const { bytes_processed: done, bytes_total: total, rows_per_second: rate, rows_failed, rows_waiting } = file;
  const share = total === 0 ? 0 : Math.min(100, (done / total) * 100);
  const failed = file.rows_processed === 0 ? 0 : (share * rows_failed) / file.rows_processed;
  const isMixed = failed > 0 && failed < share;
  return (
    <Stack gap={4} miw={160}>
      <Progress.Root
        role="progressbar"
        aria-label={`Progress of ${file.file_name}`}
        aria-valuenow={share}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <Progress.Section
          value={share - failed}
          color={isMixed && !isInProgress(file) ? COLORS.done : fileColor(file.status)}
          animated={isInProgress(file)}
          withAria={false}
        />
        <Progress.Section value={failed} color={COLORS.fix} withAria={false} />
      </Progress.Root>
      <Group gap="md">
        <Text size="xs" c="dimmed">
          {isInProgress(file) && `${Math.floor(share)}%, `}
          {countOf(file.rows_processed, 'row')}
          {rows_failed > 0 && `, ${countText(rows_failed)} failed`}
          {rows_waiting > 0 && `, ${countText(rows_waiting)} waiting`}
        </Text>
        {isInProgress(file) && rate !== undefined && (
          <Text size="xs" c="dimmed">
            {countText(rate)} rows/s{timeLeft(file)}
          </Text>
        )}
      </Group>
    </Stack>
  );
}

function timeLeft({ estimated_end: end }: BulkFile): string {
  if (end === undefined) return '';
  return `, ${durationText(Math.max(0, (Date.parse(end) - Date.now()) / 1000))} left`;
}
