/** Dialogs that add, edit and delete a webhook, and roll its secret. A new secret is shown once. */
import { Button, Checkbox, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { EVENT_TYPES, type EventType } from '#domain/vocabulary/event-types.ts';
import { api, ask } from '../../../api/client.ts';
import type { Environment } from '../../../api/session.ts';
import { changeWebhook, type Webhook } from '../../../api/webhooks.ts';
import { Confirm } from '../../../ui/confirm.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FormButtons } from '../../../ui/forms/form-buttons.tsx';
import { inPageWords } from '../../../ui/forms/page-words.ts';
import { useFormMutation } from '../../../ui/forms/use-form-mutation.ts';
import { ProblemList } from '../../../ui/problem-list.tsx';
import { Failed } from '../../../ui/states.tsx';
import { ShownSecret } from '../shown-secret.tsx';

interface DialogProps {
  readonly environment: Environment;
  readonly close: () => void;
}

interface WebhookDialogProps extends DialogProps {
  /** The webhook to change; undefined while the dialog is closed. */
  readonly webhook: Webhook | undefined;
}

interface Values {
  readonly url: string;
  readonly types: EventType[];
}

const FIELDS = ['url', 'types'];

const EVENT_TEXTS: Readonly<Record<EventType, string>> = {
  'offer.updated': 'An API call, a file or a user changed part of an offer.',
  'offer.status_changed': 'A review changed the status or the issues of an offer.',
  'file.finished': 'A bulk file was processed, failed or was cancelled.',
  'report.ready': 'A report is ready, or failed.',
  'key.rolled': 'An API key was replaced.',
};

export function AddWebhook({ environment, isOpen, close }: DialogProps & { readonly isOpen: boolean }) {
  const queryClient = useQueryClient();
  const form = useForm<Values>({ initialValues: { url: '', types: [...EVENT_TYPES] } });
  const adding = useFormMutation({
    form,
    fields: FIELDS,
    mutationFn: (body: Values) =>
      inWords(ask(api.POST('/{environment}/webhooks', { params: { path: { environment } }, body }))),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['webhooks', environment] }),
    // Do not keep the secret in memory after the dialog closes.
    gcTime: 0,
  });
  return (
    <Dialog
      isOpen={isOpen}
      close={close}
      onExitTransitionEnd={() => {
        adding.reset();
        form.reset();
      }}
      size="lg"
      title={`Add webhook to the ${environment} environment`}
      hold={adding.isPending ? 'busy' : adding.isSuccess ? 'secret' : undefined}
    >
      {adding.isSuccess ? (
        <ShownWebhookSecret secret={adding.data.secret} done={close}>
          Use this secret on your server to verify the signature of each message.
        </ShownWebhookSecret>
      ) : (
        <form onSubmit={form.onSubmit((values) => adding.mutate(trimmed(values)))}>
          <Stack>
            <ProblemList problems={adding.problems} title="Couldn't add the webhook" />
            <WebhookFields form={form} />
            <FormButtons close={close} isPending={adding.isPending}>
              Add
            </FormButtons>
          </Stack>
        </form>
      )}
    </Dialog>
  );
}

export function EditWebhook({ environment, webhook, close }: WebhookDialogProps) {
  return (
    <Dialog isOpen={webhook !== undefined} close={close} size="lg" title="Edit webhook">
      {webhook && <EditForm environment={environment} webhook={webhook} close={close} />}
    </Dialog>
  );
}

function EditForm({ environment, webhook, close }: DialogProps & { readonly webhook: Webhook }) {
  const queryClient = useQueryClient();
  const form = useForm<Values>({ initialValues: { url: webhook.url, types: webhook.types } });
  const saving = useFormMutation({
    form,
    fields: FIELDS,
    mutationFn: (body: Values) => inWords(changeWebhook(environment, webhook.webhook_id, body)),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['webhooks', environment] });
      close();
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => saving.mutate(trimmed(values)))}>
      <Stack>
        <ProblemList problems={saving.problems} />
        <WebhookFields form={form} />
        <FormButtons close={close} isPending={saving.isPending}>
          Save
        </FormButtons>
      </Stack>
    </form>
  );
}

/** Fields show the server's problems without the names of the API. */
function inWords<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: Error) => {
    throw inPageWords(error);
  });
}

function trimmed({ url, types }: Values): Values {
  return { url: url.trim(), types };
}

