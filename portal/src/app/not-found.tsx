/** In charge of addresses at which there is no page. */
import { Container, Group } from '@mantine/core';
import { ButtonLink } from '../ui/links.tsx';
import { Page } from '../ui/page.tsx';

export function NotFound() {
  return (
    <Container py="xl">
      <Page title="There is no such page" about="The address may be mistyped, or what it named is gone.">
        <Group>
          <ButtonLink to="/" variant="light">
            To the first page
          </ButtonLink>
        </Group>
      </Page>
    </Container>
  );
}
