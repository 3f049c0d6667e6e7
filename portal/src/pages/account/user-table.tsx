/** Table of portal users, with role changes, password reset and removal. */
import { Badge, Button, Menu, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MerchantRole } from '#domain/vocabulary/portal-roles.ts';
import { api, ask } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useMayChange, usePerson, useSession } from '../../api/session.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { countOf } from '../../ui/numbers.ts';
import { Failed } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { LinkDialog, ROLE_NAMES } from './invite-member.tsx';

type User = components['schemas']['ListUsersAnswer']['users'][number];
type Link = components['schemas']['ResetUserAnswer'];

const OTHER_ROLE: Readonly<Record<MerchantRole, MerchantRole>> = {
  'merchant-admin': 'merchant-viewer',
  'merchant-viewer': 'merchant-admin',
};

export function UserTable({ users }: { readonly users: readonly User[] }) {
  const person = usePerson();
  const { sign_in_provider } = useSession();
  const isOperator = person.role === 'operator';
  const mayChange = useMayChange();
  const queryClient = useQueryClient();
  const [link, setLink] = useState<Link>();
  const [removed, setRemoved] = useState<string>();
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['users'] });
  const resetting = useMutation({
    mutationFn: (email: string) => ask(api.POST('/users/{email}/reset', { params: { path: { email } } })),
    onSuccess: async (made) => {
      setLink(made);
      await refresh();
    },
    // Do not keep the link in memory after the dialog closes.
    gcTime: 0,
  });
  const removing = useMutation({
    mutationFn: (email: string) => ask(api.DELETE('/users/{email}', { params: { path: { email } } })),
    onSuccess: async () => {
      setRemoved(undefined);
      await refresh();
    },
  });
  const changing = useMutation({
    mutationFn: ({ email, role }: { email: string; role: MerchantRole }) =>
      ask(api.PUT('/users/{email}', { params: { path: { email } }, body: { role } })),
    onSuccess: async (_answer, { email, role }) => {
      await refresh();
      notifications.show({ message: `The role of ${email} is now ${ROLE_NAMES[role]}.`, color: 'green' });
    },
  });
  return (
    <>
      <LinkDialog link={link} close={() => setLink(undefined)} />
      <Confirm
        isOpen={removed !== undefined}
        close={() => setRemoved(undefined)}
        title={`Remove ${removed}`}
        action="Remove"
        isPending={removing.isPending}
        error={removing.error}
        confirm={() => removed && removing.mutate(removed)}
      >
        This user is signed out immediately. The history keeps their changes, with their email address.
      </Confirm>
      {resetting.isError && <Failed error={resetting.error} />}
      {changing.isError && <Failed error={changing.error} />}
      <DataTable
        minWidth={560}
        verticalSpacing="sm"
        rows={users}
        keyOf={({ email }) => email}
        columns={[
          {
            head: 'Email',
            cell: ({ email }) => (
              <>
                {email}{' '}
                {email === person.email && (
                  <Badge variant="default" tt="none">
                    you
                  </Badge>
                )}
              </>
            ),
          },
          { head: 'Role', cell: ({ role }) => ROLE_NAMES[role] },
          isOperator && { head: 'Merchant', cell: ({ merchant_id }) => merchant_id },
          {
            head: 'Last sign-in',
            cell: ({ last_sign_in, of_provider, invited_until, passkeys }) => (
              <>
                <Time at={last_sign_in} relative />
                {of_provider && (
                  <Text size="xs" c="dimmed">
                    Signs in with {sign_in_provider ?? 'a provider that is turned off'}
                  </Text>
                )}
                {passkeys > 0 && (
                  <Text size="xs" c="dimmed">
                    {countOf(passkeys, 'passkey')}
                  </Text>
                )}
                {invited_until !== null && (
                  <Text size="xs" c="dimmed">
                    Invite expires <Time at={invited_until} />
                  </Text>
                )}
              </>
            ),
          },
        ]}
        actions={
          mayChange &&
          (({ email, role, of_provider }) => (
            <Menu position="bottom-end">
              <Menu.Target>
                <Button size="compact-sm" variant="subtle" aria-label={`Edit ${email}`}>
                  Edit
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {role !== 'operator' && !of_provider && (
                  <Menu.Item
                    disabled={email === person.email || changing.isPending}
                    onClick={() => changing.mutate({ email, role: OTHER_ROLE[role] })}
                  >
                    Make {ROLE_NAMES[OTHER_ROLE[role]].toLowerCase()}
                  </Menu.Item>
                )}
                {!of_provider && <Menu.Item onClick={() => resetting.mutate(email)}>Reset password</Menu.Item>}
                <Menu.Item
                  color="red"
                  disabled={email === person.email}
                  onClick={() => {
                    removing.reset();
                    setRemoved(email);
                  }}
                >
                  Remove
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          ))
        }
      />
    </>
  );
}
