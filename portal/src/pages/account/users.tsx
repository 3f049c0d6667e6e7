/** Lists the portal users of the merchant, or all users for operators. */
import { Button, Card } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { api, ask } from '../../api/client.ts';
import { useMayChange, usePerson } from '../../api/session.ts';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { InviteMember } from './invite-member.tsx';
import { UserTable } from './user-table.tsx';

export function UsersPage() {
  const users = useQuery({ queryKey: ['users'], queryFn: () => ask(api.GET('/users')) });
  const mayChange = useMayChange();
  const isOperator = usePerson().role === 'operator';
  const [isInviting, { open, close }] = useDisclosure();
  return (
    <Page
      title={isOperator ? 'Users' : 'Team'}
      about="The people who can sign in to the portal. The portal sends no email: share the invite link yourself."
      actions={mayChange && <Button onClick={open}>Invite member</Button>}
    >
      <InviteMember isOpen={isInviting} close={close} />
      <Card withBorder>
        <QueryView query={users} what="users">
          {({ users: shown }) => <UserTable users={shown} />}
        </QueryView>
      </Card>
    </Page>
  );
}
