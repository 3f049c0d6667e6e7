/** Dialogs that create an API key, roll one, and revoke one. A new secret is shown once. */
import { Checkbox, Input, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { type Key, type KeyCalls, keysQuery, type SentKey } from '../../api/account-settings.ts';
import type { Environment } from '../../api/session.ts';
import { ConfirmButton, removalLooks } from '../../ui/confirm.tsx';
import { NumberField, type NumberValue } from '../../ui/forms/number-field.tsx';
import { inWords } from '../../ui/forms/page-words.ts';
import { useFormMutation } from '../../ui/forms/use-form-mutation.ts';
import { nameOf, SCOPE_WORDS, SCOPES_OF } from '../../ui/key-table.tsx';
import { Time } from '../../ui/time.tsx';
import { SecretDialog, ShownSecret } from './shown-secret.tsx';

interface CreatedKey {
  readonly user: string;
  readonly secret: string;
  /** When the replaced key expires. */
  readonly previous_end?: string | null;
}

interface KeyDialogProps {
  readonly calls: KeyCalls;
  readonly environment: Environment;
  readonly close: () => void;
}

const UNLIMITED = { sku_prefix: '', plan_offers_max: '', plan_price_percent_max: '', plan_hours: '' };

export function CreateKey({ calls, environment, isOpen, close }: KeyDialogProps & { readonly isOpen: boolean }) {
  const queryClient = useQueryClient();
  const isOfMerchant = calls.owner === 'merchant';
  const form = useForm<SentKey>({
    initialValues: { ...UNLIMITED, name: '', scopes: isOfMerchant ? SCOPES_OF.merchant : [] },
    validate: { scopes: (scopes) => (scopes.length === 0 ? 'Choose at least one.' : null) },
  });
  const creating = useFormMutation({
    form,
    fields: ['name', 'scopes', ...Object.keys(UNLIMITED)],
    mutationFn: (key: SentKey) => inWords(calls.add(environment, key)),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keysQuery(calls, environment).queryKey }),
    // Do not keep the secret in memory after the dialog closes.
    gcTime: 0,
  });
  return (
    <SecretDialog
      isOpen={isOpen}
      close={close}
      title={`Get API keys for the ${environment} environment`}
      form={form}
      sending={creating}
      failed="Couldn't create the key"
      action="Create"
      shown={(created) => <ShownKey created={created} done={close} />}
    >
      <TextInput
        label="Name"
        description={`The system that uses the key, such as ${isOfMerchant ? 'ERP or price feed' : 'shop or dashboard'}.`}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Checkbox.Group
        label="The key can"
        description="Choose only what the system needs. You cannot change this later."
        {...form.getInputProps('scopes')}
      >
        <Stack gap="xs" mt="xs">
          {SCOPES_OF[calls.owner].map((scope) => (
            <Checkbox key={scope} value={scope} {...SCOPE_WORDS[scope]} />
          ))}
        </Stack>
      </Checkbox.Group>
      {isOfMerchant && (
        <>
          <TextInput
            label="Only SKUs that begin with"
            description="Such a key cannot list SKUs, send files, read events, request reports or use webhooks. Leave empty for all SKUs."
            {...form.getInputProps('sku_prefix')}
          />
          <Input.Wrapper
            label="Guard rails"
            labelElement="div"
            description="With any of them, the key changes offers only with plans, and you approve the plans beyond them."
          >
            <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm" mt="xs">
              <NumberField label="Most offers per plan" isWhole {...form.getInputProps('plan_offers_max')} />
              <NumberField label="Largest price change" unit="%" {...form.getInputProps('plan_price_percent_max')} />
              <TextInput label="Hours (UTC)" placeholder="08-18" {...form.getInputProps('plan_hours')} />
            </SimpleGrid>
          </Input.Wrapper>
        </>
      )}
    </SecretDialog>
  );
}

const OVERLAP_HOURS = 24;

export function RollKey({ calls, environment, rolled, close }: KeyDialogProps & { readonly rolled: Key | undefined }) {
  const queryClient = useQueryClient();
  const form = useForm({ initialValues: { overlap_hours: OVERLAP_HOURS as NumberValue } });
  const rolling = useFormMutation({
    form,
    fields: ['overlap_hours'],
    mutationFn: ({ overlap_hours }: { overlap_hours: NumberValue }) =>
      calls.roll(environment, rolled?.user ?? '', Number(overlap_hours)),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keysQuery(calls, environment).queryKey }),
    gcTime: 0,
  });
  return (
    <SecretDialog
      isOpen={rolled !== undefined}
      close={close}
      title={`Roll ${rolled === undefined ? 'key' : nameOf(rolled)}`}
      form={form}
      sending={rolling}
      failed="Couldn't roll the key"
      action="Roll key"
      shown={(created) => <ShownKey created={created} done={close} />}
    >
      <Text>A new key with the same name and rights replaces {rolled?.user}. Other keys are not affected.</Text>
      <NumberField
        label="Keep the old key active for (hours)"
        description="Time to switch your system to the new key. 0 revokes the old key now."
        isWhole
        required
        {...form.getInputProps('overlap_hours')}
      />
    </SecretDialog>
  );
}

interface RevokeKeyProps extends Omit<KeyDialogProps, 'close'> {
  readonly revoked: Key;
}

export function RevokeKey({ calls, environment, revoked }: RevokeKeyProps) {
  const queryClient = useQueryClient();
  return (
    <ConfirmButton
      button={removalLooks(revoked.user, 'Revoke')}
      title={`Revoke ${nameOf(revoked)}`}
      action="Revoke"
      run={async () => {
        await calls.revoke(environment, revoked.user);
        await queryClient.invalidateQueries({ queryKey: keysQuery(calls, environment).queryKey });
      }}
    >
      Systems that use {revoked.user} stop working immediately.{' '}
      {revoked.last_used === null ? (
        'This key has never been used.'
      ) : (
        <>
          Last used: <Time at={revoked.last_used} relative />.
        </>
      )}
    </ConfirmButton>
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
