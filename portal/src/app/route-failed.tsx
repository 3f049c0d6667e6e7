/** Shown instead of a page that failed to load or threw an error. */
import { Container } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { Failed } from '../ui/states.tsx';

/** A retry reloads the route's data before it renders the page. */
export function RouteFailed({ error }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <Container py="xl">
      <Failed error={error} retry={() => void router.invalidate()} />
    </Container>
  );
}
