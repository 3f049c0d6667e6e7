/** Dialogs that create an API key, roll one, and revoke one. A new secret is shown once. */
import { Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, ask } from '../../api/client.ts';
import type { Environment } from '../../api/session.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FormButtons } from '../../ui/forms/form-buttons.tsx';
import { NumberField, type NumberValue } from '../../ui/forms/number-field.tsx';
import { useFormMutation } from '../../ui/forms/use-form-mutation.ts';
import { type Key, nameOf } from '../../ui/key-table.tsx';
import { ProblemList } from '../../ui/problem-list.tsx';
import { Time } from '../../ui/time.tsx';
import { ShownSecret } from './shown-secret.tsx';

interface CreatedKey {
  readonly user: string;
  readonly secret: string;
  /** When the replaced key expires. */
  readonly previous_end?: string | null;
}

interface KeyDialogProps {
  readonly environment: Environment;
  readonly close: () => void;
}

export function CreateKey({ environment, isOpen, close }: KeyDialogProps & { readonly isOpen: boolean }) {
  const queryClient = useQueryClient();
  const form = useForm({ initialValues: { name: '' } });
  const creating = useFormMutation({
    form,
    fields: ['name'],
    mutationFn: (body: { name: string }) =>
      ask(api.POST('/{environment}/keys', { params: { path: { environment } }, body })),
    // The dialog stays open, because the secret cannot be shown again.
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['keys', environment] }),
    // Do not keep the secret in memory after the dialog closes.
    gcTime: 0,
  });
  return (
    <Dialog
      isOpen={isOpen}
      close={close}
      onExitTransitionEnd={() => {
        creating.reset();
        form.reset();
      }}
      size="lg"
      title={`Create key for the ${environment} environment`}
      hold={creating.isPending ? 'busy' : creating.isSuccess ? 'secret' : undefined}
    >
      {creating.isSuccess ? (
        <ShownKey created={creating.data} done={close} />
      ) : (
        <form onSubmit={form.onSubmit((values) => creating.mutate(values))}>
          <Stack>
            <ProblemList problems={creating.problems} title="Couldn't create the key" />
            <TextInput
              label="Name"
              description="The system that uses the key, such as ERP or price feed."
              required
              data-autofocus
              {...form.getInputProps('name')}
            />
            <FormButtons close={close} isPending={creating.isPending}>
              Create
            </FormButtons>
          </Stack>
        </form>
      )}
    </Dialog>
  );
}

const OVERLAP_HOURS = 24;

export function RollKey({ environment, rolled, close }: KeyDialogProps & { readonly rolled: Key | undefined }) {
  const queryClient = useQueryClient();
  const form = useForm({ initialValues: { overlap_hours: OVERLAP_HOURS as NumberValue } });
  const rolling = useFormMutation({
    form,
    fields: ['overlap_hours'],
    mutationFn: ({ user, overlap_hours }: { user: string; overlap_hours: number }) =>
      ask(
        api.POST('/{environment}/keys/{key_id}/roll', {
          params: { path: { environment, key_id: user } },
          body: { overlap_hours },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['keys', environment] }),
    gcTime: 0,
  });
  return (
    <Dialog
      isOpen={rolled !== undefined}
      close={close}
      onExitTransitionEnd={() => {
        rolling.reset();
        form.reset();
      }}
      size="lg"
      title={`Roll ${rolled === undefined ? 'key' : nameOf(rolled)}`}
      hold={rolling.isPending ? 'busy' : rolling.isSuccess ? 'secret' : undefined}
    >
      {rolling.isSuccess ? (
        <ShownKey created={rolling.data} done={close} />
      ) : (
        <form
          onSubmit={form.onSubmit(
            ({ overlap_hours }) =>
              rolled && rolling.mutate({ user: rolled.user, overlap_hours: Number(overlap_hours) }),
          )}
        >
          <Stack>
            <ProblemList problems={rolling.problems} title="Couldn't roll the key" />
            <Text>A new key with the same name replaces {rolled?.user}. Other keys are not affected.</Text>
            <NumberField
              label="Keep the old key active for (hours)"
              description="Time to switch your system to the new key. 0 revokes the old key now."
              isWhole
              required
              {...form.getInputProps('overlap_hours')}
            />
            <FormButtons close={close} isPending={rolling.isPending}>
              Roll key
            </FormButtons>
          </Stack>
        </form>
      )}
    </Dialog>
  );
}

export function RevokeKey({ environment, revoked, close }: KeyDialogProps & { readonly revoked: Key | undefined }) {
  const queryClient = useQueryClient();
  const revoking = useMutation({
    mutationFn: (key_id: string) =>
      ask(api.DELETE('/{environment}/keys/{key_id}', { params: { path: { environment, key_id } } })),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['keys', environment] });
      close();
    },
  });
  return (
    <Confirm
      isOpen={revoked !== undefined}
      close={() => {
        close();
        revoking.reset();
      }}
      title={`Revoke ${revoked === undefined ? 'key' : nameOf(revoked)}`}
      action="Revoke"
      isPending={revoking.isPending}
      error={revoking.error}
      confirm={() => revoked && revoking.mutate(revoked.user)}
    >
      Systems that use {revoked?.user} stop working immediately.{' '}
      {revoked?.last_used === null ? (
        'This key has never been used.'
      ) : (
        <>
          Last used: <Time at={revoked?.last_used ?? null} relative />.
        </>
      )}
    </Confirm>
  );
}

function ShownKey({ created, done }: { readonly created: CreatedKey; readonly done: () => void }) {
  const values = [
    { title: 'Key ID (user)', label: 'key ID', value: created.user },
    { title: 'Secret (pass)', label: 'secret', value: created.secret },
  ];
  return (
    <ShownSecret remedy="roll the key" values={values} done={done}>
      {typeof created.previous_end === 'string' && (
        <>
          The old key expires on <Time at={created.previous_end} />.
        </>
      )}
    </ShownSecret>
  );
}
