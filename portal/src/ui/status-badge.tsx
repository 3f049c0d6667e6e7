/** Coloured badges for the statuses of offers and bulk files. */
import { Badge } from '@mantine/core';
import { useParams } from '@tanstack/react-router';

const OFFER_COLOURS: Readonly<Record<string, string>> = {
  'Available For Purchase': 'green',
  'Missing Listing Data': 'orange',
  Unauthorized: 'red',
  Excluded: 'red',
  Archived: 'gray',
};

const FILE_COLOURS: Readonly<Record<string, string>> = {
  Acknowledged: 'gray',
  Processing: 'blue',
  'Processed with errors': 'orange',
  'Processed successfully': 'green',
  Cancelled: 'gray',
};

/** Blue by default: the marketplace chooses the name of the review status. */
export function offerColour(status: string): string {
  return OFFER_COLOURS[status] ?? 'blue';
}

export function fileColour(status: string): string {
  return FILE_COLOURS[status] ?? 'gray';
}

interface OfferStatusProps {
  readonly status: string;
  /** Sum of all locations; undefined if it is not known here. */
  readonly quantity?: number;
}

/** No customer sees test offers, so they do not read as available. */
export function OfferStatus({ status, quantity }: OfferStatusProps) {
  const { environment } = useParams({ strict: false });
  if (status !== 'Available For Purchase') return <StatusBadge text={status} colour={offerColour(status)} />;
  if (quantity === 0) return <StatusBadge text="Out of stock" colour="gray" />;
  return <StatusBadge text={environment === 'test' ? 'Ready for sale' : status} colour={offerColour(status)} />;
}

export function FileStatus({ status }: { readonly status: string }) {
  return <StatusBadge text={status} colour={fileColour(status)} />;
}

function StatusBadge({ text, colour }: { readonly text: string; readonly colour: string }) {
  return (
    <Badge variant="light" color={colour} tt="none" autoContrast>
      {text}
    </Badge>
  );
}
