/** Lists the rule changes that can be undone, each with an Undo button, and shows how many offers are still to be re-reviewed. */
import { Button, Progress, Stack, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { LIMITS } from '#domain/limits.ts';
import { api, ask } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { countOf } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { callName } from './act-names.ts';
import { ImpactDialog, type RuleChange } from './impact-dialog.tsx';

type Change = components['schemas']['ListRuleChangesAnswer']['changes'][number];

const { rule_change_undo_days: DAYS } = LIMITS;
const RUNNING_MS = 2_000;
const IDLE_MS = 15_000;
const CHANGES_PER_PAGE = 50;

export const ruleChangesQuery = queryOptions({
  queryKey: ['rule-changes'],
  queryFn: () => ask(api.GET('/rule-changes')),
  refetchInterval: ({ state }) => (state.data?.offers_left ? RUNNING_MS : IDLE_MS),
});

export function RecentChanges() {
  const changes = useQuery(ruleChangesQuery);
  const [undoing, setUndoing] = useState<RuleChange>();
  const [shownMax, setShownMax] = useState(CHANGES_PER_PAGE);
  return (
    <Panel
      title="Recent changes"
      about={`Policies, placeholders, taxonomy and catalog. You can undo a change for ${DAYS} days, and only the last ${LIMITS.rule_changes_max} changes.`}
    >
      <ImpactDialog change={undoing} close={() => setUndoing(undefined)} />
      <QueryView query={changes} what="recent changes">
        {({ changes: undoable, offers_left: left }) => (
          <Stack>
            <ReviewProgress left={left} />
            {undoable.length === 0 ? (
              <Empty title={`No changes in the last ${DAYS} days`} />
            ) : (
              <ChangeTable changes={undoable.slice(0, shownMax)} undo={(change) => setUndoing(undoOf(change))} />
            )}
            <ShowMore
              list={{
                hasNextPage: undoable.length > shownMax,
                isFetchingNextPage: false,
                fetchNextPage: () => setShownMax(shownMax + CHANGES_PER_PAGE),
              }}
            />
          </Stack>
        )}
      </QueryView>
    </Panel>
  );
}

/** Shows progress relative to the largest number of offers left since the page was opened. */
export function ReviewProgress({ left }: { readonly left: number }) {
  const most = useRef(0);
  most.current = left === 0 ? 0 : Math.max(most.current, left);
  if (left === 0) return null;
  const text = `Reviewing offers: ${countOf(left, 'offer')} left`;
  return (
    <Stack gap={4} role="status">
      <Text size="sm">{text}</Text>
      <Progress value={100 - (left / most.current) * 100} animated aria-label={text} />
    </Stack>
  );
}

interface ChangeTableProps {
  readonly changes: readonly Change[];
  readonly undo: (change: Change) => void;
}

function ChangeTable({ changes, undo }: ChangeTableProps) {
  return (
    <DataTable
      minWidth={300}
      rows={changes}
      keyOf={({ id }) => String(id)}
      columns={[
        { head: 'Time', cell: ({ at }) => <Time at={at} relative />, visibleFrom: 'sm' },
        {
          head: 'Change',
          cell: ChangeText,
        },
        { head: 'Offers affected', cell: affected },
        { head: 'User', cell: ({ by }) => by, visibleFrom: 'sm' },
      ]}
      actions={(change) =>
        change.undone === null ? (
          <Button
            size="compact-sm"
            variant="subtle"
            aria-label={`Undo: ${changeName(change.act)}: ${change.subject}`}
            onClick={() => undo(change)}
          >
            Undo
          </Button>
        ) : (
          <Text size="sm" c="dimmed">
            Undone <Time at={change.undone} relative />
          </Text>
        )
      }
    />
  );
}

/** The list of changes names an undo without its call. */
function changeName(act: string): string {
  return callName(act === 'undoChange' ? 'undoRuleChange' : act);
}

export function ChangeText({ act, subject }: Pick<Change, 'act' | 'subject'>) {
  return (
    <>
      <Text size="sm">{changeName(act)}</Text>
      <Text size="sm" c="dimmed">
        {subject}
      </Text>
    </>
  );
}

function affected({ impact }: Change): string {
  if (impact === null) return 'Not counted';
  return `${impact.exact ? '' : 'About '}${countOf(impact.offers, 'offer')}`;
}

function undoOf({ id, act, subject }: Change): RuleChange {
  return {
    title: 'Undo change',
    action: 'Undo',
    about: `${changeName(act)}: ${subject}. Only this change is undone; other changes stay.`,
    send: (query) =>
      ask(api.POST('/rule-changes/{change_id}/undo', { params: { path: { change_id: String(id) }, query } })),
  };
}
