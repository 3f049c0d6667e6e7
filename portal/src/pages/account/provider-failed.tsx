/** Page for a sign-in that the provider, or the server, refused. */
import { Stack } from '@mantine/core';
import { useRouteContext } from '@tanstack/react-router';
import { ButtonLink } from '../../ui/links.tsx';
import { Failed } from '../../ui/states.tsx';
import { VisitorCard } from './visitor-card.tsx';

export function ProviderFailed() {
  const { refusal } = useRouteContext({ from: '/sign-in/return' });
  return (
    <VisitorCard title="Couldn't sign in">
      <Stack>
        <Failed error={refusal} />
        <ButtonLink to="/sign-in">Back to sign-in</ButtonLink>
      </Stack>
    </VisitorCard>
  );
}
