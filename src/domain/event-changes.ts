/** Shows what an event of an offer changed: the fields, each with its value before and after. */
import type { Names } from './names.ts';
import type { PartChange } from './offers/part.ts';
import { differences, differencesOf } from './offers/part-changes.ts';
import type { Status, SubStatus } from './vocabulary/statuses.ts';

/** Additional data that events can contain. */
export const INCLUDED = ['changes'] as const;
export type Included = (typeof INCLUDED)[number];

/** Why an event does not show what it changed. */
export const CHANGES_OMITTED = ['not_recorded', 'too_long'] as const;

interface Verdict {
  readonly status: Status | null;
  readonly subStatuses: readonly SubStatus[];
}

export type EventChange =
  | PartChange
  | { readonly part: 'status'; readonly before: Verdict; readonly after: Verdict }
  | { readonly part: 'none'; readonly omitted: (typeof CHANGES_OMITTED)[number] };

/** Returns the fields `changes` and `changes_omitted` of an event; none if the changes were not requested. */
export function changesJson(change: EventChange | undefined, names: Names): Record<string, unknown> {
  if (change === undefined) return {};
  if (change.part === 'none') return { changes: null, changes_omitted: change.omitted };
  if (change.part !== 'status') return { changes: differencesOf(change, names) };
  const shown = ({ status, subStatuses }: Verdict) => ({
    status: status && names.status(status),
    sub_status: subStatuses,
  });
  return { changes: differences('', shown(change.before), shown(change.after)) };
}
