/** Request log of the Developers page: filters, the last requests, and the switch for bodies. */
import { Button, Code, Group, Paper, Select, Stack, Switch, Text } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { REQUEST_RESULTS, type RequestResult } from '#domain/vocabulary/request-results.ts';
import { keysQuery, MERCHANT_KEYS } from '../../api/account-settings.ts';
import { api, ask } from '../../api/client.ts';
import { type LoggedRequest, type RequestFilters, requestLogQuery } from '../../api/request-log.ts';
import type { components } from '../../api/schema.d.ts';
import { useMayChange } from '../../api/session.ts';
import { CardList, useIsPhone } from '../../ui/card-list.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { useEnvironment } from '../../ui/environment.ts';
import { withCurrent } from '../../ui/forms/choices.ts';
import { SearchField } from '../../ui/forms/search-field.tsx';
import { ButtonLink, TextLink } from '../../ui/links.tsx';
import { countOf, countText, millisecondsText } from '../../ui/numbers.ts';
import { ShowMore } from '../../ui/show-more.tsx';
import { Empty, Failed, Loading } from '../../ui/states.tsx';
import { RequestStatus } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';

type Log = components['schemas']['ListRequestsAnswer'];

interface RequestLogProps {
  readonly filters: RequestFilters;
  /** With `replace`, the change is a step of typing that Back does not return to. */
  readonly change: (next: RequestFilters, replace?: boolean) => void;
}

export function RequestLog({ filters, change }: RequestLogProps) {
  const environment = useEnvironment();
  const log = useInfiniteQuery({ ...requestLogQuery(environment, filters), placeholderData: keepPreviousData });
  const nameOfKey = useKeyNames();
  if (log.isPending) return <Loading what="request log" />;
  const [newest] = log.data?.pages ?? [];
  if (newest === undefined) return <Failed error={log.error} retry={() => log.refetch()} />;
  const requests = log.data?.pages.flatMap((page) => page.requests) ?? [];
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Stack gap="sm">
      <FilterBar filters={filters} change={change} log={newest} nameOfKey={nameOfKey} />
      {log.isError && <Failed error={log.error} retry={() => log.refetch()} />}
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" role="status">
          {recordedText(newest)}
        </Text>
        <Button variant="default" size="xs" loading={log.isRefetching} onClick={() => log.refetch()}>
          Refresh
        </Button>
      </Group>
      {requests.length === 0 ? (
        <NoRequests isFiltered={isFiltered} clear={() => change({})} />
      ) : (
        <RequestList requests={requests} nameOfKey={nameOfKey} />
      )}
      <ShowMore list={log} />
      <KeepBodies log={newest} />
    </Stack>
  );
}

/** Shows the ID of revoked keys, which have no name any more. */
export function useKeyNames(): (user: string | null) => string {
  const { data } = useQuery(keysQuery(MERCHANT_KEYS, useEnvironment()));
  return (user) => {
    if (user === null) return 'Signed URL';
    return data?.keys.find((key) => key.user === user)?.name || user;
  };
}

function recordedText({ recorded, unrecorded, limits }: Log): string {
  const kept = `${countOf(recorded, 'request')}. The log keeps up to ${countText(limits.requests)} requests for ${limits.days} days.`;
  if (unrecorded === 0) return kept;
  const left = countOf(unrecorded, 'request was', 'requests were');
  return `${kept} ${left} not recorded: at high rates, the log leaves out successful ones.`;
}

interface FilterBarProps extends RequestLogProps {
  readonly log: Log;
  readonly nameOfKey: (user: string) => string;
}

const RESULT_NAMES: Readonly<Record<RequestResult, string>> = {
  succeeded: 'Succeeded',
  failed: 'Failed',
  '4xx': '4xx: refused',
  '5xx': '5xx: server error',
};
const RESULTS = REQUEST_RESULTS.map((value) => ({ value, label: RESULT_NAMES[value] }));

function FilterBar({ filters, change, log, nameOfKey }: FilterBarProps) {
  const isPhone = useIsPhone();
  const [isOpen, setIsOpen] = useState(false);
  const { q, ...chosen } = filters;
  const count = Object.keys(chosen).length;
  const set = (name: keyof RequestFilters, value: string | null, replace = false) => {
    const { [name]: _before, ...others } = filters;
    change(value === null || value === '' ? others : { ...others, [name]: value }, replace);
  };
  const select = (name: 'status' | 'call' | 'code' | 'key') => ({
    placeholder: 'All',
    clearable: true,
    value: filters[name] ?? null,
    onChange: (value: string | null) => set(name, value),
  });
  return (
    <Group align="flex-end" gap="xs" role="search" aria-label="Request filters">
      <SearchField placeholder="SKU or request ID" value={q ?? ''} change={(text) => set('q', text, true)} />
      {isPhone && (
        <Button variant="default" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {count === 0 ? 'Filters' : `Filters (${count})`}
        </Button>
      )}
      {(!isPhone || isOpen) && (
        <>
          <Select label="Result" w={130} data={RESULTS} {...select('status')} />
          <Select
            label="Call"
            w={230}
            searchable
            data={withCurrent(log.calls, filters.call).map((value) => ({ value, label: callText(value) }))}
            {...select('call')}
          />
          <Select label="Error" w={150} searchable data={withCurrent(log.codes, filters.code)} {...select('code')} />
          <Select
            label="Key"
            w={140}
            data={withCurrent(log.keys, filters.key).map((value) => ({ value, label: nameOfKey(value) }))}
            {...select('key')}
          />
        </>
      )}
      {Object.keys(filters).length > 0 && (
        <Button variant="subtle" onClick={() => change({})}>
          Clear
        </Button>
      )}
    </Group>
  );
}

