/** Merchant's home page: offers by status, top issues, uploads in progress, API requests. */
import { Group, SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Overview, overviewQuery } from '../../api/overview.ts';
import { useEnvironment } from '../../ui/environment.ts';
import { FileProgress } from '../../ui/file-progress.tsx';
import { TextLink } from '../../ui/links.tsx';
import { loadedLater } from '../../ui/loaded-later.tsx';
import { countOf, countText } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { RequestsOverTime } from '../../ui/requests-over-time.tsx';
import { Empty } from '../../ui/states.tsx';
import { Checklist } from './checklist.tsx';
import { FirstOffers } from './first-offers.tsx';

const REFRESH_MS = 10_000;

// The chart code loads after the page: it is nearly as large as all other code.
const OfferChart = loadedLater('offer-chart', 'chart', async () => (await import('./overview-charts.tsx')).OfferChart);
const IssueChart = loadedLater('issue-chart', 'chart', async () => (await import('./overview-charts.tsx')).IssueChart);

export function OverviewPage() {
  const environment = useEnvironment();
  const overview = useQuery({ ...overviewQuery(environment), refetchInterval: REFRESH_MS });
  return (
    <Page title="Overview" about={<Summary overview={overview.data} />}>
      <QueryView query={overview} what="overview">
        {(data) => (
          <>
            <Checklist overview={data} />
            {data.offers.total === 0 ? <FirstSteps overview={data} /> : <Charts overview={data} />}
          </>
        )}
      </QueryView>
    </Page>
  );
}

function Summary({ overview }: { readonly overview: Overview | undefined }) {
  if (overview === undefined) return null;
  const { waiting_for_review: waiting, waiting_is_more: isMore, offers } = overview;
  const wait = waiting === 0 ? '' : `, ${countText(waiting)}${isMore ? ' or more' : ''} waiting for review`;
  return `${countOf(offers.total, 'offer')}${wait}`;
}

function Charts({ overview }: { readonly overview: Overview }) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Panel title="Offers by status">
          <OfferChart overview={overview} />
        </Panel>
        <Panel title="Top issues">
          {overview.offers.by_sub_status.length === 0 ? (
            <Empty title="No issues" />
          ) : (
            <IssueChart overview={overview} />
          )}
        </Panel>
      </SimpleGrid>
      <UploadsInProgress overview={overview} />
      <Requests overview={overview} />
    </>
  );
}

function FirstSteps({ overview }: { readonly overview: Overview }) {
  return (
    <>
      <FirstOffers />
      <UploadsInProgress overview={overview} />
      <Requests overview={overview} />
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
            {file.file_name} ({file.file_type})
          </TextLink>
          <FileProgress file={file} />
        </Group>
      ))}
    </Panel>
  );
}

function Requests({ overview: { requests } }: { readonly overview: Overview }) {
  return (
    <Panel title="API requests">
      <RequestsOverTime limitPerMinute={requests.limit_per_minute} minutes={requests.minutes} hours={requests.hours} />
    </Panel>
  );
}