function WebhookFields({ form }: { readonly form: UseFormReturnType<Values> }) {
  return (
    <>
      <TextInput
        label="URL"
        description="Your server receives a POST here for each event. The marketplace must be able to reach it."
        placeholder="https://hooks.example/offerbook"
        required
        data-autofocus
        {...form.getInputProps('url')}
      />
      <Checkbox.Group label="Events" {...form.getInputProps('types')}>
        <Stack gap="xs" mt="xs">
          {EVENT_TYPES.map((type) => (
            <Checkbox key={type} value={type} label={type} description={EVENT_TEXTS[type]} />
          ))}
        </Stack>
      </Checkbox.Group>
    </>
  );
}

const DEFAULT_OVERLAP = '86400';
/** Choices in seconds. The longest one is the server's limit. */
const OVERLAPS = [
  { value: '0', label: '0 hours' },
  { value: '3600', label: '1 hour' },
  { value: DEFAULT_OVERLAP, label: '24 hours' },
  { value: '604800', label: '7 days' },
];

export function RollSecret({ environment, webhook, close }: WebhookDialogProps) {
  const queryClient = useQueryClient();
  const [overlap, setOverlap] = useState(DEFAULT_OVERLAP);
  const rolling = useMutation({
    mutationFn: (webhook_id: string) =>
      ask(
        api.POST('/{environment}/webhooks/{webhook_id}/secret', {
          params: { path: { environment, webhook_id } },
          body: { overlap_seconds: Number(overlap) },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['webhooks', environment] }),
    gcTime: 0,
  });
  return (
    <Dialog
      isOpen={webhook !== undefined}
      close={close}
      onExitTransitionEnd={() => {
        rolling.reset();
        setOverlap(DEFAULT_OVERLAP);
      }}
      size="lg"
      title="Roll secret"
      hold={rolling.isPending ? 'busy' : rolling.isSuccess ? 'secret' : undefined}
    >
      {rolling.isSuccess ? (
        <ShownWebhookSecret secret={rolling.data.secret} done={close}>
          {overlap === '0'
            ? 'Messages are no longer signed with the old secret.'
            : `The old secret stays valid for ${labelOf(overlap)}. During this time, messages are signed with both.`}
        </ShownWebhookSecret>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (webhook) rolling.mutate(webhook.webhook_id);
          }}
        >
          <Stack>
            {rolling.isError && <Failed error={rolling.error} />}
            <Text className="anywhere">A new secret signs the messages to {webhook?.url}.</Text>
            <Select
              label="Keep the old secret valid for"
              description="Time to switch your server to the new secret. During this time, messages are signed with both."
              data={OVERLAPS}
              allowDeselect={false}
              value={overlap}
              onChange={(next) => next !== null && setOverlap(next)}
            />
            <FormButtons close={close} isPending={rolling.isPending}>
              Roll secret
            </FormButtons>
          </Stack>
        </form>
      )}
    </Dialog>
  );
}

function labelOf(overlap: string): string {
  return OVERLAPS.find(({ value }) => value === overlap)?.label ?? '';
}

interface ShownWebhookSecretProps {
  /** Undefined if the response did not include it. */
  readonly secret: string | undefined;
  readonly done: () => void;
  readonly children: string;
}

function ShownWebhookSecret({ secret, done, children }: ShownWebhookSecretProps) {
  if (secret === undefined) {
    return (
      <Stack>
        <Text>The server didn't send the secret. Roll the secret to get a new one.</Text>
        <Group justify="flex-end">
          <Button onClick={done}>Done</Button>
        </Group>
      </Stack>
    );
  }
  return (
    <ShownSecret remedy="roll the secret" values={[{ title: 'Secret', label: 'secret', value: secret }]} done={done}>
      {children}
    </ShownSecret>
  );
}

export function DeleteWebhook({ environment, webhook, close }: WebhookDialogProps) {
  const queryClient = useQueryClient();
  const deleting = useMutation({
    mutationFn: (webhook_id: string) =>
      ask(api.DELETE('/{environment}/webhooks/{webhook_id}', { params: { path: { environment, webhook_id } } })),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['webhooks', environment], exact: true });
      close();
    },
  });
  return (
    <Confirm
      isOpen={webhook !== undefined}
      close={() => {
        close();
        deleting.reset();
      }}
      title="Delete webhook"
      action="Delete"
      isPending={deleting.isPending}
      error={deleting.error}
      confirm={() => webhook && deleting.mutate(webhook.webhook_id)}
    >
      <Text span inherit className="anywhere">
        {webhook?.url} gets no more events, and its delivery log is deleted. To pause it, disable it instead.
      </Text>
    </Confirm>
  );
}
