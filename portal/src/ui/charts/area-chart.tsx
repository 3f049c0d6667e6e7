/** Area chart over time, with the figures of the point under the pointer. */
import { Group, Text } from '@mantine/core';
import { type PointerEvent, useState } from 'react';
import { countText } from '../numbers.ts';
import classes from './area-chart.module.css';

interface AreaChartProps<Name extends string> {
  readonly points: readonly ({ readonly at: string } & Readonly<Record<Name, number>>)[];
  /** The first one has the highest values, and its area is filled. */
  readonly series: readonly { readonly name: Name; readonly label: string; readonly color: string }[];
  readonly timeText: (at: string) => string;
}

/** Hidden from screen readers: show the figures as text too. */
export function AreaChart<Name extends string>({ points, series, timeText }: AreaChartProps<Name>) {
  const [place, setPlace] = useState<number>();
  const [total] = series;
  const top = roundUp(Math.max(1, ...points.map((point) => (total === undefined ? 0 : point[total.name]))));
  const last = Math.max(1, points.length - 1);
  const pointed = place === undefined ? undefined : points[place];
  const follow = ({ currentTarget, clientX }: PointerEvent) => {
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
            {timeText(pointed.at)}
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
          onPointerMove={follow}
          onPointerLeave={() => setPlace(undefined)}
        >
          {[0.5, 50, 99.5].map((y) => (
            <line key={y} x1="0" x2={last} y1={y} y2={y} className={classes.grid} />
          ))}
          {series.map(({ name, color }) => {
            const line = points.map((point, x) => `${x} ${100 - (point[name] / top) * 99}`).join('L');
            return (
              <g key={name}>
                {name === total?.name && <path d={`M0 100L${line}L${last} 100z`} fill={color} opacity="0.14" />}
                <path d={`M${line}`} stroke={color} className={classes.line} />
              </g>
            );
          })}
          {place !== undefined && <line x1={place} x2={place} y1="0" y2="100" className={classes.pointer} />}
        </svg>
      </div>
      <Group justify="space-between" mt={4}>
        {[points[0], points.length > 2 ? points[Math.floor(points.length / 2)] : undefined, points.at(-1)].map(
          (shown, at) => (
            <Text key={at === 0 ? 'first' : at === 1 ? 'middle' : 'last'} size="xs" c="dimmed">
              {shown && timeText(shown.at)}
            </Text>
          ),
        )}
      </Group>
    </div>
  );
}

/** Rounds up to 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}
