/** Change history of an offer: who changed which field and when, before and after; restores earlier versions. */
import { Anchor, Group, Stack, Text, Timeline } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { attributesQuery } from '../../../../api/categories.ts';
import type { Offer, OfferKey } from '../../../../api/offer.ts';
import { type Change, historyQuery } from '../../../../api/offer-versions.ts';
import { usePerson, useSession } from '../../../../api/session.ts';
import { DataTable } from '../../../../ui/data-table.tsx';
import { useEnvironment } from '../../../../ui/environment.ts';
import { TextLink } from '../../../../ui/links.tsx';
import { countText } from '../../../../ui/numbers.ts';
import { Panel } from '../../../../ui/panel.tsx';
import { ShowMore } from '../../../../ui/show-more.tsx';
import { Empty, Failed, Loading } from '../../../../ui/states.tsx';
import { Time } from '../../../../ui/time.tsx';
import { CategoryPath } from '../category-field.tsx';
import type { OfferPartProps } from '../offer-part.ts';
import { changedFields, type FieldChange, PART_NAMES, type ShownValue } from './history-fields.ts';
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
  return (
    <Stack>
      {history.isError && <Failed error={history.error} retry={() => history.fetchNextPage()} />}
      <Timeline bulletSize={14} lineWidth={2}>
        {changes.map((change) => (
          <Timeline.Item key={change.id} title={<ChangeTitle change={change} />}>
            <ChangedFields fields={changedFields(change, attributeName)} />
            {mayChange && <RestoreButton offerKey={offerKey} change={change} />}
          </Timeline.Item>
        ))}
      </Timeline>
      <ShowMore list={history} />
    </Stack>
  );
}

/** Returns attribute names from the current category. Attributes of earlier categories are shown by id. */
function useAttributeNames({ environment }: OfferKey, offer: Offer): (id: string) => string {
  const category = offer.product_type_id ?? offer.marketplace_browse_node_id;
  const { data = [] } = useQuery({
    ...attributesQuery(environment, String(category ?? '')),
    enabled: category !== undefined,
  });
  const names = new Map(data.map((attribute) => [String(attribute.attribute_id), attribute.attribute_description]));
  return (id) => names.get(id) ?? `Attribute ${id}`;
}

function ChangeTitle({ change: { part, at, by, before } }: { readonly change: Change }) {
  return (
    <Group gap="xs">
      <Text fw={600}>{part === 'sku' && before === null ? 'Offer added' : PART_NAMES[part]}</Text>
      <Time at={at} size="sm" c="dimmed" fw={400} />
      <Text size="sm" c="dimmed">
        by <AuthorLink by={by} />
      </Text>
    </Group>
  );
}

function AuthorLink({ by: { kind, name } }: Pick<Change, 'by'>) {
  const params = { environment: useEnvironment() };
  const { role } = usePerson();
  if (kind === 'file') {
    return (
      <TextLink inherit to="/$environment/files/$fileId" params={{ ...params, fileId: name }}>
        file {name}
      </TextLink>
    );
  }
  if (kind === 'key') {
    return (
      <TextLink inherit to="/$environment/api-integration" params={params}>
        API key {name}
      </TextLink>
    );
  }
  if (role !== 'merchant-admin') return name;
  return (
    <TextLink inherit to="/$environment/team" params={params}>
      {name}
    </TextLink>
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
