/** Requests compared with the rate limit: a summary, and a chart that loads after the page. */
import { Text } from '@mantine/core';
import { loadedLater } from './loaded-later.tsx';
import { countText } from './numbers.ts';
import type { RequestChartProps } from './request-chart.tsx';

const RequestChart = loadedLater(
  'request-chart',
  'chart',
  async () => (await import('./request-chart.tsx')).RequestChart,
);

export function RequestsOverTime(counts: RequestChartProps) {
  const busiest = Math.max(0, ...counts.minutes.map((minute) => minute.requests));
  return (
    <>
      <Text size="sm" c="dimmed">
        Limit {countText(counts.limitPerMinute)}/min · Peak in the last hour {countText(busiest)}/min
      </Text>
      <RequestChart {...counts} />
    </>
  );
}
