/** Chart of requests over time with the rate limit; loaded after the page. */
import '@mantine/charts/styles.css';
import { AreaChart } from '@mantine/charts';
import { SegmentedControl, Stack, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { countOf, countText } from './numbers.ts';
import { clockText } from './time.tsx';

export interface RequestCounts {
  readonly at: string;
  readonly requests: number;
  readonly errors: number;
  readonly refused: number;
}

export interface RequestChartProps {
  readonly limitPerMinute: number;
  readonly minutes: readonly RequestCounts[];
  readonly hours?: readonly RequestCounts[];
}

/** A series without any value is hidden, except the total. */
const SERIES = [
  { name: 'requests', label: 'Requests', color: 'pine.6' },
  { name: 'errors', label: 'Errors', color: 'orange.6' },
  { name: 'refused', label: 'Rate-limited', color: 'red.6' },
] as const;

export function RequestChart({ limitPerMinute, minutes, hours }: RequestChartProps) {
  const [span, setSpan] = useState('minutes');
  const showsHours = span === 'hours' && hours !== undefined;
  const counts = showsHours ? hours : minutes;
  const limit = showsHours ? limitPerMinute * 60 : limitPerMinute;
  const highest = Math.max(1, ...counts.map((count) => count.requests));
  // A limit far above the values would flatten the chart; the text above it shows the limit anyway.
  const showsLimit = highest > limit / 4;
  return (
    <Stack gap="sm">
      {hours && (
        <SegmentedControl
          aria-label="Time range"
          size="xs"
          maw={240}
          value={span}
          onChange={setSpan}
          data={[
            { value: 'minutes', label: 'Last hour' },
            { value: 'hours', label: 'Last 24 hours' },
          ]}
        />
      )}
      <VisuallyHidden>
        {countOf(sum(counts, 'requests'), 'request')}, {countOf(sum(counts, 'errors'), 'error')} and{' '}
        {countText(sum(counts, 'refused'))} rate-limited
      </VisuallyHidden>
      <AreaChart
        aria-hidden
        h={220}
        data={counts.map(({ at, ...count }) => ({ time: clockText(at), ...count }))}
        dataKey="time"
        withDots={false}
        areaChartProps={{ accessibilityLayer: false }}
        withLegend
        curveType="linear"
        series={SERIES.filter(({ name }) => name === 'requests' || sum(counts, name) > 0)}
        referenceLines={showsLimit ? [{ y: limit, label: 'Limit', color: 'red.6' }] : []}
        valueFormatter={countText}
      />
    </Stack>
  );
}

function sum(counts: readonly RequestCounts[], of: (typeof SERIES)[number]['name']): number {
  return counts.reduce((all, count) => all + count[of], 0);
}
