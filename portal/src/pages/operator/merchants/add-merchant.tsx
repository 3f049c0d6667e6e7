/** Adds a merchant with its first admin, and shows the admin's password link and the API keys once. */
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, ask } from '../../../api/client.ts';
import { CopyValue } from '../../../ui/copy-value.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { MutationForm } from '../../../ui/forms/mutation-form.tsx';
import { useFormMutation } from '../../../ui/forms/use-form-mutation.ts';
import { ButtonLink } from '../../../ui/links.tsx';
import { Failed } from '../../../ui/states.tsx';

interface AddMerchantProps {
  readonly isOpen: boolean;
  readonly close: () => void;
}

const FIELDS = ['merchant_id', 'name', 'email'];

export function AddMerchant({ isOpen, close }: AddMerchantProps) {
  const queryClient = useQueryClient();
  const form = useForm({ initialValues: { merchant_id: '', name: '', email: '' } });
  const adding = useFormMutation({
    form,
    fields: FIELDS,
    mutationFn: ({ email, ...body }: typeof form.values) => ask(api.POST('/merchants', { body })),
    onSuccess: async ({ id: merchant }, { email }) => {
      if (email !== '') inviting.mutate({ email, merchant });
      await queryClient.invalidateQueries({ queryKey: ['merchants'] });
    },
    // Do not keep the secrets in memory after the dialog closes.
    gcTime: 0,
  });
  const inviting = useMutation({
    mutationFn: ({ email, merchant }: { readonly email: string; readonly merchant: string }) =>
      ask(api.POST('/users', { body: { email, merchant, role: 'merchant-admin' } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['users'] }),
    gcTime: 0,
  });
  const leave = () => {
    close();
    form.reset();
    adding.reset();
    inviting.reset();
  };
  return (
    <Dialog
      isOpen={isOpen}
      close={leave}
      size="lg"
      title={adding.isSuccess ? `Merchant ${adding.data.id} added` : 'Add merchant'}
      hold={adding.isPending ? 'busy' : adding.isSuccess ? 'secret' : undefined}
    >
      {adding.isSuccess ? (
        <Stack>
          <Alert color="orange" title="Copy the secrets now">
            You won't see them again. Send them to the merchant, or invite a member who creates keys in the portal.
          </Alert>
          {inviting.isPending && <Text role="status">Inviting the admin…</Text>}
          {inviting.isError && (
            <>
              <Text>The merchant is added, but its admin is not invited. Invite a member on the merchant's page.</Text>
              <Failed error={inviting.error} />
            </>
          )}
          {inviting.isSuccess && (
            <Stack gap="xs">
              <Text fw={600}>Password link for {inviting.data.email}: no email is sent, send it yourself</Text>
              <CopyValue value={inviting.data.link} label="the link" />
            </Stack>
          )}
          {(['test', 'live'] as const).map((environment) => (
            <Stack key={environment} gap="xs">
              <Text fw={600}>API key for the {environment} environment: ID (user), then secret (pass)</Text>
              <CopyValue value={adding.data.credentials[environment].user} label={`${environment} key ID`} />
              <CopyValue value={adding.data.credentials[environment].secret} label={`${environment} secret`} />
            </Stack>
          ))}
          <Group justify="flex-end">
            <ButtonLink
              to="/operator/merchants/$merchantId"
              params={{ merchantId: adding.data.id }}
              variant="default"
              onClick={leave}
            >
              View merchant
            </ButtonLink>
            <Button onClick={leave}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <MutationForm form={form} sending={adding} action="Add" close={leave}>
          <TextInput
            label="ID"
            description="Lower-case letters, digits and hyphens, a letter first. It cannot be changed later."
            required
            data-autofocus
            {...form.getInputProps('merchant_id')}
          />
          <TextInput label="Name" required {...form.getInputProps('name')} />
          <TextInput
            label="Email of the first admin"
            description="Optional. You get a link with which the admin sets a password."
            type="email"
            {...form.getInputProps('email')}
          />
        </MutationForm>
      )}
    </Dialog>
  );
}
