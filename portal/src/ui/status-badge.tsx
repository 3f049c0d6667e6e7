/**
 * Badges for the statuses of offers, bulk files, requests and webhooks. The table of colors is here, so that a color means the same
 * everywhere.
 */
import { Badge } from '@mantine/core';
import type { FileStatus as BulkStatus } from '#domain/vocabulary/file-types.ts';
import { STATUSES } from '#domain/vocabulary/statuses.ts';
import { wasSent } from '#domain/vocabulary/webhook-failures.ts';
import type { ReviewCheck } from '../api/offer.ts';

/** Colors by who acts next. Red means that only the marketplace can act, or that processing has stopped. */
export const COLORS = Object.freeze({
  done: 'green',
  fix: 'orange',
  waiting: 'blue',
  blocked: 'red',
  inactive: 'gray',
});

type Meaning = keyof typeof COLORS;

const OFFER_MEANINGS: Readonly<Record<string, Meaning>> = {
  [STATUSES.available]: 'done',
  [STATUSES.missing]: 'fix',
  [STATUSES.unauthorized]: 'blocked',
  [STATUSES.excluded]: 'blocked',
  [STATUSES.archived]: 'inactive',
};

const CHECK_MEANINGS: Readonly<Record<ReviewCheck['state'], Meaning>> = {
  passed: 'done',
  pending: 'waiting',
  failed: 'blocked',
  skipped: 'inactive',
};

const FILE_MEANINGS: Readonly<Record<BulkStatus, Meaning>> = {
  Acknowledged: 'waiting',
  Processing: 'waiting',
  'Processed with errors': 'fix',
  'Processed successfully': 'done',
  Cancelled: 'inactive',
};

/** An unknown status counts as waiting, because the marketplace chooses the name of the review status. */
export function offerMeaning(status: string): Meaning {
  return OFFER_MEANINGS[status] ?? 'waiting';
}

/** Says whether customers can buy an available offer: not in the test environment, and not while its merchant is suspended. */
export interface StatusContext {
  readonly environment: string | undefined;
  readonly suspended: boolean;
}

export function offerColor(status: string, { suspended }: StatusContext): string {
  return COLORS[suspended && status === STATUSES.available ? 'blocked' : offerMeaning(status)];
}

/** Returns the portal's name for a status of the API, the same on tiles, badges and filters. */
export function statusName(status: string, { environment, suspended }: StatusContext): string {
  if (status === STATUSES.available) {
    return suspended ? SUSPENDED : environment === 'test' ? 'Ready for sale' : 'For sale';
  }
  if (status === STATUSES.missing) return 'Issues to fix';
  return offerMeaning(status) === 'waiting' ? 'In review' : status;
}

/** Color of a check of the review: a failed check is blocked only if the merchant cannot fix it. */
export function checkColor({ state, next }: Pick<ReviewCheck, 'state' | 'next'>): string {
  if (next === 'merchant') return COLORS.fix;
  return COLORS[CHECK_MEANINGS[state]];
}

export const OUT_OF_STOCK = 'Out of stock';
const SUSPENDED = 'Suspended';

export function fileColor(status: BulkStatus): string {
  return COLORS[FILE_MEANINGS[status]];
}

interface OfferStatusProps {
  readonly status: string;
  /** Sum of all locations; undefined if it is not known here. */
  readonly quantity?: number | undefined;
  readonly context: StatusContext;
}

export function OfferStatus({ status, quantity, context }: OfferStatusProps) {
  if (status === STATUSES.available && quantity === 0) return <StatusBadge text={OUT_OF_STOCK} color="gray" />;
  return <StatusBadge text={statusName(status, context)} color={offerColor(status, context)} />;
}

export function FileStatus({ status }: { readonly status: BulkStatus }) {
  return <StatusBadge text={status} color={fileColor(status)} />;
}

/** HTTP status of a completed request. */
export function RequestStatus({ status }: { readonly status: number }) {
  const meaning = status < 400 ? 'done' : status < 500 ? 'fix' : 'blocked';
  return <StatusBadge text={String(status)} color={COLORS[meaning]} />;
}

/** Result of a webhook message: only a 2xx counts as delivered. */
export function DeliveryStatus({
  status,
  failure,
}: {
  readonly status: number | null;
  readonly failure: string | null;
}) {
  const color = COLORS[failure === null ? 'done' : 'fix'];
  const text = status === null ? (wasSent(failure) ? 'No response' : 'Not sent') : String(status);
  return <StatusBadge text={text} color={color} />;
}

/** `failed` is the number of failed attempts to send the next event. */
export function WebhookStatus({ enabled, failed }: { readonly enabled: boolean; readonly failed: number }) {
  if (!enabled) return <StatusBadge text="Disabled" color={COLORS.blocked} />;
  return failed > 0 ? (
    <StatusBadge text="Failing" color={COLORS.fix} />
  ) : (
    <StatusBadge text="Enabled" color={COLORS.done} />
  );
}

export function EnvironmentBadge({ environment }: { readonly environment: string }) {
  return (
    <Badge variant="default" tt="none">
      {environment}
    </Badge>
  );
}

export function SuspendedBadge() {
  return (
    <Badge color="red" variant="light" tt="none">
      {SUSPENDED}
    </Badge>
  );
}

function StatusBadge({ text, color }: { readonly text: string; readonly color: string }) {
  return (
    <Badge variant="light" color={color} className="status">
      {text}
    </Badge>
  );
}
