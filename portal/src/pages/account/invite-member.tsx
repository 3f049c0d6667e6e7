/** Invites a member, and shows the one-time link that sets their password. */
import { Alert, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { PortalRole } from '#domain/vocabulary/portal-roles.ts';
import { api, ask } from '../../api/client.ts';
import { usePerson } from '../../api/session.ts';
import { CopyValue } from '../../ui/copy-value.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { MutationForm } from '../../ui/forms/mutation-form.tsx';
import { useFormMutation } from '../../ui/forms/use-form-mutation.ts';
import { Time } from '../../ui/time.tsx';

export const ROLE_NAMES: Readonly<Record<PortalRole, string>> = {
  'merchant-admin': 'Merchant admin',
  'merchant-viewer': 'Merchant viewer',
  operator: 'Operator',
};

interface IssuedLink {
  readonly email: string;
  readonly link: string;
  readonly link_ends: string;
}

interface InviteMemberProps {
  readonly isOpen: boolean;
  readonly close: () => void;
  /** Set when an operator invites from the page of this merchant. */
  readonly merchantId?: string;
}

export function InviteMember({ isOpen, close, merchantId }: InviteMemberProps) {
  const [link, setLink] = useState<IssuedLink>();
  return (
    <>
      <Dialog isOpen={isOpen} close={close} title="Invite member">
        <InviteForm
          merchantId={merchantId}
          close={close}
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
  readonly close: () => void;
  readonly invited: (link: IssuedLink) => void;
}

const FIELDS = ['email', 'role', 'merchant'];

function InviteForm({ merchantId, close, invited }: InviteFormProps) {
  const queryClient = useQueryClient();
  const person = usePerson();
  const isOperator = person.role === 'operator';
  const mayChooseMerchant = isOperator && merchantId === undefined;
  const form = useForm({
    initialValues: { email: '', role: 'merchant-admin' as PortalRole, merchant: merchantId ?? '' },
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
    // Do not keep the link in memory after the dialog closes.
    gcTime: 0,
  });
  const roles = Object.entries(ROLE_NAMES).filter(([role]) => mayChooseMerchant || role !== 'operator');
  return (
    <MutationForm form={form} sending={inviting} action="Invite" close={close}>
      <TextInput label="Email" type="email" required data-autofocus {...form.getInputProps('email')} />
      <Select
        label="Role"
        description="Viewers see everything except the team, and cannot make changes."
        allowDeselect={false}
        data={roles.map(([value, label]) => ({ value, label }))}
        {...form.getInputProps('role')}
      />
      {mayChooseMerchant && form.values.role !== 'operator' && (
        <TextInput label="Merchant ID" required {...form.getInputProps('merchant')} />
      )}
    </MutationForm>
  );
}

interface LinkDialogProps {
  readonly link: IssuedLink | undefined;
  readonly close: () => void;
}

export function LinkDialog({ link, close }: LinkDialogProps) {
  return (
    <Dialog
      isOpen={link !== undefined}
      close={close}
      size="lg"
      hold="secret"
      title={`Password link for ${link?.email ?? ''}`}
    >
      {link !== undefined && (
        <Stack>
          <Alert color="orange" title="Copy the link now">
            No email is sent: send the link yourself. You won't see it again. It lets its holder set the password, so
            share it only with {link.email}.
          </Alert>
          <CopyValue value={link.link} label="the link" />
          <Text size="sm">
            It works once and expires on <Time at={link.link_ends} />.
          </Text>
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}
