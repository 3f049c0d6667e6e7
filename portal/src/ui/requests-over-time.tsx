/** Shows requests over time and the rate limit: a summary, and an area chart with the figures of the interval under the pointer. */
import { Group, SegmentedControl, Stack, Text, VisuallyHidden } from '@mantine/core';
import { type PointerEvent, useState } from 'react';
import { countOf, countText } from './numbers.ts';
import classes from './requests-over-time.module.css';
import { clockText } from './time.tsx';

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
      <Chart counts={counts} />
    </Stack>
  );
}

/** Hidden from screen readers, because the text above has the figures. */
function Chart({ counts }: { readonly counts: readonly RequestCounts[] }) {
  const [place, setPlace] = useState<number>();
  const series = SERIES.filter(({ name }) => name === 'requests' || sum(counts, name) > 0);
  const top = roundUp(Math.max(1, ...counts.map(({ requests }) => requests)));
  const last = Math.max(1, counts.length - 1);
  const pointed = place === undefined ? undefined : counts[place];
  const point = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setPlace(Math.max(0, Math.min(last, Math.round(((clientX - left) / width) * last))));
  };
  return (
    <div aria-hidden="true">
      <Group gap="md" mb={6} mih={20}>
        {series.map(({ name, label, color }) => (
          <Group key={name} gap={6}>
            <svg width="8" height="8" aria-hidden="true">
              <circle cx="4" cy="4" r="4" fill={color} />
            </svg>
            <Text size="xs">{label}</Text>
            {pointed && (
              <Text size="xs" fw={600}>
                {countText(pointed[name])}
              </Text>
            )}
          </Group>
        ))}
        {pointed && (
          <Text size="xs" c="dimmed">
            {clockText(pointed.at)}
          </Text>
        )}
      </Group>
      <div className={classes.plot}>
        <Text size="xs" c="dimmed" className={classes.top}>
          {countText(top)}
        </Text>
        <svg
          viewBox={`0 0 ${last} 100`}
          preserveAspectRatio="none"
          aria-hidden="true"
          className={classes.lines}
          onPointerMove={point}
          onPointerLeave={() => setPlace(undefined)}
        >
          {[0.5, 50, 99.5].map((y) => (
            <line key={y} x1="0" x2={last} y1={y} y2={y} className={classes.grid} />
          ))}
          {series.map(({ name, color }) => {
            const line = counts.map((count, x) => `${x} ${100 - (count[name] / top) * 99}`).join('L');
            return (
              <g key={name}>
                {name === 'requests' && <path d={`M0 100L${line}L${last} 100z`} fill={color} opacity="0.14" />}
                <path d={`M${line}`} stroke={color} className={classes.line} />
              </g>
            );
          })}
          {place !== undefined && <line x1={place} x2={place} y1="0" y2="100" className={classes.pointer} />}
        </svg>
      </div>
      <Group justify="space-between" mt={4}>
        {[counts[0], counts[Math.floor(counts.length / 2)], counts.at(-1)].map((count, at) => (
          <Text key={at === 0 ? 'first' : at === 1 ? 'middle' : 'last'} size="xs" c="dimmed">
            {count && clockText(count.at)}
          </Text>
        ))}
      </Group>
    </div>
  );
}

function sum(counts: readonly RequestCounts[], of: (typeof SERIES)[number]['name']): number {
  return counts.reduce((all, count) => all + count[of], 0);
}

/** Rounds up to 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}
