/** Changes page: announced rule changes, which operators postpone, bring forward, cancel or announce again, and recent changes. */
import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { LIMITS } from '#domain/limits.ts';
import { type Announced, announcedQuery } from '../../api/announced-changes.ts';
import { api, ask } from '../../api/client.ts';
import { AreaChart } from '../../ui/charts/area-chart.tsx';
import { ConfirmButton, removalLooks } from '../../ui/confirm.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { DateField } from '../../ui/forms/date-field.tsx';
import { localDate, timeOf } from '../../ui/forms/local-date.ts';
import { MutationForm } from '../../ui/forms/mutation-form.tsx';
import { useFormMutation } from '../../ui/forms/use-form-mutation.ts';
import { countOf, countText } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty } from '../../ui/states.tsx';
import { dayText, Time } from '../../ui/time.tsx';
import { ChangeText, RecentChanges } from './recent-changes.tsx';

const FAILING = [{ name: 'offers', label: 'Live offers', color: 'var(--mantine-color-iris-5)' }] as const;
const { announced_hours_min: HOURS_MIN, announced_change_retention_days: DAYS } = LIMITS;

export function ChangesPage() {
  const announced = useQuery(announcedQuery);
  return (
    <Page title="Changes" about="Changes of policies, placeholders and taxonomy that apply at a date.">
      <QueryView query={announced} what="announced changes">
        {({ changes }) => {
          const settled = changes.filter(({ state }) => state !== 'announced');
          return (
            <>
              <AnnouncedPanel changes={changes.filter(({ state }) => state === 'announced')} />
              {settled.length > 0 && <SettledPanel changes={settled} />}
            </>
          );
        }}
      </QueryView>
      <RecentChanges />
    </Page>
  );
}

interface ChangesProps {
  readonly changes: readonly Announced[];
}

function AnnouncedPanel({ changes }: ChangesProps) {
  const queryClient = useQueryClient();
  const [moving, setMoving] = useState<Announced>();
  const close = () => setMoving(undefined);
  return (
    <Panel title="Announced" about="Merchants see these changes and which of their offers would fail.">
      <Dialog isOpen={moving !== undefined} close={close} title="Change date">
        {moving && <MoveForm change={moving} close={close} />}
      </Dialog>
      {changes.length === 0 ? (
        <Empty title="No announced changes">
          To announce a change, enter a date when you change policies, placeholders or the taxonomy.
        </Empty>
      ) : (
        <DataTable
          minWidth={560}
          rows={changes}
          keyOf={({ id }) => String(id)}
          columns={[
            { head: 'Change', cell: ChangeText },
            { head: 'Applies on', cell: ({ enforced_from: at }) => <Time at={at} /> },
            { head: 'Offers no longer for sale', cell: offSale, isNumber: true },
            { head: 'Still failing', cell: (change) => <Failing {...change} />, isNumber: true },
            { head: 'User', cell: ({ by }) => by, visibleFrom: 'sm' },
          ]}
          actions={(change) => (
            <Group gap={4} justify="flex-end" wrap="nowrap">
              <Button
                size="compact-sm"
                variant="subtle"
                aria-label={`Change date of ${change.subject}`}
                onClick={() => setMoving(change)}
              >
                Change date
              </Button>
              <ConfirmButton
                label="Cancel"
                button={removalLooks(change.subject, 'Cancel')}
                title="Cancel change"
                action="Cancel change"
                dismiss="Keep"
                run={() =>
                  ask(
                    api.POST('/announced-changes/{change_id}/cancel', {
                      params: { path: { change_id: String(change.id) } },
                    }),
                  )
                }
                done={() => queryClient.invalidateQueries({ queryKey: announcedQuery.queryKey })}
              >
                {change.subject}: this change will not apply. Merchants no longer see it.
              </ConfirmButton>
            </Group>
          )}
        />
      )}
    </Panel>
  );
}

/** The latest count, which opens the curve. */
function Failing({ subject, failing }: Announced) {
  const [isOpen, { open, close }] = useDisclosure();
  const last = failing.at(-1);
  if (last === undefined) return 'Not counted yet';
  return (
    <>
      <Anchor component="button" inherit onClick={open} aria-label={`Offers still failing: ${subject}`}>
        {countText(last.offers)}
      </Anchor>
      <Dialog isOpen={isOpen} close={close} title="Offers still failing">
        <Stack>
          <Text>{subject}</Text>
          <Text size="sm" c="dimmed">
            {countOf(last.offers, 'live offer')} on {dayText(last.at)}, {countText(failing[0]?.offers ?? 0)} on{' '}
            {dayText(failing[0]?.at ?? last.at)}. Counted once a day.
          </Text>
          {failing.length > 1 && <AreaChart points={failing} series={FAILING} timeText={dayText} />}
        </Stack>
      </Dialog>
    </>
  );
}

function offSale({ impact }: Announced): string {
  if (impact === null) return 'Not counted';
  return `${impact.exact ? '' : 'About '}${countText(impact.off_sale)}`;
}

interface MoveFormProps {
  readonly change: Announced;
  readonly close: () => void;
}

function MoveForm({ change: { id, subject, enforced_from: before }, close }: MoveFormProps) {
  const queryClient = useQueryClient();
  const form = useForm({ initialValues: { enforced_from: localDate(before) } });
  const moving = useFormMutation({
    form,
    fields: ['enforced_from'],
    mutationFn: ({ enforced_from: text }: { enforced_from: string }) =>
      ask(
        api.PUT('/announced-changes/{change_id}/date', {
          params: { path: { change_id: String(id) }, query: { enforced_from: timeOf(text) ?? '' } },
        }),
      ),
    onSuccess: async () => {
      notifications.show({ message: 'Date changed.', color: 'green' });
      close();
      await queryClient.invalidateQueries({ queryKey: announcedQuery.queryKey });
    },
  });
  return (
    <MutationForm form={form} sending={moving} action="Change date" close={close}>
      <Text>{subject}</Text>
      <DateField
        label="Applies on"
        description={`In your time zone, at least ${HOURS_MIN} hour ahead.`}
        required
        {...form.getInputProps('enforced_from')}
      />
    </MutationForm>
  );
}

function SettledPanel({ changes }: ChangesProps) {
  const queryClient = useQueryClient();
  return (
    <Panel title="Applied and cancelled" about={`Announced changes of the last ${DAYS} days.`}>
      <DataTable
        minWidth={300}
        rows={changes}
        keyOf={({ id }) => String(id)}
        columns={[
          { head: 'Change', cell: ChangeText },
          {
            head: 'Result',
            cell: ({ state, settled }) => (
              <>
                {state === 'applied' ? 'Applied' : 'Cancelled'} <Time at={settled} />
              </>
            ),
          },
          { head: 'Cancelled by', cell: ({ settled_by: by }) => by, visibleFrom: 'sm' },
        ]}
        actions={({ id, subject, enforced_from: at, restorable }) =>
          restorable && (
            <ConfirmButton
              label="Announce again"
              button={{ size: 'compact-sm', variant: 'subtle', 'aria-label': `Announce ${subject} again` }}
              title="Announce change again"
              action="Announce again"
              isHarmless
              run={() =>
                ask(api.POST('/announced-changes/{change_id}/restore', { params: { path: { change_id: String(id) } } }))
              }
              done={() => queryClient.invalidateQueries({ queryKey: announcedQuery.queryKey })}
            >
              {subject}: this change will apply on <Time at={at} />. Merchants see it again.
            </ConfirmButton>
          )
        }
      />
    </Panel>
  );
}
