/** Page for users whose password alone is not enough: they add their first passkey, or confirm with one. */
import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { confirmWithPasskey, signOut, useHasPasskeys, useSession } from '../api/session.ts';
import { PasskeyButton } from '../pages/account/passkey-button.tsx';
import { NewPasskeyForm } from '../pages/account/passkeys-panel.tsx';
import { isOwnPage } from '../pages/account/sign-in.tsx';
import { VisitorCard } from '../pages/account/visitor-card.tsx';
import { Failed } from '../ui/states.tsx';
import { toSignIn } from './to-sign-in.ts';

export function PasskeyDuePage() {
  const { person } = useSession();
  const hasPasskeys = useHasPasskeys();
  const queryClient = useQueryClient();
  const router = useRouter();
  const { to } = useSearch({ from: '/passkey' });
  const leaving = useMutation({
    mutationFn: signOut,
    onSuccess: () => toSignIn(router, queryClient, 'signed-out'),
  });
  const goOn = () => router.navigate({ href: isOwnPage(to) ? to : '/', replace: true });
  const confirm = async () => {
    await confirmWithPasskey(queryClient, person?.email ?? '');
    await goOn();
  };
  const isFirst = person?.passkeys === undefined;
  return (
    <VisitorCard title={isFirst ? 'Add a passkey' : 'Confirm with your passkey'} about={person?.email}>
      <Stack>
        {!hasPasskeys && <Text>This browser cannot use passkeys at this address. Use another browser.</Text>}
        {hasPasskeys && isFirst && (
          <>
            <Text>Your account needs a passkey in addition to the password.</Text>
            <NewPasskeyForm added={goOn} />
          </>
        )}
        {hasPasskeys && !isFirst && <PasskeyButton ask={confirm}>Use your passkey</PasskeyButton>}
        {leaving.isError && <Failed error={leaving.error} />}
        <Button variant="subtle" loading={leaving.isPending} onClick={() => leaving.mutate()}>
          Sign out
        </Button>
      </Stack>
    </VisitorCard>
  );
}
