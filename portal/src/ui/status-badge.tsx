/** Badges for the statuses of offers, bulk files, requests and webhooks. A colour means the same everywhere; the one table of them is here. */
import { Badge } from '@mantine/core';
import { useParams } from '@tanstack/react-router';

/** Who has to act. Red: only the marketplace can, or nothing goes on. */
const COLOURS = Object.freeze({ done: 'green', fix: 'orange', waiting: 'blue', blocked: 'red', inactive: 'gray' });

type Meaning = keyof typeof COLOURS;

const OFFER_MEANINGS: Readonly<Record<string, Meaning>> = {
  'Available For Purchase': 'done',
  'Missing Listing Data': 'fix',
  Unauthorized: 'blocked',
  Excluded: 'blocked',
  Archived: 'inactive',
};

const FILE_MEANINGS: Readonly<Record<string, Meaning>> = {
  Acknowledged: 'waiting',
  Processing: 'waiting',
  'Processed with errors': 'fix',
  'Processed successfully': 'done',
  Cancelled: 'inactive',
};

/** Waiting by default: the marketplace chooses the name of the review status. */
export function offerMeaning(status: string): Meaning {
  return OFFER_MEANINGS[status] ?? 'waiting';
}

export function offerColour(status: string): string {
  return COLOURS[offerMeaning(status)];
}

export function fileColour(status: string): string {
  return COLOURS[FILE_MEANINGS[status] ?? 'inactive'];
}

interface OfferStatusProps {
  readonly status: string;
  /** Sum of all locations; undefined if it is not known here. */
  readonly quantity?: number | undefined;
  /** The environment of the page when absent. */
  readonly environment?: string;
}

/** No customer sees test offers, so they do not read as available. */
export function OfferStatus({ status, quantity, environment: own }: OfferStatusProps) {
  const { environment = own } = useParams({ strict: false });
  if (status !== 'Available For Purchase') return <StatusBadge text={status} colour={offerColour(status)} />;
  if (quantity === 0) return <StatusBadge text="Out of stock" colour="gray" />;
  return <StatusBadge text={environment === 'test' ? 'Ready for sale' : status} colour={offerColour(status)} />;
}

export function FileStatus({ status }: { readonly status: string }) {
  return <StatusBadge text={status} colour={fileColour(status)} />;
}

/** HTTP status of an answered request. */
export function RequestStatus({ status }: { readonly status: number }) {
  const meaning = status < 400 ? 'done' : status < 500 ? 'fix' : 'blocked';
  return <StatusBadge text={String(status)} colour={COLOURS[meaning]} />;
}

/** Result of a webhook message: only a 2xx counts as delivered. */
export function DeliveryStatus({
  status,
  failure,
}: {
  readonly status: number | null;
  readonly failure: string | null;
}) {
  const colour = COLOURS[failure === null ? 'done' : 'fix'];
  return <StatusBadge text={status === null ? 'No answer' : String(status)} colour={colour} />;
}

/** `failed`: attempts to send the next event. */
export function WebhookStatus({ enabled, failed }: { readonly enabled: boolean; readonly failed: number }) {
  if (!enabled) return <StatusBadge text="Disabled" colour={COLOURS.blocked} />;
  return failed > 0 ? (
    <StatusBadge text="Failing" colour={COLOURS.fix} />
  ) : (
    <StatusBadge text="Enabled" colour={COLOURS.done} />
  );
}

function StatusBadge({ text, colour }: { readonly text: string; readonly colour: string }) {
  return (
    <Badge variant="light" color={colour} className="status">
      {text}
    </Badge>
  );
}
