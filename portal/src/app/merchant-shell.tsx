/** Frames a merchant's pages: the navigation, and the environment switch, which is always visible. */
import { Alert, Badge, Group, SegmentedControl, Text, VisuallyHidden } from '@mantine/core';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type Environment, usePerson } from '../api/session.ts';
import { keepEnvironment, useEnvironment } from '../ui/environment.ts';
import { Shell } from './shell.tsx';
import { ViewingStrip } from './viewing-strip.tsx';

/** Dark enough for white text. */
const TEST_COLOUR = '#b54708';

export function MerchantShell() {
  const person = usePerson();
  const environment = useEnvironment();
  useEffect(() => keepEnvironment(environment), [environment]);
  const pages = [
    { label: 'Overview', path: `/${environment}/overview` },
    { label: 'Offers', path: `/${environment}/offers` },
    { label: 'Files', path: `/${environment}/files` },
    { label: 'API integration', path: `/${environment}/api-integration` },
    { label: 'Settings', path: `/${environment}/settings` },
    ...(person.role === 'merchant-admin' ? [{ label: 'Team', path: `/${environment}/team` }] : []),
  ];
  return (
    <Shell
      pages={pages}
      accountPath={`/${environment}/account`}
      head={
        <Group gap="sm" wrap="nowrap">
          <Text visibleFrom="sm" truncate maw={220}>
            {person.merchant?.name}
          </Text>
          <EnvironmentSwitch environment={environment} />
          {person.role === 'merchant-viewer' && (
            <Badge variant="light" color="gray" visibleFrom="sm">
              Viewer
            </Badge>
          )}
        </Group>
      }
      notice={
        <>
          {person.viewing && <ViewingStrip />}
          {person.merchant?.suspended === true && (
            <Alert color="red" mb="md" title="The marketplace has suspended this merchant">
              Your offers are not for sale and you cannot change anything. Contact the marketplace.
            </Alert>
          )}
        </>
      }
    />
  );
}

/** Opens the same page in the other environment. An offer or file may exist in one only, so its list opens instead. */
function EnvironmentSwitch({ environment }: { readonly environment: Environment }) {
  const navigate = useNavigate();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const page = path.split('/')[2] ?? 'overview';
  return (
    <>
      <VisuallyHidden id="environment-label">Environment</VisuallyHidden>
      <SegmentedControl
        aria-labelledby="environment-label"
        size="sm"
        color={environment === 'live' ? 'pine' : TEST_COLOUR}
        value={environment}
        onChange={(next) => navigate({ to: `/${next}/${page}` })}
        data={[
          { value: 'test', label: 'Test' },
          { value: 'live', label: 'Live' },
        ]}
      />
    </>
  );
}
