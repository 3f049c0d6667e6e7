/** The user's passkeys: list, add, remove, and whether the password alone is enough. */
import { Button, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { LIMITS } from '#domain/limits.ts';
import { api, ask } from '../../api/client.ts';
import { addPasskey, confirmWithPasskey, sessionQuery, useHasPasskeys, usePerson } from '../../api/session.ts';
import { ConfirmButton, removalLooks } from '../../ui/confirm.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { useFormMutation } from '../../ui/forms/use-form-mutation.ts';
import { Panel } from '../../ui/panel.tsx';
import { ProblemList } from '../../ui/problem-list.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Failed } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

const PASSKEYS = ['passkeys'];

export function PasskeysPanel() {
  const passkeys = useQuery({ queryKey: PASSKEYS, queryFn: () => ask(api.GET('/passkeys')) });
  const hasPasskeys = useHasPasskeys();
  const [isAdding, { open, close }] = useDisclosure();
  const refresh = useRefresh();
  const add = hasPasskeys && (
    <Button variant="default" onClick={open}>
      Add passkey
    </Button>
  );
  return (
    <Panel
      title="Passkeys"
      about="Sign in with your fingerprint, face, device PIN or a security key instead of your password."
      actions={add}
    >
      <Dialog isOpen={isAdding} close={close} title="Add passkey">
        <NewPasskeyForm
          close={close}
          added={async () => {
            close();
            notifications.show({ message: 'Passkey added.', color: 'green' });
          }}
        />
      </Dialog>
      {!hasPasskeys && <Text size="sm">This browser cannot use passkeys at this address.</Text>}
      <QueryView query={passkeys} what="passkeys">
        {({ passkeys: shown, needed }) => (
          <Stack>
            {shown.length > 0 && (
              <DataTable
                rows={shown}
                keyOf={({ id }) => id}
                minWidth={420}
                columns={[
                  { head: 'Name', cell: ({ name }) => name },
                  { head: 'Added', cell: ({ created }) => <Time at={created} relative /> },
                  { head: 'Last used', cell: ({ last_used }) => <Time at={last_used} relative /> },
                ]}
                actions={({ id, name }) => (
                  <ConfirmButton
                    title={`Remove ${name}`}
                    action="Remove"
                    button={removalLooks(name)}
                    run={() => ask(api.DELETE('/passkeys/{passkey_id}', { params: { path: { passkey_id: id } } }))}
                    done={refresh}
                  >
                    You will no longer be able to sign in with it. Afterwards, delete it from your device or password
                    manager.
                  </ConfirmButton>
                )}
              />
            )}
            {shown.length > 0 && <NeedSwitch needed={needed} />}
          </Stack>
        )}
      </QueryView>
    </Panel>
  );
}

function NeedSwitch({ needed }: { readonly needed: boolean }) {
  const { email } = usePerson();
  const hasPasskeys = useHasPasskeys();
  const queryClient = useQueryClient();
  const refresh = useRefresh();
  const changing = useMutation({
    mutationFn: async (next: boolean) => {
      // The server lets only a session that used a passkey change this.
      await confirmWithPasskey(queryClient, email);
      await ask(api.PUT('/passkeys', { body: { needed: next } }));
    },
    onSuccess: refresh,
  });
  return (
    <>
      {changing.isError && <Failed error={changing.error} />}
      <Switch
        label="Ask for a passkey after the password"
        description="Add a second passkey first: if you lose your only one, the marketplace must remove it before you can sign in."
        checked={needed}
        disabled={changing.isPending || !hasPasskeys}
        onChange={({ currentTarget }) => changing.mutate(currentTarget.checked)}
      />
    </>
  );
}

interface NewPasskeyFormProps {
  /** Without it, there is no button to cancel. */
  readonly close?: () => void;
  readonly added: () => Promise<unknown>;
}

export function NewPasskeyForm({ close, added }: NewPasskeyFormProps) {
  const refresh = useRefresh();
  const form = useForm({ mode: 'uncontrolled', initialValues: { name: '' } });
  const adding = useFormMutation({
    form,
    fields: ['name'],
    mutationFn: ({ name }: { name: string }) => addPasskey(name),
    onSuccess: async () => {
      await refresh();
      await added();
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => adding.mutate(values))}>
      <Stack>
        <ProblemList title="Couldn't add the passkey" problems={adding.problems} />
        <TextInput
          label="Name"
          description="To recognize it later, such as the name of your device."
          maxLength={LIMITS.passkey_name_characters_max}
          required
          data-autofocus
          key={form.key('name')}
          {...form.getInputProps('name')}
        />
        {close === undefined ? (
          <Button type="submit" loading={adding.isPending}>
            Add passkey
          </Button>
        ) : (
          <DialogButtons close={close} isPending={adding.isPending}>
            Add
          </DialogButtons>
        )}
      </Stack>
    </form>
  );
}

function useRefresh() {
  const queryClient = useQueryClient();
  return async () => {
    await queryClient.invalidateQueries({ queryKey: PASSKEYS });
    await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
}
