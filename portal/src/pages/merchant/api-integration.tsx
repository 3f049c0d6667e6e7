/** Developers page: the environment's API keys, and commands to try them. */
import { Anchor, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '../../api/client.ts';
import { type Environment, useMayChange, useSession } from '../../api/session.ts';
import { useEnvironment } from '../../ui/environment.ts';
import { type Key, KeyTable } from '../../ui/key-table.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty } from '../../ui/states.tsx';
import { CreateKey, RevokeKey, RollKey } from './create-api-keys.tsx';
import { CurlCommands } from './curl-commands.tsx';

const keysQuery = (environment: Environment) => ({
  queryKey: ['keys', environment],
  queryFn: () => ask(api.GET('/{environment}/keys', { params: { path: { environment } } })),
});

export function ApiIntegrationPage() {
  const environment = useEnvironment();
  const { api_url: apiUrl } = useSession();
  const keys = useQuery(keysQuery(environment));
  const user = keys.data?.keys.findLast(({ ends }) => ends === null)?.user;
  return (
    <Page
      title="Developers"
      about={
        <>
          Use these keys to call the API in the {environment} environment.{' '}
          <Anchor href={`${apiUrl}/docs`} underline="always">
            API documentation
          </Anchor>
        </>
      }
    >
      {/* Keyed by environment: a dialog opened in one must not change the other. */}
      <Keys key={environment} environment={environment} />
      <Panel title="Quick start" about="Paste these commands into a terminal, one after the other.">
        {user === undefined ? (
          <Text size="sm">Create a key first: the commands use its ID.</Text>
        ) : (
          <CurlCommands environment={environment} apiUrl={apiUrl} user={user} />
        )}
      </Panel>
    </Page>
  );
}

type Opened = { readonly what: 'create' } | { readonly what: 'roll' | 'revoke'; readonly key: Key };

function Keys({ environment }: { readonly environment: Environment }) {
  const keys = useQuery(keysQuery(environment));
  const mayChange = useMayChange();
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  const keyOf = (what: 'roll' | 'revoke') => (opened?.what === what ? opened.key : undefined);
  return (
    <Panel
      title="Active keys"
      actions={mayChange && <Button onClick={() => setOpened({ what: 'create' })}>Create key</Button>}
    >
      <QueryView query={keys} what="API keys">
        {({ keys: shown }) =>
          shown.length === 0 ? (
            <Empty title="No API keys">Create a key to connect your systems.</Empty>
          ) : (
            <KeyTable
              keys={shown}
              actions={mayChange ? (key) => <KeyActions shown={key} open={setOpened} /> : undefined}
            />
          )
        }
      </QueryView>
      <CreateKey environment={environment} isOpen={opened?.what === 'create'} close={close} />
      <RollKey environment={environment} rolled={keyOf('roll')} close={close} />
      <RevokeKey environment={environment} revoked={keyOf('revoke')} close={close} />
    </Panel>
  );
}

function KeyActions({ shown, open }: { readonly shown: Key; readonly open: (opened: Opened) => void }) {
  return (
    <>
      {/* A key that was rolled is replaced: its overlap must not change. */}
      {shown.ends === null && (
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => open({ what: 'roll', key: shown })}
          aria-label={`Roll ${shown.user}`}
        >
          Roll
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        onClick={() => open({ what: 'revoke', key: shown })}
        aria-label={`Revoke ${shown.user}`}
      >
        Revoke
      </Button>
    </>
  );
}
