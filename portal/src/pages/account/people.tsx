/** The page of portal users: those of the merchant, or, for operators, of all. */
import { Button, Card } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { api, ask } from '../../api/client.ts';
import { useMayChange } from '../../api/session.ts';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { InvitePerson } from './invite-person.tsx';
import { UserTable } from './user-table.tsx';

export function PeoplePage() {
  const users = useQuery({ queryKey: ['users'], queryFn: () => ask(api.GET('/users')) });
  const mayChange = useMayChange();
  const [isInviting, { open, close }] = useDisclosure();
  return (
    <Page
      title="People"
      about="Who may sign in to the portal. No mail is sent: hand the link over yourself."
      actions={mayChange && <Button onClick={open}>Invite a person</Button>}
    >
      <InvitePerson isOpen={isInviting} close={close} />
      <Card withBorder>
        <QueryView query={users} what="list of people">
          {({ users: shown }) => <UserTable users={shown} />}
        </QueryView>
      </Card>
    </Page>
  );
}
