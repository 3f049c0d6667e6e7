/** In charge of inviting a person, and of showing the link by which one sets a password. */
import { Alert, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '../../api/client.ts';
import { type Person, usePerson } from '../../api/session.ts';
import { CopyValue } from '../../ui/copy-value.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useFormMutation } from '../../ui/forms/use-form-mutation.ts';
import { ProblemList } from '../../ui/problem-list.tsx';
import { Time } from '../../ui/time.tsx';

export const ROLE_NAMES: Readonly<Record<Person['role'], string>> = {
  'merchant-admin': 'Merchant admin',
  'merchant-viewer': 'Merchant viewer',
  operator: 'Operator',
};

interface IssuedLink {
  readonly email: string;
  readonly link: string;
  readonly link_ends: string;
}

interface InvitePersonProps {
  readonly isOpen: boolean;
  readonly close: () => void;
  /** Of this merchant, where an operator invites from its page. */
  readonly merchantId?: string;
}

export function InvitePerson({ isOpen, close, merchantId }: InvitePersonProps) {
  const [link, setLink] = useState<IssuedLink>();
  return (
    <>
      <Dialog isOpen={isOpen} close={close} title="Invite a person">
        <InviteForm
          merchantId={merchantId}
          invited={(issued) => {
            close();
            setLink(issued);
          }}
        />
      </Dialog>
      <LinkDialog link={link} close={() => setLink(undefined)} />
    </>
  );
}

interface InviteFormProps {
  readonly merchantId: string | undefined;
  readonly invited: (link: IssuedLink) => void;
}

const FIELDS = ['email', 'role', 'merchant'];

function InviteForm({ merchantId, invited }: InviteFormProps) {
  const queryClient = useQueryClient();
  const person = usePerson();
  const isOperator = person.role === 'operator';
  const mayChooseMerchant = isOperator && merchantId === undefined;
  const form = useForm({
    initialValues: { email: '', role: 'merchant-admin' as Person['role'], merchant: merchantId ?? '' },
  });
  const inviting = useFormMutation({
    form,
    fields: FIELDS,
    mutationFn: ({ email, role, merchant }: typeof form.values) => {
      const isOfMerchant = isOperator && role !== 'operator' && merchant !== '';
      return ask(api.POST('/users', { body: { email, role, ...(isOfMerchant ? { merchant } : {}) } }));
    },
    onSuccess: async (issued) => {
      await queryClient.invalidateQueries({ queryKey: ['users'] });
      invited(issued);
    },
    // Nothing keeps the link once it is no longer shown.
    gcTime: 0,
  });
  const roles = Object.entries(ROLE_NAMES).filter(([role]) => mayChooseMerchant || role !== 'operator');
  return (
    <form onSubmit={form.onSubmit((values) => inviting.mutate(values))}>
      <Stack>
        <ProblemList problems={inviting.problems} />
        <TextInput label="E-mail" type="email" required data-autofocus {...form.getInputProps('email')} />
        <Select
          label="Role"
          description="Viewers see everything and change nothing."
          allowDeselect={false}
          data={roles.map(([value, label]) => ({ value, label }))}
          {...form.getInputProps('role')}
        />
        {mayChooseMerchant && form.values.role !== 'operator' && (
          <TextInput label="Id of the merchant" required {...form.getInputProps('merchant')} />
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={inviting.isPending}>
            Invite
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface LinkDialogProps {
  readonly link: IssuedLink | undefined;
  readonly close: () => void;
}

export function LinkDialog({ link, close }: LinkDialogProps) {
  return (
    <Dialog isOpen={link !== undefined} close={close} size="lg" hold="secret" title={`Link for ${link?.email ?? ''}`}>
      {link !== undefined && (
        <Stack>
          <Alert color="orange" title="The link is shown this once">
            Whoever has it sets the password of this person. Hand it to nobody else.
          </Alert>
          <CopyValue value={link.link} label="the link" />
          <Text size="sm">
            It works once, and until <Time at={link.link_ends} />.
          </Text>
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}
