/** Charts of the overview; each also shows its figures as text, for screen readers. */
import '@mantine/charts/styles.css';
import { DonutChart } from '@mantine/charts';
import { Group, Progress, Stack, Text } from '@mantine/core';
import type { Overview } from '../../api/overview.ts';
import { useEnvironment } from '../../ui/environment.ts';
import { TextLink } from '../../ui/links.tsx';
import { countOf, countText } from '../../ui/numbers.ts';
import { offerColour } from '../../ui/status-badge.tsx';

interface ChartProps {
  readonly overview: Overview;
}

export function OfferChart({ overview: { offers } }: ChartProps) {
  const environment = useEnvironment();
  const shown = offers.by_status.filter((status) => status.offers > 0);
  return (
    <Group justify="space-around" gap="lg">
      <DonutChart
        aria-hidden
        size={180}
        thickness={26}
        withTooltip={false}
        pieChartProps={{ accessibilityLayer: false }}
        pieProps={{ rootTabIndex: -1 }}
        chartLabel={countText(offers.total)}
        data={shown.map(({ status, offers: value }) => ({ name: status, value, color: `${offerColour(status)}.6` }))}
      />
      <Stack gap={6}>
        {offers.by_status.map(({ status, offers: count }) => (
          <Group key={status} gap="sm" justify="space-between" wrap="nowrap">
            <TextLink to="/$environment/offers" params={{ environment }} search={{ status }} size="sm">
              {status}
            </TextLink>
            <Text size="sm" fw={600}>
              {countText(count)}
            </Text>
          </Group>
        ))}
      </Stack>
    </Group>
  );
}

/** Bar chart whose labels link to the filtered offer list. */
export function IssueChart({ overview: { offers } }: ChartProps) {
  const environment = useEnvironment();
  const largest = Math.max(1, ...offers.by_sub_status.map((issue) => issue.offers));
  return (
    <Stack gap="sm">
      {offers.by_sub_status.map(({ sub_status, offers: count }) => (
        <Stack key={sub_status} gap={4}>
          <Group justify="space-between" wrap="nowrap">
            <TextLink to="/$environment/offers" params={{ environment }} search={{ sub_status }} size="sm">
              {sub_status}
            </TextLink>
            <Text size="sm" fw={600}>
              {countText(count)}
            </Text>
          </Group>
          <Progress
            value={(count / largest) * 100}
            color="orange"
            size="lg"
            aria-label={`${sub_status}: ${countOf(count, 'offer')}`}
          />
        </Stack>
      ))}
    </Stack>
  );
}
