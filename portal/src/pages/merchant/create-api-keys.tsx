/** Dialog that creates API keys and shows the secret once. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { api, ask } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import type { Environment } from '../../api/session.ts';
import { CopyValue } from '../../ui/copy-value.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { NumberField, type NumberValue } from '../../ui/forms/number-field.tsx';
import { useFormMutation } from '../../ui/forms/use-form-mutation.ts';
import { ProblemList } from '../../ui/problem-list.tsx';
import { Time } from '../../ui/time.tsx';

type CreatedKeys = components['schemas']['RollKeysAnswer'];

const OVERLAP_HOURS = 24;
const FIELDS = ['overlap_hours'];

interface CreateApiKeysProps {
  readonly environment: Environment;
  /** Undefined while loading; a wrong guess would revoke active keys without an overlap. */
  readonly hasKeys: boolean | undefined;
}

export function CreateApiKeys({ environment, hasKeys }: CreateApiKeysProps) {
  const queryClient = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure();
  const form = useForm({ initialValues: { overlap_hours: OVERLAP_HOURS as NumberValue } });
  const creating = useFormMutation({
    form,
    fields: FIELDS,
    mutationFn: (overlap_hours: number) =>
      ask(api.POST('/{environment}/keys', { params: { path: { environment } }, body: { overlap_hours } })),
    // The dialog stays open: the secret cannot be shown again.
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['keys', environment] }),
    // Do not keep the secret in memory after the dialog closes.
    gcTime: 0,
  });
  const hold = creating.isPending ? 'busy' : creating.isSuccess ? 'secret' : undefined;
  return (
    <>
      <Button onClick={open} disabled={hasKeys === undefined}>
        Get API keys
      </Button>
      <Dialog
        isOpen={isOpen}
        close={close}
        onExitTransitionEnd={creating.reset}
        size="lg"
        title={`API keys for the ${environment} environment`}
        hold={hold}
      >
        {creating.isSuccess ? (
          <ShownKeys keys={creating.data} done={close} />
        ) : (
          <form onSubmit={form.onSubmit((values) => creating.mutate(hasKeys ? Number(values.overlap_hours) : 0))}>
            <Stack>
              <ProblemList problems={creating.problems} title="Couldn't create keys" />
              {hasKeys ? (
                <>
                  <Text>New keys replace the active ones.</Text>
                  <NumberField
                    label="Keep old keys active for (hours)"
                    description="Time to switch your systems to the new keys. 0 revokes the old keys now."
                    min={0}
                    allowDecimal={false}
                    required
                    {...form.getInputProps('overlap_hours')}
                  />
                </>
              ) : (
                <Text>Creates a key ID and a secret for your systems.</Text>
              )}
              <Group justify="flex-end">
                <Button variant="default" onClick={close} disabled={creating.isPending}>
                  Cancel
                </Button>
                <Button type="submit" loading={creating.isPending}>
                  Create
                </Button>
              </Group>
            </Stack>
          </form>
        )}
      </Dialog>
    </>
  );
}

function ShownKeys({ keys, done }: { readonly keys: CreatedKeys; readonly done: () => void }) {
  return (
    <Stack>
      <Alert color="orange" title="Copy the secret now">
        You won't see it again. If you lose it, create new keys.
      </Alert>
      <Text fw={600}>Key ID (user)</Text>
      <CopyValue value={keys.user} label="key ID" />
      <Text fw={600}>Secret (pass)</Text>
      <CopyValue value={keys.secret} label="secret" />
      {keys.previous_end !== null && (
        <Text size="sm">
          Old keys expire on <Time at={keys.previous_end} />.
        </Text>
      )}
      <Group justify="flex-end">
        <Button onClick={done}>Done</Button>
      </Group>
    </Stack>
  );
}
