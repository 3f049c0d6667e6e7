/** Lists the plans of programs, if there are any. */
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { plansQuery } from '../../../api/files.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { useEnvironment } from '../../../ui/environment.ts';
import { TextLink } from '../../../ui/links.tsx';
import { countOf } from '../../../ui/numbers.ts';
import { Panel } from '../../../ui/panel.tsx';
import { Time } from '../../../ui/time.tsx';
import { STATE_NAMES } from './plan-states.ts';

const SHOWN = 20;

export function PlansPanel() {
  const environment = useEnvironment();
  const { data } = useQuery(plansQuery(environment));
  const plans = data?.plans ?? [];
  if (plans.length === 0) return null;
  return (
    <Panel title="Plans of your programs">
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          Changes to many offers that a program has prepared. Plans beyond the limits of their API key wait for
          approval.
        </Text>
        <DataTable
          minWidth={480}
          verticalSpacing="sm"
          rows={plans.slice(0, SHOWN)}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Made',
              cell: ({ id, created }) => (
                <TextLink to="/$environment/plans/$planId" params={{ environment, planId: id }}>
                  <Time at={created} relative />
                </TextLink>
              ),
            },
            { head: 'By', cell: ({ by }) => by.name, td: { className: 'anywhere' } },
            { head: 'Changes', cell: ({ totals }) => countOf(totals.offers, 'offer') },
            { head: 'Status', cell: ({ state }) => STATE_NAMES[state] },
          ]}
        />
      </Stack>
    </Panel>
  );
}
