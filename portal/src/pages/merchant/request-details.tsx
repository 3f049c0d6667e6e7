/** Dialog with one request of the request log: its id, errors and, if it was kept, its body. */
import { Anchor, Code, Group, List, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { LoggedRequest } from '../../api/request-log.ts';
import { useSession } from '../../api/session.ts';
import { CopyValue } from '../../ui/copy-value.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { millisecondsText } from '../../ui/numbers.ts';
import { RequestStatus } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';

interface RequestDetailsProps {
  readonly request: LoggedRequest | undefined;
  readonly log: { readonly keeps_bodies: boolean };
  readonly nameOfKey: (user: string | null) => string;
  readonly close: () => void;
}

export function RequestDetails({ request, log, nameOfKey, close }: RequestDetailsProps) {
  return (
    <Dialog isOpen={request !== undefined} close={close} size="lg" title="Request">
      {request && (
        <Stack>
          <Group gap="sm" wrap="nowrap" align="flex-start">
            <RequestStatus status={request.status} />
            <Text fw={600} className="anywhere">
              {request.call}
            </Text>
          </Group>
          <Detail label="Request ID">
            <CopyValue value={request.id} label="request ID" />
          </Detail>
          <Detail label="Answered">
            <Text size="sm">
              <Time at={request.at} /> after {millisecondsText(request.duration_ms)}
            </Text>
          </Detail>
          {request.sku !== null && (
            <Detail label="SKU">
              <Text size="sm" className="anywhere">
                {request.sku}
              </Text>
            </Detail>
          )}
          <Detail label="Key">
            <Text size="sm" className="anywhere">
              {nameOfKey(request.key)}
            </Text>
          </Detail>
          {request.codes.length > 0 && <Errors codes={request.codes} />}
          {request.status >= 400 && (
            <Detail label="Body">
              <Body body={request.body} isKept={log.keeps_bodies} />
            </Detail>
          )}
        </Stack>
      )}
    </Dialog>
  );
}

function Detail({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      {children}
    </Stack>
  );
}

function Errors({ codes }: Pick<LoggedRequest, 'codes'>) {
  const { api_url: apiUrl } = useSession();
  return (
    <Detail label="Errors">
      <List size="sm">
        {codes.map((code) => (
          <List.Item key={code}>
            <Code>{code}</Code>
          </List.Item>
        ))}
      </List>
      <Text size="sm">
        <Anchor href={`${apiUrl}/docs/reference/errors.html`}>What the error codes mean</Anchor>
      </Text>
    </Detail>
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
        : 'Not kept. Turn on “Keep bodies of failed requests” to see the bodies of later requests.'}
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
