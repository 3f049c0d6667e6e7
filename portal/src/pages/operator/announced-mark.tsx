/** Notice above rules that are about to change: says when, with a link to the page Changes. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { announcedQuery } from '../../api/announced-changes.ts';
import { TextLink } from '../../ui/links.tsx';
import { dayText } from '../../ui/time.tsx';

interface AnnouncedMarkProps {
  /** Suffix of the ids of the calls that change these rules. */
  readonly rule: 'Policy' | 'Placeholder' | 'Taxonomy';
}

export function AnnouncedMark({ rule }: AnnouncedMarkProps) {
  const { data } = useQuery(announcedQuery);
  const own = data?.changes.filter(({ state, act }) => state === 'announced' && act.endsWith(rule)) ?? [];
  const days = new Set(own.map(({ enforced_from: at }) => dayText(at)));
  if (days.size === 0) return null;
  return (
    <Text size="sm">
      <TextLink to="/operator/changes">Changes on {[...days].join('; ')}</TextLink>
    </Text>
  );
}
