/** Shows requests over time and the rate limit: a summary, and an area chart. */
import { Group, SegmentedControl, Stack, Text, VisuallyHidden } from '@mantine/core';
import { countOf, countText } from '../numbers.ts';
import { clockText } from '../time.tsx';
import { AreaChart } from './area-chart.tsx';

export interface RequestCounts {
  readonly at: string;
  readonly requests: number;
  readonly errors: number;
  readonly refused: number;
}

export type RequestSpan = 'minutes' | 'hours';

interface RequestsOverTimeProps {
  readonly limitPerMinute: number;
  readonly minutes: readonly RequestCounts[];
  /** If absent, only the last hour can be shown. */
  readonly hours?: readonly RequestCounts[];
  readonly span?: RequestSpan;
  readonly setSpan?: (span: RequestSpan) => void;
}

/** Series of the chart. A series without values is hidden, except the total. */
const SERIES = [
  { name: 'requests', label: 'Requests', color: 'var(--mantine-color-iris-5)' },
  { name: 'errors', label: 'Errors', color: 'var(--mantine-color-orange-6)' },
  { name: 'refused', label: 'Rate-limited', color: 'var(--mantine-color-red-6)' },
] as const;

export function RequestsOverTime({ limitPerMinute, minutes, hours, span = 'minutes', setSpan }: RequestsOverTimeProps) {
  const counts = span === 'hours' && hours !== undefined ? hours : minutes;
  const busiest = Math.max(0, ...minutes.map((minute) => minute.requests));
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          Limit {countText(limitPerMinute)}/min · Peak in the last hour {countText(busiest)}/min
        </Text>
        {hours && (
          <SegmentedControl
            aria-label="Time range"
            size="xs"
            value={span}
            onChange={(value) => setSpan?.(value as RequestSpan)}
            data={[
              { value: 'minutes', label: 'Last hour' },
              { value: 'hours', label: 'Last 24 hours' },
            ]}
          />
        )}
      </Group>
      <VisuallyHidden>
        {countOf(sum(counts, 'requests'), 'request')}, {countOf(sum(counts, 'errors'), 'error')} and{' '}
        {countText(sum(counts, 'refused'))} rate-limited
      </VisuallyHidden>
      <AreaChart
        points={counts}
        series={SERIES.filter(({ name }) => name === 'requests' || sum(counts, name) > 0)}
        timeText={clockText}
      />
    </Stack>
  );
}

function sum(counts: readonly RequestCounts[], of: (typeof SERIES)[number]['name']): number {
  return counts.reduce((all, count) => all + count[of], 0);
}
