/** API integration page: the environment's API keys, and commands to try them. */
import { Anchor, Card, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, ask } from '../../api/client.ts';
import { useMayChange, useSession } from '../../api/session.ts';
import { useEnvironment } from '../../ui/environment.ts';
import { KeyTable } from '../../ui/key-table.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty } from '../../ui/states.tsx';
import { CreateApiKeys } from './create-api-keys.tsx';
import { CurlCommands } from './curl-commands.tsx';

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
      title="API integration"
      about={
        <>
          Use these keys to call the API in the {environment} environment.{' '}
          <Anchor href={`${apiUrl}/docs`} underline="always">
            API documentation
          </Anchor>
        </>
      }
      actions={
        mayChange && (
          <CreateApiKeys key={environment} environment={environment} hasKeys={keys.data && keys.data.keys.length > 0} />
        )
      }
    >
      <Card withBorder>
        <Stack>
          <Title order={2} size="h4">
            Active keys
          </Title>
          <QueryView query={keys} what="API keys">
            {({ keys: shown }) =>
              shown.length === 0 ? (
                <Empty title="No API keys">Create API keys to connect your systems.</Empty>
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
            Quick start
          </Title>
          <Text c="dimmed">
            Set the variable OFFERBOOK_PASS to your secret, then paste these commands into a terminal.
          </Text>
          <CurlCommands environment={environment} apiUrl={apiUrl} user={keys.data?.keys.at(-1)?.user} />
        </Stack>
      </Card>
    </Page>
  );
}
