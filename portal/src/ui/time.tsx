/** Shows a time in the viewer's zone, in English; the tooltip has the exact time. */
import { Text, type TextProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { LOCALE } from './numbers.ts';

const EXACT = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'medium' });
const SHORT = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' });
const CLOCK = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'short' });
const RELATIVE = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto', style: 'narrow' });

const STEPS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

interface TimeProps extends TextProps {
  /** ISO 8601. Null shows `never`. */
  readonly at: string | null;
  readonly never?: string;
  readonly relative?: boolean;
}

export function Time({ at, never = 'Never', relative = false, ...props }: TimeProps) {
  if (at === null) {
    return (
      <Text span inherit c="dimmed" {...props}>
        {never}
      </Text>
    );
  }
  const date = new Date(at);
  return (
    <Text span inherit {...props}>
      <time dateTime={at} title={exactText(at)}>
        {relative ? <Since date={date} /> : SHORT.format(date)}
      </time>
    </Text>
  );
}

const REFRESH_MS = 20_000;

/** Renders the calling component again every 20 seconds, for texts that depend on the time. */
export function useRefresh(): void {
  const [, render] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => render((times) => times + 1), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
}

function Since({ date }: { readonly date: Date }) {
  useRefresh();
  return sinceText(date);
}

export function exactText(at: string): string {
  return EXACT.format(new Date(at));
}

export function clockText(at: string): string {
  return CLOCK.format(new Date(at));
}

export function dayText(at: string): string {
  return DAY.format(new Date(at));
}

export function sinceText(date: Date): string {
  const seconds = (date.getTime() - Date.now()) / 1000;
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size) return RELATIVE.format(Math.trunc(seconds / size), unit);
  }
  return Math.abs(seconds) < 5 ? 'now' : RELATIVE.format(Math.trunc(seconds), 'second');
}
