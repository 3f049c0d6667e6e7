/** Offers of a merchant in one environment: share of each status, top issues, last upload and last call. */
import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { viewAsMerchant } from '../../../api/operator-offers.ts';
import type { components } from '../../../api/schema.d.ts';
import type { Environment } from '../../../api/session.ts';
import { ISSUES } from '../../../ui/issues.ts';
import { TextLink } from '../../../ui/links.tsx';
import { countText } from '../../../ui/numbers.ts';
import { Panel } from '../../../ui/panel.tsx';
import { Empty, Failed, SomeUnavailable } from '../../../ui/states.tsx';
import { FileStatus, offerColor, RequestStatus, statusName } from '../../../ui/status-badge.tsx';
import { Time } from '../../../ui/time.tsx';

type Merchant = components['schemas']['GetMerchantDetailsAnswer'];
type Activity = NonNullable<Merchant['activity']['live']>;

const ISSUES_SHOWN_MAX = 3;

interface ActivityProps {
  readonly merchant: Merchant;
  readonly environment: Environment;
}

export function MerchantActivity({ merchant, environment }: ActivityProps) {
  const activity = merchant.activity[environment];
  const search = { merchant: merchant.id, environment };
  return (
    <Panel
      title={environment === 'live' ? 'Live offers' : 'Test offers'}
      actions={
        <TextLink to="/operator/offers" search={search} size="sm">
          View offers
        </TextLink>
      }
    >
      {activity === null ? (
        <SomeUnavailable>They can't be counted because a database node is not responding.</SomeUnavailable>
      ) : (
        <>
          <Statuses activity={activity} merchant={merchant} environment={environment} />
          <TopIssues issues={activity.by_sub_status} search={search} />
          <Last activity={activity} merchantId={merchant.id} environment={environment} />
        </>
      )}
    </Panel>
  );
}

function Statuses({ activity, merchant, environment }: ActivityProps & { readonly activity: Activity }) {
  const context = { environment, suspended: merchant.suspended };
  const shown = activity.by_status.filter(({ offers }) => offers > 0);
  const all = shown.reduce((sum, { offers }) => sum + offers, 0);
  if (all === 0) return <Empty title={`No ${environment} offers`} />;
  return (
    <Stack gap="sm">
      <Progress.Root size={8} aria-hidden="true">
        {shown.map(({ status, offers }) => (
          <Progress.Section key={status} value={(offers / all) * 100} color={offerColor(status, context)} />
        ))}
      </Progress.Root>
      <Rows>
        {shown.map(({ status, offers }) => (
          <Row key={status} count={offers}>
            <TextLink to="/operator/offers" search={{ merchant: merchant.id, environment, status }} size="sm">
              {statusName(status, context)}
            </TextLink>
          </Row>
        ))}
      </Rows>
    </Stack>
  );
}

interface TopIssuesProps {
  readonly issues: Activity['by_sub_status'];
  readonly search: { readonly merchant: string; readonly environment: Environment };
}

function TopIssues({ issues, search }: TopIssuesProps) {
  if (issues.length === 0) return null;
  return (
    <Rows title="Top issues">
      {issues.slice(0, ISSUES_SHOWN_MAX).map(({ sub_status, offers }) => (
        <Row key={sub_status} count={offers}>
          <TextLink to="/operator/offers" search={{ ...search, sub_status }} size="sm">
            {ISSUES[sub_status].name}
          </TextLink>
        </Row>
      ))}
    </Rows>
  );
}

interface LastProps {
  readonly activity: Activity;
  readonly merchantId: string;
  readonly environment: Environment;
}

/** Opens pages of the merchant with a button, because viewing as the merchant is recorded. */
function Last({ activity: { last_file: file, last_request: request }, merchantId, environment }: LastProps) {
  const opening = useMutation({ mutationFn: (path: string) => viewAsMerchant(merchantId, `${environment}/${path}`) });
  const openButton = (label: string, path: string) => (
    <Button
      size="compact-sm"
      variant="subtle"
      flex="none"
      aria-label={`View ${label} (${environment})`}
      onClick={() => opening.mutate(path)}
    >
      View
    </Button>
  );
  return (
    <Stack gap="xs">
      {opening.isError && <Failed error={opening.error} />}
      <LastRow title="Last upload" none="No uploads" action={file && openButton('upload', `files/${file.id}`)}>
        {file && (
          <>
            <Text size="sm" className="anywhere">
              {file.name}
            </Text>
            <FileStatus status={file.status} />
            <Time at={file.received} relative size="sm" c="dimmed" />
          </>
        )}
      </LastRow>
      <LastRow
        title="Last API call"
        none="No calls"
        action={request && openButton('calls', 'api-integration?tab=requests')}
      >
        {request && (
          <>
            <Text size="sm" className="anywhere">
              {request.call.replace('{user_defined_sku_id}', '{sku}')}
            </Text>
            <RequestStatus status={request.status} />
            <Time at={request.at} relative size="sm" c="dimmed" />
          </>
        )}
      </LastRow>
    </Stack>
  );
}

interface LastRowProps {
  readonly title: string;
  readonly none: string;
  readonly action: ReactNode;
  readonly children: ReactNode;
}

function LastRow({ title, none, action, children }: LastRowProps) {
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start">
      <Stack gap={2} miw={0}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        {children ? (
          <Group gap="xs">{children}</Group>
        ) : (
          <Text size="sm" c="dimmed">
            {none}
          </Text>
        )}
      </Stack>
      {action}
    </Group>
  );
}

function Rows({ title, children }: { readonly title?: string; readonly children: ReactNode }) {
  return (
    <Stack gap={6}>
      {title && (
        <Text size="sm" fw={600}>
          {title}
        </Text>
      )}
      {children}
    </Stack>
  );
}

function Row({ count, children }: { readonly count: number; readonly children: ReactNode }) {
  return (
    <Group justify="space-between" wrap="nowrap">
      {children}
      <Text size="sm">{countText(count)}</Text>
    </Group>
  );
}
