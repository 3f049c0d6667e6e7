/** Page of one request of the request log: its errors, its body if it was kept, and the command that repeats it. */
import { Anchor, Card, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type LoggedRequest, requestQuery, urlOf } from '../../api/request-log.ts';
import { type Environment, useSession } from '../../api/session.ts';
import { CopyValue } from '../../ui/copy-value.tsx';
import { TextLink } from '../../ui/links.tsx';
import { countText, millisecondsText } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty } from '../../ui/states.tsx';
import { RequestStatus } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { curlCommand } from './curl.ts';
import { useKeyNames } from './request-log.tsx';

export function RequestPage() {
  const { environment, requestId } = useParams({ from: '/$environment/api-integration/requests/$requestId' });
  const found = useQuery(requestQuery(environment, requestId));
  const request = found.data?.request;
  const title = request === undefined ? 'Request' : `${methodOf(request)} ${urlOf(request)}`;
  return (
    <Page
      title={title}
      about={
        <TextLink to="/$environment/api-integration" params={{ environment }} search={{ tab: 'requests' }}>
          Request log
        </TextLink>
      }
    >
      <QueryView query={found} what="request">
        {({ request: shown, log }) =>
          shown === undefined ? (
            <Empty title="Request not found" order={2}>
              The log of this environment keeps up to {countText(log.limits.requests)} requests for {log.limits.days}{' '}
              days. Check the request ID and the environment.
            </Empty>
          ) : (
            <>
              <Facts request={shown} environment={environment} />
              {shown.codes.length > 0 && <Errors request={shown} />}
              {shown.status >= 400 && (
                <Panel title="Body sent">
                  <Body body={shown.body} isKept={log.keeps_bodies} />
                </Panel>
              )}
              <Repeat request={shown} environment={environment} />
            </>
          )
        }
      </QueryView>
    </Page>
  );
}

function methodOf({ call }: LoggedRequest): string {
  return call.split(' ')[0] ?? '';
}

interface RequestProps {
  readonly request: LoggedRequest;
  readonly environment: Environment;
}

function Facts({ request, environment }: RequestProps) {
  const nameOfKey = useKeyNames();
  const { id, status, at, duration_ms, sku } = request;
  return (
    <Card withBorder>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        <Fact label="Status">
          <RequestStatus status={status} />
        </Fact>
        <Fact label="Answered">
          <Time at={at} /> after {millisecondsText(duration_ms)}
        </Fact>
        <Fact label="Key">{nameOfKey(request.key)}</Fact>
        {sku !== null && (
          <Fact label="Offer">
            <TextLink to="/$environment/offers/$sku" params={{ environment, sku }}>
              {sku}
            </TextLink>
          </Fact>
        )}
        <Fact label="Request ID">
          <CopyValue value={id} label="request ID" />
        </Fact>
      </SimpleGrid>
    </Card>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <Stack gap={4} miw={0}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text component="div" size="sm" className="anywhere">
        {children}
      </Text>
    </Stack>
  );
}

/** At very high rates, the log has only the codes of the errors. */
function Errors({ request: { codes, errors } }: Pick<RequestProps, 'request'>) {
  const { api_url: apiUrl } = useSession();
  const shown = errors.length > 0 ? errors : codes.map((code) => ({ code, field: '', message: '' }));
  return (
    <Panel
      title="Errors"
      actions={
        <Anchor size="sm" href={`${apiUrl}/docs/reference/errors.html`}>
          What the error codes mean
        </Anchor>
      }
    >
      {shown.map(({ code, field, message }) => (
        <Stack key={`${code} ${field} ${message}`} gap={4}>
          {message !== '' && (
            <Text fw={600} className="anywhere">
              {message}
            </Text>
          )}
          <Group gap="xs">
            <Code>{code}</Code>
            {field !== '' && (
              <Text size="sm" c="dimmed" className="anywhere">
                at <Code>{field}</Code>
              </Text>
            )}
          </Group>
        </Stack>
      ))}
    </Panel>
  );
}

function Body({ body, isKept }: { readonly body: string | null; readonly isKept: boolean }) {
  if (body !== null) {
    return (
      <Code block className="wrapped">
        {indented(body)}
      </Code>
    );
  }
  return (
    <Text size="sm">
      {isKept
        ? 'Not kept: the request had no body, its body was not JSON, or bodies were not kept at that time.'
        : 'Not kept. Turn on “Keep bodies of failed requests” in the request log to see the bodies of later requests.'}
    </Text>
  );
}

/** Leaves a body unchanged if it was cut off, which is no longer JSON, or has integers beyond 2^53, which would lose digits. */
function indented(body: string): string {
  if (/\d{16}/.test(body)) return body;
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

const FILE = '@body.json';
const REMOVED = '[removed]';

/** Signed URLs, and URLs that were shortened or had secrets, cannot be sent again. */
function Repeat({ request, environment }: RequestProps) {
  const { api_url: apiUrl } = useSession();
  const url = urlOf(request);
  if (request.key === null || /[{[…]/.test(url)) return null;
  const method = methodOf(request);
  const isKept = request.body !== null && !request.body.endsWith('…');
  const body = isKept ? (request.body ?? '') : FILE;
  return (
    <Panel
      title="Send it again"
      about={
        <>
          The command needs a token in <Code>$TOKEN</Code>:{' '}
          <TextLink to="/$environment/api-integration" params={{ environment }}>
            get a token
          </TextLink>
          .
          {method !== 'GET' && !isKept && (
            <>
              {' '}
              Save the body as <Code>body.json</Code> first.
            </>
          )}
          {isKept && body.includes(REMOVED) && ` Replace ${REMOVED} with your values.`}
        </>
      }
    >
      <CopyValue
        value={method === 'GET' ? curlCommand(method, apiUrl + url) : curlCommand(method, apiUrl + url, body)}
        label="curl command"
      />
    </Panel>
  );
}
