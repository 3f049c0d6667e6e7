/** Developers page: the environment's API keys with commands to try them, the request log, and webhooks. */
import { Anchor, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { keysQuery, MERCHANT_KEYS } from '../../api/account-settings.ts';
import { DEVELOPER_TABS, type DeveloperPlace, type DeveloperTab, type RequestFilters } from '../../api/request-log.ts';
import { type Environment, useMayChange, useSession } from '../../api/session.ts';
import { useEnvironment } from '../../ui/environment.ts';
import { isLimited } from '../../ui/key-table.tsx';
import { lazyPart } from '../../ui/lazy.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Loading } from '../../ui/states.tsx';
import { KeysPanel } from '../account/keys-panel.tsx';
import { CurlCommands } from './curl-commands.tsx';
import { WebhookOwnerProvider } from './webhooks/webhook-owner.tsx';

const RequestChart = lazyPart(() => import('./request-chart.tsx'), 'RequestChart', Loading);
const RequestLog = lazyPart(() => import('./request-log.tsx'), 'RequestLog', Loading);
const Webhooks = lazyPart(() => import('./webhooks/webhooks.tsx'), 'Webhooks', Loading);

const TAB_LABELS: Readonly<Record<DeveloperTab, string>> = {
  keys: 'API Integration',
  requests: 'Request log',
  webhooks: 'Webhooks',
};

export function ApiIntegrationPage() {
  const environment = useEnvironment();
  const { api_url: apiUrl } = useSession();
  const { tab = 'keys', webhook, ...filters } = useSearch({ from: '/$environment/api-integration' });
  const navigate = useNavigate();
  const open = (search: DeveloperPlace, replace = false) =>
    navigate({ to: '/$environment/api-integration', params: { environment }, search, replace });
  return (
    <Page
      title="Developers"
      about={
        <>
          Connect your systems to the API in the {environment} environment.{' '}
          <Anchor href={`${apiUrl}/docs`} underline="always">
            API documentation
          </Anchor>
        </>
      }
    >
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) => open(next === 'keys' ? {} : { tab: next as DeveloperTab })}
      >
        <Tabs.List mb="md">
          {DEVELOPER_TABS.map((value) => (
            <Tabs.Tab key={value} value={value}>
              {TAB_LABELS[value]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="keys">
          <KeysTab environment={environment} apiUrl={apiUrl} />
        </Tabs.Panel>
        <Tabs.Panel value="requests">
          <Stack gap="lg">
            <RequestChart key={`chart ${environment}`} />
            <RequestLog
              key={environment}
              filters={filters}
              change={(next: RequestFilters, replace) => open({ tab: 'requests', ...next }, replace)}
            />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="webhooks">
          <WebhookOwnerProvider value={{ owner: 'merchant', environment }}>
            <Webhooks key={environment} webhookId={webhook} />
          </WebhookOwnerProvider>
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

const OWN_KEYS = {
  title: 'Active keys',
  action: 'Get API keys',
  whenEmpty: 'Get API keys to connect your systems.',
} as const;

function KeysTab({ environment, apiUrl }: { readonly environment: Environment; readonly apiUrl: string }) {
  const keys = useQuery(keysQuery(MERCHANT_KEYS, environment));
  const mayChange = useMayChange();
  const active = keys.data?.keys.filter(({ ends }) => ends === null) ?? [];
  // The commands need a key that may make all of them.
  const user = (active.findLast((key) => !isLimited(key)) ?? active.at(-1))?.user;
  if (keys.data !== undefined && user === undefined && !mayChange)
    return <KeysPanel key={environment} calls={MERCHANT_KEYS} environment={environment} {...OWN_KEYS} />;
  return (
    <Stack gap="lg">
      {/* Keyed by environment, because a dialog opened in one must not change the other. */}
      <KeysPanel key={environment} calls={MERCHANT_KEYS} environment={environment} {...OWN_KEYS} />
      <Panel title="Quick start" about="Paste these commands into a terminal, one after the other.">
        {user === undefined ? (
          <Text size="sm">Get API keys first. The commands use their ID.</Text>
        ) : (
          <CurlCommands environment={environment} apiUrl={apiUrl} user={user} />
        )}
      </Panel>
    </Stack>
  );
}
