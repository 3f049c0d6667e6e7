/** Merchant's home page: offers, the issues to fix first, uploads in progress, API requests. */
import { Grid, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { fileKindName } from '../../api/files.ts';
import { type Overview, overviewQuery } from '../../api/overview.ts';
import { RequestsOverTime } from '../../ui/charts/requests-over-time.tsx';
import { useEnvironment } from '../../ui/environment.ts';
import { TextLink } from '../../ui/links.tsx';
import { countOf } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Checklist } from './checklist.tsx';
import { FileProgress } from './file-progress.tsx';
import { FirstOffers } from './first-offers.tsx';
import { FixFirst, OffersByStatus, OfferTiles } from './overview-offers.tsx';
import { UpcomingNotice } from './upcoming-change.tsx';

const REFRESH_MS = 10_000;

export function OverviewPage() {
  const environment = useEnvironment();
  const overview = useQuery({ ...overviewQuery(environment), refetchInterval: REFRESH_MS });
  return (
    <Page title="Overview" about={<Summary overview={overview.data} />}>
      <QueryView query={overview} what="overview">
        {(data) => (
          <>
            <UpcomingNotice />
            <Checklist overview={data} />
            {data.offers.total === 0 ? <FirstOffers /> : <Offers overview={data} />}
            <UploadsInProgress overview={data} />
            <Requests overview={data} />
          </>
        )}
      </QueryView>
    </Page>
  );
}

function Summary({ overview }: { readonly overview: Overview | undefined }) {
  if (overview === undefined) return null;
  // The number of due offers is left out: most of them keep their status when they are reviewed.
  return `${countOf(overview.offers.total, 'offer')}${overview.waiting_for_review > 0 ? ', review is running' : ''}`;
}

function Offers({ overview }: { readonly overview: Overview }) {
  return (
    <>
      <OfferTiles overview={overview} />
      <Grid gap="md" align="flex-start">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <FixFirst overview={overview} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <OffersByStatus overview={overview} />
        </Grid.Col>
      </Grid>
    </>
  );
}

function UploadsInProgress({ overview: { files } }: { readonly overview: Overview }) {
  const environment = useEnvironment();
  if (files.length === 0) return null;
  return (
    <Panel title="Uploads in progress">
      {files.map((file) => (
        <Group key={file.marketplace_file_id} justify="space-between" align="center">
          <TextLink to="/$environment/files/$fileId" params={{ environment, fileId: file.marketplace_file_id }}>
            {file.file_name} ({fileKindName(file)})
          </TextLink>
          <FileProgress file={file} />
        </Group>
      ))}
    </Panel>
  );
}

function Requests({ overview: { requests } }: { readonly overview: Overview }) {
  const { span = 'minutes' } = useSearch({ from: '/$environment/overview' });
  const navigate = useNavigate({ from: '/$environment/overview' });
  return (
    <Panel title="API requests">
      <RequestsOverTime
        limitPerMinute={requests.limit_per_minute}
        minutes={requests.minutes}
        hours={requests.hours}
        span={span}
        setSpan={(next) => navigate({ search: { span: next }, replace: true, resetScroll: false })}
      />
    </Panel>
  );
}
