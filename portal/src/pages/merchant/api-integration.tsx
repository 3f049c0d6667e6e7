/** The page of API Integration: keys of the environment, and lines to try them with. */
import { Anchor, Card, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, ask } from '../../api/client.ts';
import { useMayChange, useSession } from '../../api/session.ts';
import { useEnvironment } from '../../ui/environment.ts';
import { KeyTable } from '../../ui/key-table.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty } from '../../ui/states.tsx';
import { CurlLines } from './curl-lines.tsx';
import { GetApiKeys } from './get-api-keys.tsx';

export function ApiIntegrationPage() {
  const environment = useEnvironment();
  const { api_url: apiUrl } = useSession();
  const mayChange = useMayChange();
  const keys = useQuery({
    queryKey: ['keys', environment],
    queryFn: () => ask(api.GET('/{environment}/keys', { params: { path: { environment } } })),
  });
  return (
    <Page
      title="API Integration"
      about={
        <>
          Your programs reach the {environment} environment with these keys.{' '}
          <Anchor href={`${apiUrl}/docs`} underline="always">
            Documentation of the API
          </Anchor>
        </>
      }
      actions={
        mayChange && (
          <GetApiKeys key={environment} environment={environment} hasKeys={keys.data && keys.data.keys.length > 0} />
        )
      }
    >
      <Card withBorder>
        <Stack>
          <Title order={2} size="h4">
            Keys that work
          </Title>
          <QueryView query={keys} what="list of keys">
            {({ keys: shown }) =>
              shown.length === 0 ? (
                <Empty title="No keys">Get some to let your programs in.</Empty>
              ) : (
                <KeyTable keys={shown} />
              )
            }
          </QueryView>
        </Stack>
      </Card>
      <Card withBorder>
        <Stack>
          <Title order={2} size="h4">
            First calls
          </Title>
          <Text c="dimmed">
            Lines for a terminal, with your own values. The secret is read from the variable OFFERBOOK_PASS, so that it
            stays out of the history of the terminal.
          </Text>
          <CurlLines environment={environment} apiUrl={apiUrl} user={keys.data?.keys.at(-1)?.user} />
        </Stack>
      </Card>
    </Page>
  );
}
