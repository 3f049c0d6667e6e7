/** Shown for a URL that has no page. */
import { Container, Group } from '@mantine/core';
import { ButtonLink } from '../ui/links.tsx';
import { Page } from '../ui/page.tsx';

export function NotFound() {
  return (
    <Container py="xl">
      <Page title="Page not found" about="Check the URL. The page may have been removed.">
        <Group>
          <ButtonLink to="/" variant="light">
            Go to home
          </ButtonLink>
        </Group>
      </Page>
    </Container>
  );
}
