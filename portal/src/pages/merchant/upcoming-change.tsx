/** Announced change of requirements: when it applies, and the offers that would fail; and the notice that leads to it. */
import { Alert, List, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type UpcomingChange, upcomingOffersQuery, upcomingQuery } from '../../api/upcoming.ts';
import { useEnvironment } from '../../ui/environment.ts';
import { ButtonLink, TextLink } from '../../ui/links.tsx';
import { countOf } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
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
          to="/$environment/upcoming/$changeId"
          params={{ environment, changeId: String(id) }}
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

export function UpcomingChangePage() {
  const environment = useEnvironment();
  const { changeId } = useParams({ from: '/$environment/upcoming/$changeId' });
  const upcoming = useQuery(upcomingQuery(environment));
  return (
    <Page title="Announced change">
      <QueryView query={upcoming} what="announced change">
        {({ changes }) => {
          const change = changes.find(({ id }) => String(id) === changeId);
          return change === undefined ? <NotAnnounced /> : <OffersOf change={change} />;
        }}
      </QueryView>
    </Page>
  );
}

function NotAnnounced() {
  const environment = useEnvironment();
  return (
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
  );
}

function OffersOf({ change: { id, rule, enforced_from: at } }: { readonly change: UpcomingChange }) {
  const environment = useEnvironment();
  const offers = useInfiniteQuery(upcomingOffersQuery(environment, id));
  return (
    <Panel
      title={rule}
      about={
        <>
          Applies on <Time at={at} />. Until then, your offers keep their status.
        </>
      }
    >
      <QueryView query={offers} what="offers">
        {({ pages }) => {
          const found = pages.flatMap((page) => page.offers);
          return found.length === 0 ? (
            <Empty title="No offers will fail">Offers that this change would take off sale are listed here.</Empty>
          ) : (
            <>
              <Text size="sm">These offers will not be for sale unless fixed. Each page says what to do.</Text>
              <List className="anywhere">
                {found.map(({ merchant_sku: sku }) => (
                  <List.Item key={sku}>
                    <TextLink to="/$environment/offers/$sku" params={{ environment, sku }}>
                      {sku}
                    </TextLink>
                  </List.Item>
                ))}
              </List>
              <ShowMore list={offers} />
            </>
          );
        }}
      </QueryView>
    </Panel>
  );
}
