/** The dialog Get API keys: makes a set of keys, and shows its secret this once. */
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

type MadeKeys = components['schemas']['RollKeysAnswer'];

const OVERLAP_HOURS = 24;
const FIELDS = ['overlap_hours'];

interface GetApiKeysProps {
  readonly environment: Environment;
  /** Undefined while that is not known: keys that work must not be stopped by a guess. */
  readonly hasKeys: boolean | undefined;
}

export function GetApiKeys({ environment, hasKeys }: GetApiKeysProps) {
  const queryClient = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure();
  const form = useForm({ initialValues: { overlap_hours: OVERLAP_HOURS as NumberValue } });
  const making = useFormMutation({
    form,
    fields: FIELDS,
    mutationFn: (overlap_hours: number) =>
      ask(api.POST('/{environment}/keys', { params: { path: { environment } }, body: { overlap_hours } })),
    // The dialog stays as it is until it is closed: the secret cannot be shown again.
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['keys', environment] }),
    // Nothing keeps the secret once it is no longer shown.
    gcTime: 0,
  });
  const hold = making.isPending ? 'busy' : making.isSuccess ? 'secret' : undefined;
  return (
    <>
      <Button onClick={open} disabled={hasKeys === undefined}>
        Get API keys
      </Button>
      <Dialog
        isOpen={isOpen}
        close={close}
        onExitTransitionEnd={making.reset}
        size="lg"
        title={`API keys for the ${environment} environment`}
        hold={hold}
      >
        {making.isSuccess ? (
          <ShownKeys keys={making.data} done={close} />
        ) : (
          <form onSubmit={form.onSubmit((values) => making.mutate(hasKeys ? Number(values.overlap_hours) : 0))}>
            <Stack>
              <ProblemList problems={making.problems} title="No keys made" />
              {hasKeys ? (
                <>
                  <Text>New keys replace those that work now.</Text>
                  <NumberField
                    label="Hours that the earlier keys go on working"
                    description="Enough to change over all your programs; 0 stops them at once."
                    min={0}
                    allowDecimal={false}
                    required
                    {...form.getInputProps('overlap_hours')}
                  />
                </>
              ) : (
                <Text>A user and a secret for your programs.</Text>
              )}
              <Group justify="flex-end">
                <Button variant="default" onClick={close} disabled={making.isPending}>
                  Not now
                </Button>
                <Button type="submit" loading={making.isPending}>
                  Make the keys
                </Button>
              </Group>
            </Stack>
          </form>
        )}
      </Dialog>
    </>
  );
}

function ShownKeys({ keys, done }: { readonly keys: MadeKeys; readonly done: () => void }) {
  return (
    <Stack>
      <Alert color="orange" title="The secret is shown this once">
        Keep it where your programs find it. If it is lost, get new keys.
      </Alert>
      <Text fw={600}>User</Text>
      <CopyValue value={keys.user} label="the user" />
      <Text fw={600}>Secret</Text>
      <CopyValue value={keys.secret} label="the secret" />
      {keys.previous_end !== null && (
        <Text size="sm">
          The earlier keys work until <Time at={keys.previous_end} />.
        </Text>
      )}
      <Group justify="flex-end">
        <Button onClick={done}>I have kept them</Button>
      </Group>
    </Stack>
  );
}
