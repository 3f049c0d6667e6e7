/**
 * Decides what becomes of the rows of a file, from the state of their locked offers. Pure.
 *
 * Rows are of one kind, and everything they write gets the number of the file. So a row never supersedes a later one of the same
 * slice, and all rows are decided by the state before the slice, except for the archive flag.
 */
import type { RowOutcome, RowWrite } from '../../port/files.ts';
import type { NodeQuantity } from '../../port/offers.ts';
import { membersOf, refusalOf } from '../offers/group-writes.ts';
import {
  type Attribution,
  type GroupWrite,
  type RowWrite as OfferRowWrite,
  type PartRow,
  rowWriteOf,
  type WriteOf,
} from '../offers/offer-commands.ts';
import { nodeNumbers } from '../offers/stored-inventory.ts';
import type { LockedPart } from './file-row-statements.ts';

type Row<Kind extends RowWrite['kind']> = Extract<RowWrite, { readonly kind: Kind }>;

/** What to write, in the order of the file. */
export interface Decisions {
  readonly outcomes: readonly RowOutcome[];
  readonly writes: readonly OfferRowWrite[];
  readonly groups: readonly GroupWrite[];
}

/** `locked` has all existing offers that the rows name, and maybe others. */
export function decide(
  rows: readonly RowWrite[],
  locked: readonly LockedPart[],
  fileNumber: number,
  attribution: Attribution,
): Decisions {
  const found = new Map(locked.map((part) => [part[0], part]));
  const flags = new Map<string, WriteOf<'archive'>>();
  const outcomes: RowOutcome[] = [];
  const writes: OfferRowWrite[] = [];
  const groups: GroupWrite[] = [];
  for (const row of rows) {
    const outcome = outcomeOf(row, found, fileNumber);
    outcomes.push(outcome);
    if (outcome !== 'stored') continue;
    if (row.kind === 'group') groups.push({ ...row, ...attribution });
    else if (row.kind === 'archive') {
      const before = flags.get(row.skuId);
      const wasArchived = before?.archived ?? found.get(row.skuId)?.[1];
      const isChanged = before?.isChanged === true || wasArchived !== row.archived;
      flags.set(row.skuId, { ...row, ...attribution, isChanged });
    } else writes.push(rowWriteOf(withoutNewer(row, found.get(row.skuId), fileNumber), attribution));
  }
  return { outcomes, writes: [...writes, ...flags.values()], groups };
}

function outcomeOf(row: RowWrite, found: ReadonlyMap<string, LockedPart>, fileNumber: number): RowOutcome {
  if (row.kind === 'group') return groupOutcome(row, found, fileNumber);
  const part = found.get(row.skuId);
  if (part === undefined) return row.kind === 'sku' ? 'stored' : 'unknown';
  const [, archived, partNumber] = part;
  if (archived && row.kind !== 'archive') return 'archived';
  if (row.kind === 'inventory') {
    const { quantities } = row;
    return quantities.length > 0 && olderNodes(quantities, part, fileNumber).length === 0 ? 'superseded' : 'stored';
  }
  return (partNumber ?? 0) > fileNumber ? 'superseded' : 'stored';
}

function groupOutcome(row: Row<'group'>, found: ReadonlyMap<string, LockedPart>, fileNumber: number): RowOutcome {
  const members = membersOf(row);
  const parts = members.map((skuId) => found.get(skuId)).filter((part) => part !== undefined);
  const refusal = refusalOf(members, new Map(parts.map(([skuId, archived]) => [skuId, archived])));
  if (refusal !== undefined) return refusal;
  return parts.some(([, , partNumber]) => (partNumber ?? 0) > fileNumber) ? 'superseded' : 'stored';
}

/** Nodes that were neither written nor zeroed after the file was submitted. */
function olderNodes(
  quantities: readonly NodeQuantity[],
  [, , zeroedNumber, newerStock]: LockedPart,
  fileNumber: number,
): readonly NodeQuantity[] {
  const zeroed = zeroedNumber ?? 0;
  if (zeroed > fileNumber) return [];
  if (newerStock === null) return quantities;
  const numbers = nodeNumbers(newerStock, zeroed);
  return quantities.filter(({ fulfillment_node_id }) => (numbers.get(fulfillment_node_id) ?? zeroed) <= fileNumber);
}

function withoutNewer(row: PartRow, part: LockedPart | undefined, fileNumber: number): PartRow {
  if (row.kind !== 'inventory' || part === undefined) return row;
  return { ...row, quantities: olderNodes(row.quantities, part, fileNumber) };
}
