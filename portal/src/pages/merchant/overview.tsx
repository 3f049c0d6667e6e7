/** Merchant's home page: offers, the issues to fix first with what they hold back, files with errors, uploads in progress. */
import { Grid, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { fileKindName, filesQuery } from '../../api/files.ts';
import { type Overview, overviewQuery } from '../../api/overview.ts';
import { useEnvironment } from '../../ui/environment.ts';
import { TextLink } from '../../ui/links.tsx';
import { countOf, countText } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { Checklist } from './checklist.tsx';
import { FileProgress } from './file-progress.tsx';
import { FirstOffers } from './first-offers.tsx';
import { FixFirst, OffersByStatus, OfferTiles } from './overview-offers.tsx';
import { UpcomingNotice } from './upcoming-change.tsx';

const REFRESH_MS = 10_000;
const FILES_REFRESH_MS = 60_000;
const FAILED_SHOWN_MS = 7 * 86_400_000;
const FAILED_SHOWN_MAX = 3;

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
            <FirstOffers canCopy isHidden={data.offers.total > 0} />
            {data.offers.total > 0 && <Offers overview={data} />}
            <FailedFiles />
            <UploadsInProgress overview={data} />
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

/** Files whose rows failed in the last days. They are not for sale, or have old prices and stock. */
function FailedFiles() {
  const environment = useEnvironment();
  const { data } = useQuery({ ...filesQuery(environment, 1), refetchInterval: FILES_REFRESH_MS });
  const failed =
    data?.files.filter(
      ({ status, received }) =>
        status === 'Processed with errors' && Date.now() - Date.parse(received) < FAILED_SHOWN_MS,
    ) ?? [];
  if (failed.length === 0) return null;
  return (
    <Panel title="Files with errors">
      {failed.slice(0, FAILED_SHOWN_MAX).map((file) => (
        <Group key={file.marketplace_file_id} justify="space-between" className="anywhere">
          <TextLink to="/$environment/files/$fileId" params={{ environment, fileId: file.marketplace_file_id }}>
            {file.file_name} ({fileKindName(file)})
          </TextLink>
          <Text size="sm" c="dimmed">
            {countText(file.rows_failed)} of {countOf(file.rows_processed, 'row')} failed ·{' '}
            <Time at={file.received} relative />
          </Text>
        </Group>
      ))}
    </Panel>
  );
}
