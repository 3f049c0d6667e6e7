/** Frames a merchant's pages: the navigation, and the environment switch, which is always visible. */
import { Alert, Badge, Group, SegmentedControl, VisuallyHidden } from '@mantine/core';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type Environment, usePerson } from '../api/session.ts';
import { keepEnvironment, useEnvironment } from '../ui/environment.ts';
import type { PageGroup } from './navigation.tsx';
import { useMerchantResults } from './palette-results.ts';
import { Shell } from './shell.tsx';
import { ViewingStrip } from './viewing-strip.tsx';

/** Dark enough for white text. */
const TEST_COLOR = '#9a5b00';

export function MerchantShell() {
  const person = usePerson();
  const environment = useEnvironment();
  useEffect(() => keepEnvironment(environment), [environment]);
  return (
    <Shell
      groups={pageGroups(environment, person.role === 'merchant-admin')}
      accountPath={`/${environment}/account`}
      owner={person.merchant?.name}
      isTest={environment === 'test'}
      useFound={useMerchantResults}
      findable="Page, action, SKU, title or file"
      head={
        <Group gap="sm" wrap="nowrap">
          {person.role === 'merchant-viewer' && (
            <Badge variant="light" color="gray" visibleFrom="sm">
              Viewer
            </Badge>
          )}
          <EnvironmentSwitch environment={environment} />
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

function pageGroups(environment: Environment, isAdmin: boolean): readonly PageGroup[] {
  return [
    {
      pages: [
        { label: 'Overview', path: `/${environment}/overview`, icon: 'overview', key: 'h' },
        { label: 'Offers', path: `/${environment}/offers`, icon: 'tag', key: 'o' },
        { label: 'Files', path: `/${environment}/files`, icon: 'file', key: 'f' },
      ],
    },
    {
      label: 'Account',
      pages: [
        { label: 'Developers', path: `/${environment}/api-integration`, icon: 'code', key: 'a' },
        { label: 'Settings', path: `/${environment}/settings`, icon: 'sliders', key: 's' },
        ...(isAdmin ? [{ label: 'Team', path: `/${environment}/team`, icon: 'people', key: 't' } as const] : []),
      ],
    },
  ];
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
        size="xs"
        color={environment === 'live' ? 'iris' : TEST_COLOR}
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
