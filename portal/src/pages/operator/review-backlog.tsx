/** Review backlog: how many offers wait for review, by merchant and environment, and how long. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, ask } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { TextLink } from '../../ui/links.tsx';
import { countOf, countText, durationText } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty, SomeUnavailable } from '../../ui/states.tsx';
import { EnvironmentBadge } from '../../ui/status-badge.tsx';
import { ReviewProgress } from './recent-changes.tsx';

type Backlog = components['schemas']['ReadBacklogAnswer'];

const RUNNING_MS = 2_000;
const IDLE_MS = 15_000;

export function ReviewBacklogPage() {
  const backlog = useQuery({
    queryKey: ['review-backlog'],
    queryFn: () => ask(api.GET('/review-backlog')),
    refetchInterval: ({ state }) => (state.data?.due || state.data?.marking ? RUNNING_MS : IDLE_MS),
  });
  return (
    <Page title="Review backlog" about="Offers waiting for review after an upload, a rule change or a re-check.">
      <QueryView query={backlog} what="review backlog">
        {(found) => (
          <>
            {found.accounts_missing > 0 && (
              <SomeUnavailable>
                {countOf(found.accounts_missing, 'account')} can't be counted because a database node is not responding.
              </SomeUnavailable>
            )}
            <Panel title="Waiting" about={aboutText(found)}>
              <ReviewProgress left={found.due} />
              {found.accounts.length === 0 ? (
                <Empty title="Nothing is waiting for review">
                  All offers have been reviewed under the current rules.
                </Empty>
              ) : (
                <AccountTable accounts={found.accounts} />
              )}
            </Panel>
          </>
        )}
      </QueryView>
    </Page>
  );
}

function aboutText({ due, oldest_due_seconds: oldest, images, images_retrying: retrying, marking }: Backlog): string {
  const parts = [
    `${countOf(due, 'offer')} due${due === 0 ? '' : `, the oldest for ${durationText(oldest)}`}`,
    `${countOf(images - retrying, 'image')} to fetch`,
    ...(retrying === 0 ? [] : [`${countOf(retrying, 'image')} waiting for a retry`]),
    ...(marking === 0 ? [] : [`still adding offers from ${countOf(marking, 'account')}`]),
  ];
  return `${parts.join('; ')}.`;
}

function AccountTable({ accounts }: { readonly accounts: Backlog['accounts'] }) {
  return (
    <DataTable
      minWidth={300}
      rows={accounts}
      keyOf={({ merchant, environment }) => `${merchant.id} ${environment}`}
      columns={[
        {
          head: 'Merchant',
          cell: ({ merchant, environment, marking }) => (
            <>
              <TextLink to="/operator/offers" search={{ merchant: merchant.id, environment }} fz="sm">
                {merchant.name}
              </TextLink>{' '}
              <EnvironmentBadge environment={environment} />
              {marking && (
                <Text size="xs" c="dimmed">
                  Adding more offers
                </Text>
              )}
            </>
          ),
        },
        { head: 'Offers due', isNumber: true, cell: ({ due }) => countText(due) },
        {
          head: 'Oldest',
          isNumber: true,
          cell: ({ due, oldest_due_seconds: oldest }) => (due === 0 ? '—' : durationText(oldest)),
        },
        { head: 'Images waiting', isNumber: true, visibleFrom: 'sm', cell: ({ images }) => countText(images) },
      ]}
    />
  );
}
