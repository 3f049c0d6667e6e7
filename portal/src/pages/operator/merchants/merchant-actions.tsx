/** Actions of an operator on a merchant: view its pages, rename, suspend and resume it. */
import { Button, Group, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, ask } from '../../../api/client.ts';
import { viewAsMerchant } from '../../../api/operator-offers.ts';
import type { components } from '../../../api/schema.d.ts';
import { ConfirmButton } from '../../../ui/confirm.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { MutationForm } from '../../../ui/forms/mutation-form.tsx';
import { useFormMutation } from '../../../ui/forms/use-form-mutation.ts';
import { countIfKnown } from '../../../ui/numbers.ts';
import { Failed } from '../../../ui/states.tsx';

type Merchant = components['schemas']['GetMerchantDetailsAnswer'];

export function MerchantActions({ merchant }: { readonly merchant: Merchant }) {
  return (
    <Group gap="sm">
      <ViewButton merchant={merchant} />
      <RenameButton merchant={merchant} />
      <SuspendButton merchant={merchant} />
    </Group>
  );
}

function ViewButton({ merchant: { id } }: { readonly merchant: Merchant }) {
  const viewing = useMutation({
    mutationFn: () => viewAsMerchant(id),
  });
  return (
    <>
      {viewing.isError && <Failed error={viewing.error} />}
      <Button variant="default" loading={viewing.isPending} onClick={() => viewing.mutate()}>
        View as merchant
      </Button>
    </>
  );
}

function RenameButton({ merchant: { id, name } }: { readonly merchant: Merchant }) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" onClick={open}>
        Rename
      </Button>
      <Dialog isOpen={isOpen} close={close} title={`Rename ${id}`}>
        <RenameForm id={id} name={name} close={close} />
      </Dialog>
    </>
  );
}

interface RenameFormProps {
  readonly id: string;
  readonly name: string;
  readonly close: () => void;
}

function RenameForm({ id, name, close }: RenameFormProps) {
  const queryClient = useQueryClient();
  const form = useForm({ initialValues: { name } });
  const renaming = useFormMutation({
    form,
    fields: ['name'],
    mutationFn: (body: typeof form.values) =>
      ask(api.PUT('/merchants/{merchant_id}', { params: { path: { merchant_id: id } }, body })),
    onSuccess: async () => {
      close();
      await queryClient.invalidateQueries({ queryKey: ['merchants'] });
    },
  });
  return (
    <MutationForm form={form} sending={renaming} action="Save" close={close}>
      <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
    </MutationForm>
  );
}

function SuspendButton({ merchant: { id, name, suspended, offers } }: { readonly merchant: Merchant }) {
  const queryClient = useQueryClient();
  const params = { path: { merchant_id: id } };
  const action = suspended ? 'Resume' : 'Suspend';
  return (
    <ConfirmButton
      title={`${action} ${name}`}
      action={action}
      run={() =>
        suspended
          ? ask(api.POST('/merchants/{merchant_id}/resume', { params }))
          : ask(api.POST('/merchants/{merchant_id}/suspend', { params }))
      }
      done={() => queryClient.invalidateQueries({ queryKey: ['merchants'] })}
    >
      {suspended
        ? 'Keys work again as before, users can make changes again, and offers are for sale again if their status allows it.'
        : `All live offers (${countIfKnown(offers.live)}) are taken off sale, API access stops, and users become read-only. Nothing is deleted. You can resume the merchant at any time.`}
    </ConfirmButton>
  );
}
