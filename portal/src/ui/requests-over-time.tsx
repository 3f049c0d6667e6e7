/** In charge of requests against the limit: in words, and as a chart that comes after the page. */
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
        {countText(counts.limitPerMinute)} a minute are allowed; the busiest minute of the last hour had{' '}
        {countText(busiest)}.
      </Text>
      <RequestChart {...counts} />
    </>
  );
}
