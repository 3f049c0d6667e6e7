/** In charge of pages that could not be opened, or broke. */
import { Container } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { Failed } from '../ui/states.tsx';

/** Trying again asks anew for what the page needs before it is shown. */
export function RouteFailed({ error }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <Container py="xl">
      <Failed error={error} retry={() => void router.invalidate()} />
    </Container>
  );
}
