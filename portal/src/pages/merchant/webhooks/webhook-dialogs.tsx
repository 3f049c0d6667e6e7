/** Dialogs that add, edit and delete a webhook, and roll its secret. A new secret is shown once. */
import { Button, Checkbox, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { LIMITS } from '#domain/limits.ts';
import { EVENT_TYPES, type EventType } from '#domain/vocabulary/event-types.ts';
import {
  addWebhook,
  changeWebhook,
  removeWebhook,
  rollSecret,
  type Webhook,
  webhooksKey,
} from '../../../api/webhooks.ts';
import { ConfirmButton, removalLooks } from '../../../ui/confirm.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { MutationForm } from '../../../ui/forms/mutation-form.tsx';
import { inWords } from '../../../ui/forms/page-words.ts';
import { useFormMutation } from '../../../ui/forms/use-form-mutation.ts';
import { SecretDialog, ShownSecret } from '../../account/shown-secret.tsx';
import { useWebhookOwner } from './webhook-owner.tsx';

interface DialogProps {
  readonly close: () => void;
}

interface WebhookDialogProps extends DialogProps {
  /** The webhook to change; undefined while the dialog is closed. */
  readonly webhook: Webhook | undefined;
}

interface Values {
  readonly url: string;
  readonly types: EventType[];
  readonly include: NonNullable<Webhook['include']>;
  readonly batches: boolean;
}

const FIELDS = ['url', 'types', 'include', 'batches'];

const EVENT_TEXTS: Readonly<Record<EventType, string>> = {
  'offer.updated': 'An API call, a file or a user changed part of an offer.',
  'offer.status_changed': 'A review changed the status or the issues of an offer.',
  'offer.position_changed': 'An offer has another rank among the offers of its product.',
  'file.finished': 'A bulk file was processed, failed or was cancelled.',
  'report.ready': 'A report is ready, or failed.',
  'key.rolled': 'An API key was replaced.',
  'offer.will_fail': 'An offer would fail under an announced change of requirements.',
  'requirement.reminder': 'Reminder: offers will fail under a change that applies in 30 days, a week or a day.',
  'offer.will_pass': 'An offer that would have failed under an announced change no longer would.',
};

export function AddWebhook({ isOpen, close }: DialogProps & { readonly isOpen: boolean }) {
  const owner = useWebhookOwner();
  const queryClient = useQueryClient();
  const form = useForm<Values>({ initialValues: { url: '', types: [...EVENT_TYPES], include: [], batches: false } });
  const adding = useFormMutation({
    form,
    fields: FIELDS,
    mutationFn: (values: Values) => inWords(addWebhook(owner, trimmed(values))),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: webhooksKey(owner) }),
    // Do not keep the secret in memory after the dialog closes.
    gcTime: 0,
  });
  return (
    <SecretDialog
      isOpen={isOpen}
      close={close}
      title={`Add webhook to the ${owner.environment} environment`}
      form={form}
      sending={adding}
      failed="Couldn't add the webhook"
      action="Add"
      shown={({ secret }) => (
        <ShownWebhookSecret secret={secret} done={close}>
          Use this secret on your server to verify the signature of each message.
        </ShownWebhookSecret>
      )}
    >
      <WebhookFields form={form} />
    </SecretDialog>
  );
}

export function EditWebhook({ webhook, close }: WebhookDialogProps) {
  return (
    <Dialog isOpen={webhook !== undefined} close={close} size="lg" title="Edit webhook">
      {webhook && <EditForm webhook={webhook} close={close} />}
    </Dialog>
  );
}

function EditForm({ webhook, close }: DialogProps & { readonly webhook: Webhook }) {
  const owner = useWebhookOwner();
  const queryClient = useQueryClient();
  const { url, types = [], include = [], batches } = webhook;
  const form = useForm<Values>({ initialValues: { url, types, include, batches } });
  const saving = useFormMutation({
    form,
    fields: FIELDS,
    mutationFn: (values: Values) => inWords(changeWebhook(owner, webhook.webhook_id, trimmed(values))),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: webhooksKey(owner) });
      close();
    },
  });
  return (
    <MutationForm form={form} sending={saving} action="Save" close={close}>
      <WebhookFields form={form} />
    </MutationForm>
  );
}

