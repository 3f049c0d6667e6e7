/** In charge of adding a merchant, and of showing its first keys this once. */
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { api, ask } from '../../api/client.ts';
import { CopyValue } from '../../ui/copy-value.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useFormMutation } from '../../ui/forms/use-form-mutation.ts';
import { ButtonLink } from '../../ui/links.tsx';
import { ProblemList } from '../../ui/problem-list.tsx';

interface AddMerchantProps {
  readonly isOpen: boolean;
  readonly close: () => void;
}

const FIELDS = ['merchant_id', 'name'];

export function AddMerchant({ isOpen, close }: AddMerchantProps) {
  const queryClient = useQueryClient();
  const form = useForm({ initialValues: { merchant_id: '', name: '' } });
  const adding = useFormMutation({
    form,
    fields: FIELDS,
    mutationFn: (body: typeof form.values) => ask(api.POST('/merchants', { body })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['merchants'] }),
    // Nothing keeps the secrets once they are no longer shown.
    gcTime: 0,
  });
  const leave = () => {
    close();
    form.reset();
    adding.reset();
  };
  return (
    <Dialog
      isOpen={isOpen}
      close={leave}
      size="lg"
      title={adding.isSuccess ? `Merchant ${adding.data.id} is added` : 'Add a merchant'}
      hold={adding.isPending ? 'busy' : adding.isSuccess ? 'secret' : undefined}
    >
      {adding.isSuccess ? (
        <Stack>
          <Alert color="orange" title="The secrets are shown this once">
            Hand them to the merchant, or invite a person of the merchant who gets keys in the portal.
          </Alert>
          {(['test', 'live'] as const).map((environment) => (
            <Stack key={environment} gap="xs">
              <Text fw={600}>Keys of the {environment} environment</Text>
              <CopyValue value={adding.data.credentials[environment].user} label={`the ${environment} user`} />
              <CopyValue value={adding.data.credentials[environment].secret} label={`the ${environment} secret`} />
            </Stack>
          ))}
          <Group justify="flex-end">
            <ButtonLink
              to="/operator/merchants/$merchantId"
              params={{ merchantId: adding.data.id }}
              variant="default"
              onClick={leave}
            >
              To its page
            </ButtonLink>
            <Button onClick={leave}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <form onSubmit={form.onSubmit((values) => adding.mutate(values))}>
          <Stack>
            <ProblemList problems={adding.problems} />
            <TextInput
              label="Id"
              description="Short, and never changed."
              required
              data-autofocus
              {...form.getInputProps('merchant_id')}
            />
            <TextInput label="Name" required {...form.getInputProps('name')} />
            <Group justify="flex-end">
              <Button type="submit" loading={adding.isPending}>
                Add
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Dialog>
  );
}
