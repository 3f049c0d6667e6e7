/** In charge of the chart of requests over time against the limit; loaded after the page that shows it. */
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

/** Lines that lie along zero are left out, but for that of all requests. */
const SERIES = [
  { name: 'requests', label: 'Requests', color: 'pine.6' },
  { name: 'errors', label: 'Errors', color: 'orange.6' },
  { name: 'refused', label: 'Beyond the limit', color: 'red.6' },
] as const;

export function RequestChart({ limitPerMinute, minutes, hours }: RequestChartProps) {
  const [span, setSpan] = useState('minutes');
  const showsHours = span === 'hours' && hours !== undefined;
  const counts = showsHours ? hours : minutes;
  const limit = showsHours ? limitPerMinute * 60 : limitPerMinute;
  const highest = Math.max(1, ...counts.map((count) => count.requests));
  // A limit far above everything would press the figures flat; it is told in words above the chart.
  const isLimitInSight = highest > limit / 4;
  return (
    <Stack gap="sm">
      {hours && (
        <SegmentedControl
          aria-label="Span of time"
          size="xs"
          maw={240}
          value={span}
          onChange={setSpan}
          data={[
            { value: 'minutes', label: 'Last hour' },
            { value: 'hours', label: 'Last day' },
          ]}
        />
      )}
      <VisuallyHidden>
        {countOf(sum(counts, 'requests'), 'request')}, {countOf(sum(counts, 'errors'), 'error')} and{' '}
        {countText(sum(counts, 'refused'))} beyond the limit
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
        referenceLines={isLimitInSight ? [{ y: limit, label: 'Limit', color: 'red.6' }] : []}
        valueFormatter={countText}
      />
    </Stack>
  );
}

function sum(counts: readonly RequestCounts[], of: (typeof SERIES)[number]['name']): number {
  return counts.reduce((all, count) => all + count[of], 0);
}
