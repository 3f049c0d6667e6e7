/** Change history of an offer: who changed which field and when, before and after; restores earlier versions. */
import { Anchor, Box, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { fileQuery } from '../../../../api/files.ts';
import type { Offer } from '../../../../api/offer.ts';
import { type Change, historyQuery } from '../../../../api/offer-versions.ts';
import { usePerson, useSession } from '../../../../api/session.ts';
import { DataTable } from '../../../../ui/data-table.tsx';
import { useEnvironment } from '../../../../ui/environment.ts';
import { TextLink } from '../../../../ui/links.tsx';
import { countText } from '../../../../ui/numbers.ts';
import { Panel } from '../../../../ui/panel.tsx';
import { ShowMore } from '../../../../ui/show-more.tsx';
import { Empty, Failed, Loading } from '../../../../ui/states.tsx';
import { clockText, dayText, exactText } from '../../../../ui/time.tsx';
import { CategoryPath } from '../category-field.tsx';
import type { OfferPartProps } from '../offer-part.ts';
import { useAttributeNames } from './attribute-names.ts';
import { changedFields, PART_NAMES } from './history-fields.ts';
import { type FieldChange, lineOf, type ShownValue } from './history-line.ts';
import { RestoreButton } from './restore-version.tsx';

/** A first upload has dozens of fields. */
const FIELDS_SHOWN = 8;

interface HistoryProps extends OfferPartProps {
  readonly offer: Offer;
}

export function HistoryPanel(props: HistoryProps) {
  const days = useSession().limits.history_days;
  if (days === 0) {
    return (
      <Panel title="History">
        <Empty title="History is turned off">The marketplace does not record changes.</Empty>
      </Panel>
    );
  }
  const span = days === 1 ? 'last day' : `last ${countText(days)} days`;
  return (
    <Panel title={`History for the ${span}`}>
      <HistoryList {...props} span={span} />
    </Panel>
  );
}

function HistoryList({ offerKey, offer, mayChange, span }: HistoryProps & { readonly span: string }) {
  const history = useInfiniteQuery(historyQuery(offerKey));
  const attributeName = useAttributeNames(offerKey, offer);
  if (history.isPending) return <Loading what="history" />;
  if (history.data === undefined) return <Failed error={history.error} retry={() => history.refetch()} />;
  const changes = history.data.pages.flatMap((page) => page.changes);
  if (changes.length === 0) return <Empty title={`No changes in the ${span}`} />;
  const days = Map.groupBy(changes, ({ at }) => dayText(at));
  return (
    <Stack>
      {history.isError && <Failed error={history.error} retry={() => history.fetchNextPage()} />}
      {[...days].map(([day, ofDay]) => (
        <Stack key={day} gap={0} component="section" aria-label={day}>
          <Text size="sm" fw={600} c="dimmed" mb={4}>
            {day}
          </Text>
          {ofDay.map((change) => (
            <ChangeRow
              key={change.id}
              change={change}
              fields={changedFields(change, attributeName)}
              restore={mayChange && <RestoreButton offerKey={offerKey} change={change} />}
            />
          ))}
        </Stack>
      ))}
      <ShowMore list={history} />
    </Stack>
  );
}

interface ChangeRowProps {
  readonly change: Change;
  readonly fields: readonly FieldChange[];
  readonly restore: ReactNode;
}

/** One line; the values that do not fit are shown on request. */
function ChangeRow({ change, fields, restore }: ChangeRowProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { text, isComplete } = lineOf(change, fields, PART_NAMES[change.part]);
  return (
    <Box py="xs" style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
        <Text size="sm" className="anywhere" miw={0}>
          <Text span inherit fw={600}>
            {text}
          </Text>{' '}
          <Text span inherit c="dimmed">
            <AuthorLink by={change.by} /> at{' '}
            <time dateTime={change.at} title={exactText(change.at)}>
              {clockText(change.at)}
            </time>
          </Text>
          {!isComplete && (
            <>
              {' '}
              <Anchor
                component="button"
                type="button"
                inherit
                aria-expanded={isOpen}
                aria-label={`${isOpen ? 'Hide' : 'Show'} values: ${text}`}
                onClick={() => setIsOpen(!isOpen)}
              >
                {isOpen ? 'Hide values' : 'Show values'}
              </Anchor>
            </>
          )}
        </Text>
        {restore}
      </Group>
      {isOpen && <ChangedFields fields={fields} />}
    </Box>
  );
}

function AuthorLink({ by: { kind, name } }: Pick<Change, 'by'>) {
  const params = { environment: useEnvironment() };
  const { role } = usePerson();
  if (kind === 'file') return <FileLink fileId={name} />;
  if (kind === 'key') {
    return (
      <>
        by{' '}
        <TextLink inherit to="/$environment/api-integration" params={params}>
          API key {name}
        </TextLink>
      </>
    );
  }
  if (role !== 'merchant-admin') return `by ${name}`;
  return (
    <>
      by{' '}
      <TextLink inherit to="/$environment/team" params={params}>
        {name}
      </TextLink>
    </>
  );
}

/** The record of a file is deleted before the changes that the file made. */
function FileLink({ fileId }: { readonly fileId: string }) {
  const environment = useEnvironment();
  const { data, isError } = useQuery({ ...fileQuery(environment, fileId), retry: false });
  if (isError) return 'from a deleted file';
  return (
    <>
      from{' '}
      <TextLink inherit to="/$environment/files/$fileId" params={{ environment, fileId }}>
        {data?.file_name ?? 'a file'}
      </TextLink>
    </>
  );
}

function ChangedFields({ fields }: { readonly fields: readonly FieldChange[] }) {
  const [isWhole, setIsWhole] = useState(fields.length <= FIELDS_SHOWN);
  return (
    <>
      <DataTable
        minWidth={320}
        fz="sm"
        mt={4}
        verticalSpacing={4}
        layout="fixed"
        rows={isWhole ? fields : fields.slice(0, FIELDS_SHOWN)}
        keyOf={({ label }) => label}
        columns={[
          { head: 'Field', cell: ({ label }) => label, th: { w: '28%' }, td: { c: 'dimmed' } },
          { head: 'Before', cell: ({ before }) => <Value value={before} /> },
          { head: 'After', cell: ({ after }) => <Value value={after} /> },
        ]}
      />
      {!isWhole && (
        <Anchor component="button" type="button" size="sm" mr="md" onClick={() => setIsWhole(true)}>
          Show all {countText(fields.length)} fields
        </Anchor>
      )}
    </>
  );
}

function Value({ value }: { readonly value: ShownValue }) {
  if (value === null) {
    return (
      <Text size="sm" c="dimmed">
        —
      </Text>
    );
  }
  if (typeof value === 'object') return <CategoryPath id={value.category} />;
  return (
    <Text size="sm" className="anywhere" style={{ whiteSpace: 'pre-line' }}>
      {value}
    </Text>
  );
}
