/** Announced changes of requirements: the notice that offers would fail, and when the change of a filtered list applies. */
import { Alert, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { upcomingQuery } from '../../api/announced-changes.ts';
import { useEnvironment } from '../../ui/environment.ts';
import { ButtonLink, TextLink } from '../../ui/links.tsx';
import { countOf } from '../../ui/numbers.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

const REFRESH_MS = 30_000;

/** Shows nothing unless offers would fail. */
export function UpcomingNotice() {
  const environment = useEnvironment();
  const { data } = useQuery({ ...upcomingQuery(environment), refetchInterval: REFRESH_MS });
  const failing = data?.changes.filter(({ offers }) => offers > 0) ?? [];
  return failing.map(({ id, rule, enforced_from: at, offers }) => (
    <Alert
      key={id}
      color="yellow"
      title={
        <>
          {countOf(offers, 'offer')} will not be for sale from <Time at={at} /> unless fixed
        </>
      }
    >
      <Stack gap={4} align="flex-start">
        <Text size="sm">{rule}</Text>
        <TextLink
          to="/$environment/offers"
          params={{ environment }}
          search={{ upcoming: String(id) }}
          size="sm"
          underline="always"
          c="var(--mantine-color-text)"
        >
          View {countOf(offers, 'offer')}
        </TextLink>
      </Stack>
    </Alert>
  ));
}

interface UpcomingOffersProps {
  /** Id of an announced change, or `yes` for all. */
  readonly upcoming: string;
  readonly children: ReactNode;
}

/** Shown above the offers that would fail under an announced change: says when it applies, or that it is no longer announced. */
export function UpcomingOffers({ upcoming, children }: UpcomingOffersProps) {
  const environment = useEnvironment();
  const query = useQuery(upcomingQuery(environment));
  if (upcoming === 'yes') return children;
  return (
    <QueryView query={query} what="announced change">
      {({ changes }) => {
        const change = changes.find(({ id }) => String(id) === upcoming);
        return change === undefined ? (
          <Empty
            title="This change is no longer announced"
            action={
              <ButtonLink to="/$environment/offers" params={{ environment }}>
                View offers
              </ButtonLink>
            }
          >
            It was applied or cancelled.
          </Empty>
        ) : (
          <>
            <Alert color="yellow" title={change.rule}>
              Applies on <Time at={change.enforced_from} />. Until then, these offers keep their status. The page of
              each says what to do.
            </Alert>
            {children}
          </>
        );
      }}
    </QueryView>
  );
}
