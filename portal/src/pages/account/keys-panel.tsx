/** Lists the active API keys of one environment, with buttons that create, roll and revoke them. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Key, type KeyCalls, keysQuery } from '../../api/account-settings.ts';
import { type Environment, useMayChange } from '../../api/session.ts';
import { KeyTable } from '../../ui/key-table.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty } from '../../ui/states.tsx';
import { CreateKey, RevokeKey, RollKey } from './key-dialogs.tsx';

type Opened = { readonly what: 'create' } | { readonly what: 'roll'; readonly key: Key };

interface KeysPanelProps {
  readonly calls: KeyCalls;
  readonly environment: Environment;
  readonly title: string;
  /** The button that creates a key. */
  readonly action: string;
  /** Shown to people who can create a key while there is none. */
  readonly whenEmpty: string;
}

export function KeysPanel({ calls, environment, title, action, whenEmpty }: KeysPanelProps) {
  const keys = useQuery(keysQuery(calls, environment));
  const mayChange = useMayChange();
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  return (
    <Panel title={title} actions={mayChange && <Button onClick={() => setOpened({ what: 'create' })}>{action}</Button>}>
      <QueryView query={keys} what="API keys">
        {({ keys: shown }) =>
          shown.length === 0 ? (
            <Empty title="No API keys">{mayChange ? whenEmpty : 'An administrator can create one.'}</Empty>
          ) : (
            <KeyTable
              keys={shown}
              actions={
                mayChange
                  ? (key) => <KeyActions calls={calls} environment={environment} shown={key} open={setOpened} />
                  : undefined
              }
            />
          )
        }
      </QueryView>
      <CreateKey calls={calls} environment={environment} isOpen={opened?.what === 'create'} close={close} />
      <RollKey
        calls={calls}
        environment={environment}
        rolled={opened?.what === 'roll' ? opened.key : undefined}
        close={close}
      />
    </Panel>
  );
}

interface KeyActionsProps extends Pick<KeysPanelProps, 'calls' | 'environment'> {
  readonly shown: Key;
  readonly open: (opened: Opened) => void;
}

function KeyActions({ calls, environment, shown, open }: KeyActionsProps) {
  return (
    <>
      {/* A rolled key has no Roll button, because its overlap must not change. */}
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
      <RevokeKey calls={calls} environment={environment} revoked={shown} />
    </>
  );
}
