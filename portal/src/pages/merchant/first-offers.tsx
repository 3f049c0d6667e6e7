/** Shown to a merchant without offers: the two ways to add some. */
import { Group } from '@mantine/core';
import { useEnvironment } from '../../ui/environment.ts';
import { TextLink } from '../../ui/links.tsx';
import { Empty } from '../../ui/states.tsx';

export function FirstOffers() {
  const environment = useEnvironment();
  return (
    <Empty
      title="No offers yet"
      action={
        <Group>
          <TextLink to="/$environment/api-integration" params={{ environment }}>
            Connect via API
          </TextLink>
          <TextLink to="/$environment/files" params={{ environment }}>
            Upload a file
          </TextLink>
        </Group>
      }
    >
      Your offers appear here after you upload them.
    </Empty>
  );
}