function trimmed(values: Values): Values {
  return { ...values, url: values.url.trim() };
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
      {useWebhookOwner().owner === 'merchant' && <ChosenEvents form={form} />}
      <Checkbox
        label="Send in batches"
        description={`One message has up to ${LIMITS.webhook_batch_events_max} events. Your server must support this format.`}
        {...form.getInputProps('batches', { type: 'checkbox' })}
      />
    </>
  );
}

/** The marketplace gets all changes to its storefront. */
function ChosenEvents({ form }: { readonly form: UseFormReturnType<Values> }) {
  return (
    <>
      <Checkbox.Group label="Events" {...form.getInputProps('types')}>
        <Stack gap="xs" mt="xs">
          {EVENT_TYPES.map((type) => (
            <Checkbox key={type} value={type} label={type} description={EVENT_TEXTS[type]} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Checkbox.Group label="Messages" {...form.getInputProps('include')}>
        <Checkbox
          mt="xs"
          value="changes"
          label="Include changes"
          description="Events of offers show which fields changed, with the values before and after."
        />
      </Checkbox.Group>
    </>
  );
}

const { webhook_overlap_seconds_max: LONGEST_OVERLAP } = LIMITS;
const DEFAULT_OVERLAP = '86400';
/** Choices in seconds. The longest one is the server's limit. */
const OVERLAPS = [
  { value: '0', label: '0 hours' },
  { value: '3600', label: '1 hour' },
  { value: DEFAULT_OVERLAP, label: '24 hours' },
  { value: String(LONGEST_OVERLAP), label: `${LONGEST_OVERLAP / 86_400} days` },
];

export function RollSecret({ webhook, close }: WebhookDialogProps) {
  const owner = useWebhookOwner();
  const queryClient = useQueryClient();
  const form = useForm({ initialValues: { overlap: DEFAULT_OVERLAP } });
  const rolling = useFormMutation({
    form,
    fields: [],
    mutationFn: ({ overlap }: { overlap: string }) => rollSecret(owner, webhook?.webhook_id ?? '', Number(overlap)),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: webhooksKey(owner) }),
    gcTime: 0,
  });
  const { overlap } = form.values;
  return (
    <SecretDialog
      isOpen={webhook !== undefined}
      close={close}
      title="Roll secret"
      form={form}
      sending={rolling}
      failed="Something went wrong"
      action="Roll secret"
      shown={({ secret }) => (
        <ShownWebhookSecret secret={secret} done={close}>
          {overlap === '0'
            ? 'Messages are no longer signed with the old secret.'
            : `The old secret stays valid for ${labelOf(overlap)}. During this time, messages are signed with both.`}
        </ShownWebhookSecret>
      )}
    >
      <Text className="anywhere">A new secret signs the messages to {webhook?.url}.</Text>
      <Select
        label="Keep the old secret valid for"
        description="Time to switch your server to the new secret. During this time, messages are signed with both."
        data={OVERLAPS}
        allowDeselect={false}
        {...form.getInputProps('overlap')}
      />
    </SecretDialog>
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

interface DeleteWebhookProps {
  readonly webhook: Webhook;
}

export function DeleteWebhook({ webhook: { webhook_id, url } }: DeleteWebhookProps) {
  const owner = useWebhookOwner();
  const queryClient = useQueryClient();
  return (
    <ConfirmButton
      button={removalLooks(url, 'Delete')}
      title="Delete webhook"
      action="Delete"
      run={async () => {
        await removeWebhook(owner, webhook_id);
        await queryClient.invalidateQueries({ queryKey: webhooksKey(owner), exact: true });
      }}
    >
      <Text span inherit className="anywhere">
        {url} gets no more events, and its delivery log is deleted. To pause it, disable it instead.
      </Text>
    </ConfirmButton>
  );
}
