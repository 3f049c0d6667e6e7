/** Page of a plan: what a program wants to change, as a table, with buttons to approve or refuse it. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { decidePlan, planQuery, type WholePlan } from '../../../api/files.ts';
import { useMayChange } from '../../../api/session.ts';
import { ConfirmButton } from '../../../ui/confirm.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { useEnvironment, useStatusContext } from '../../../ui/environment.ts';
import { fieldLabel } from '../../../ui/forms/page-words.ts';
import { problemText } from '../../../ui/forms/problem-text.ts';
import { shortText } from '../../../ui/forms/value-text.ts';
import { ButtonLink, TextLink } from '../../../ui/links.tsx';
import { countOf, decimalText, priceText } from '../../../ui/numbers.ts';
import { Page } from '../../../ui/page.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { OfferStatus } from '../../../ui/status-badge.tsx';
import { Time } from '../../../ui/time.tsx';
import { LIMIT_NAMES, STATE_NAMES } from './plan-states.ts';

type PlannedOffer = WholePlan['offers'][number];

/** Rows that are shown at first. */
const SHOWN = 100;

export function PlanPage() {
  const environment = useEnvironment();
  const { planId } = useParams({ from: '/$environment/plans/$planId' });
  const plan = useQuery(planQuery(environment, planId));
  return (
    <Page title="Plan" about="Changes to many offers that a program has prepared.">
      <QueryView query={plan} what="plan">
        {(shown) => <PlanView plan={shown} key={shown.id} />}
      </QueryView>
    </Page>
  );
}

function PlanView({ plan }: { readonly plan: WholePlan }) {
  const environment = useEnvironment();
  const { state, by, created, expires, totals, file, needs_approval: exceeded, decided_by: decidedBy } = plan;
  const largest = totals.price_change_percent_max;
  return (
    <Stack>
      <Panel title={STATE_NAMES[state]}>
        <Text>
          Made by {by.name} <Time at={created} relative />. Changes {countOf(totals.offers, 'offer')};{' '}
          {countOf(totals.unchanged, 'offer')} unchanged, {totals.refused} refused, {totals.skipped} skipped.
          {largest !== null && ` The largest price change is ${decimalText(largest)}%.`}
          {totals.price_min !== null && ` The lowest new price is ${priceText(totals.price_min)}.`}
        </Text>
        {(state === 'planned' || state === 'awaiting_approval') && (
          <Text>
            It can be applied until <Time at={expires} />.
          </Text>
        )}
        {decidedBy !== null && <Text>Decided by {decidedBy}.</Text>}
        {state === 'awaiting_approval' && (
          <Alert color="yellow" title="This plan needs an approval">
            It exceeds the limits of its API key: {exceeded.map((reason) => LIMIT_NAMES[reason]).join('; ')}.
          </Alert>
        )}
        <Group>
          <Decisions plan={plan} />
          {file !== undefined && (
            <ButtonLink to="/$environment/files/$fileId" params={{ environment, fileId: plan.id }} variant="default">
              Open the file that applies it
            </ButtonLink>
          )}
        </Group>
      </Panel>
      <Panel title="Offers">
        <OfferTable offers={plan.offers} />
      </Panel>
    </Stack>
  );
}

function Decisions({ plan: { id, state, decided_by: decidedBy } }: { readonly plan: WholePlan }) {
  const environment = useEnvironment();
  const queryClient = useQueryClient();
  const mayChange = useMayChange();
  const isOpen = decidedBy === null && (state === 'planned' || state === 'awaiting_approval');
  if (!mayChange || !isOpen) return null;
  const done = () => queryClient.invalidateQueries({ queryKey: ['plans', environment] });
  return (
    <>
      <ConfirmButton
        title="Approve this plan?"
        action="Approve"
        isHarmless
        run={() => decidePlan(environment, id, 'approve')}
        done={done}
      >
        The program can then apply it, exactly as shown here. You can undo it afterwards.
      </ConfirmButton>
      <ConfirmButton
        title="Refuse this plan?"
        action="Refuse"
        run={() => decidePlan(environment, id, 'refuse')}
        done={done}
      >
        The program can then no longer apply it.
      </ConfirmButton>
    </>
  );
}

function OfferTable({ offers }: { readonly offers: readonly PlannedOffer[] }) {
  const environment = useEnvironment();
  const context = useStatusContext();
  const [shown, setShown] = useState(SHOWN);
  return (
    <Stack>
      <DataTable
        minWidth={640}
        verticalSpacing="sm"
        rows={offers.slice(0, shown)}
        keyOf={({ merchant_sku: sku }) => sku}
        columns={[
          {
            head: 'SKU',
            cell: ({ merchant_sku: sku }) => (
              <TextLink to="/$environment/offers/$sku" params={{ environment, sku }}>
                {sku}
              </TextLink>
            ),
            td: { className: 'anywhere' },
          },
          { head: 'Change', cell: (offer) => <Changes offer={offer} />, td: { className: 'anywhere' } },
          { head: 'Status after', cell: ({ status }) => status && <OfferStatus status={status} context={context} /> },
          { head: 'Rank after', cell: ({ position }) => position?.rank ?? '', isNumber: true },
        ]}
      />
      {shown < offers.length && (
        <Button variant="default" onClick={() => setShown(shown + SHOWN)}>
          Show more
        </Button>
      )}
    </Stack>
  );
}

function Changes({ offer: { accepted, problems, changes } }: { readonly offer: PlannedOffer }) {
  if (!accepted) {
    return <Text c="red">{problems.map(problemText).join(' ')}</Text>;
  }
  if (changes.length === 0) return <Text c="dimmed">No change</Text>;
  return changes.map(({ pointer, before, after }) => {
    const [, part, name = ''] = pointer.split('/');
    const isStock = part === 'inventory';
    const label = isStock
      ? `Quantity at ${name.replaceAll('~1', '/').replaceAll('~0', '~')}`
      : fieldLabel(name || part || '');
    const [from, to] = [before, after].map((value) => shortText(isStock ? 'quantity' : name, value));
    return (
      <Text key={pointer} size="sm">
        {label}: {from} → {to}
      </Text>
    );
  });
}