/** Shortens the placeholder of a SKU, which is longer than the rest of most paths. */
function callText(call: string): string {
  return call.replace('{user_defined_sku_id}', '{sku}');
}

interface RequestListProps {
  readonly requests: readonly LoggedRequest[];
  readonly nameOfKey: (user: string | null) => string;
}

function RequestList({ requests, nameOfKey }: RequestListProps) {
  const isPhone = useIsPhone();
  if (isPhone) {
    return (
      <CardList rows={requests} keyOf={({ id }) => id}>
        {(request) => (
          <Stack gap={4}>
            <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
              <OpenRequest request={request} />
              <RequestStatus status={request.status} />
            </Group>
            <Codes codes={request.codes} />
            <Text size="xs" c="dimmed" className="anywhere">
              <Time at={request.at} relative /> · {nameOfKey(request.key)} · {millisecondsText(request.duration_ms)}
              {request.sku !== null && ` · ${request.sku}`}
            </Text>
          </Stack>
        )}
      </CardList>
    );
  }
  return (
    <Paper withBorder>
      <DataTable
        minWidth={860}
        highlightOnHover
        verticalSpacing="xs"
        rows={requests}
        keyOf={({ id }) => id}
        columns={[
          { head: 'Time', cell: ({ at }) => <Time at={at} relative /> },
          { head: 'Call', cell: (request) => <OpenRequest request={request} /> },
          { head: 'Status', cell: ({ status }) => <RequestStatus status={status} />, th: { miw: 100 } },
          { head: 'Errors', cell: ({ codes }) => <Codes codes={codes} /> },
          { head: 'SKU', cell: ({ sku }) => sku !== null && <SkuLink sku={sku} />, td: { className: 'anywhere' } },
          { head: 'Key', cell: ({ key }) => nameOfKey(key) },
          {
            head: 'Duration',
            isNumber: true,
            cell: ({ duration_ms }) => millisecondsText(duration_ms),
            td: { style: { whiteSpace: 'nowrap' } },
          },
        ]}
      />
    </Paper>
  );
}

function OpenRequest({ request: { id: requestId, call } }: { readonly request: LoggedRequest }) {
  const environment = useEnvironment();
  return (
    <TextLink
      to="/$environment/api-integration/requests/$requestId"
      params={{ environment, requestId }}
      size="sm"
      className="anywhere"
    >
      {callText(call)}
    </TextLink>
  );
}

const CODES_SHOWN_MAX = 2;

function Codes({ codes }: Pick<LoggedRequest, 'codes'>) {
  if (codes.length === 0) return null;
  const more = codes.length - CODES_SHOWN_MAX;
  return (
    <Group gap={4}>
      {codes.slice(0, CODES_SHOWN_MAX).map((code) => (
        <Code key={code}>{code}</Code>
      ))}
      {more > 0 && (
        <Text size="xs" c="dimmed">
          and {countText(more)} more
        </Text>
      )}
    </Group>
  );
}

function SkuLink({ sku }: { readonly sku: string }) {
  const environment = useEnvironment();
  return (
    <TextLink to="/$environment/offers/$sku" params={{ environment, sku }} size="sm">
      {sku}
    </TextLink>
  );
}

function NoRequests({ isFiltered, clear }: { readonly isFiltered: boolean; readonly clear: () => void }) {
  const environment = useEnvironment();
  if (!isFiltered) {
    return (
      <Empty
        title="No requests yet"
        action={
          <ButtonLink to="/$environment/api-integration" params={{ environment }} variant="light">
            Show keys and commands
          </ButtonLink>
        }
      >
        Requests that your programs send to the API appear here within 10 seconds.
      </Empty>
    );
  }
  return (
    <Empty
      title="No matching requests"
      action={
        <Button variant="light" onClick={clear}>
          Show all requests
        </Button>
      }
    />
  );
}

function KeepBodies({ log: { keeps_bodies, limits } }: { readonly log: Log }) {
  const environment = useEnvironment();
  const mayChange = useMayChange();
  const queryClient = useQueryClient();
  const switching = useMutation({
    mutationFn: (keep_bodies: boolean) =>
      ask(api.PUT('/{environment}/request-log', { params: { path: { environment } }, body: { keep_bodies } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['requests', environment] }),
  });
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        {switching.isError && <Failed error={switching.error} />}
        <Switch
          label="Keep bodies of failed requests"
          description={
            `Off by default. Bodies are stored without secrets such as passwords and tokens, ` +
            `at most ${countText(limits.body_characters)} characters each, for ${limits.days} days at most. ` +
            'Turning this off deletes them.'
          }
          checked={switching.isPending ? switching.variables : keeps_bodies}
          disabled={!mayChange || switching.isPending}
          onChange={({ currentTarget }) => switching.mutate(currentTarget.checked)}
        />
      </Stack>
    </Paper>
  );
}
