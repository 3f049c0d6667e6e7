/**
 * In charge of what becomes of the rows of a file, by what their offers are while they are locked: pure, so that there is
 * no window between what is told of a row and what is written.
 *
 * Rows are of one kind. Whatever a row writes has the number of the file, which is no higher than itself: so a row never
 * stands against a later one of the same slice, and all are decided by what was there before, the archive flag excepted.
 */
import type { RowOutcome, RowWrite } from '../../port/files.ts';
import type { NodeQuantity } from '../../port/offers.ts';
import { membersOf, refusalOf } from '../offers/group-writes.ts';
import {
  type Attribution,
  documentWrite,
  type GroupWrite,
  inventoryWrite,
  type RowWrite as OfferRowWrite,
  priceWrite,
  returnsWrite,
} from '../offers/offer-commands.ts';
import { nodeNumbers } from '../offers/stored-inventory.ts';
import type { FlagRow, LockedPart } from './file-row-statements.ts';

type Row<Kind extends RowWrite['kind']> = Extract<RowWrite, { readonly kind: Kind }>;

/** Of a kind that changes one part of one offer. */
export type PartRow = Exclude<RowWrite, Row<'group'> | Row<'archive'>>;

/** What is to be written for the rows; each list keeps the order of the file. */
export interface Decisions {
  readonly outcomes: readonly RowOutcome[];
  readonly writes: readonly OfferRowWrite[];
  readonly groups: readonly GroupWrite[];
  /** Each offer once. */
  readonly flags: readonly FlagRow[];
}

/** `number` is that of the file; `locked` has all offers that the rows name and that exist, and may have others. */
export function decide(
  rows: readonly RowWrite[],
  locked: readonly LockedPart[],
  number: number,
  told: Attribution,
): Decisions {
  const found = new Map(locked.map((part) => [part[0], part]));
  const flags = new Map<string, FlagRow>();
  const outcomes: RowOutcome[] = [];
  const writes: OfferRowWrite[] = [];
  const groups: GroupWrite[] = [];
  for (const row of rows) {
    const outcome = outcomeOf(row, found, number);
    outcomes.push(outcome);
    if (outcome !== 'stored') continue;
    if (row.kind === 'group') groups.push({ ...row, ...told });
    else if (row.kind === 'archive') flags.set(row.skuId, flagBehind(row, flags.get(row.skuId), found));
    else writes.push(writeOf(withoutNewer(row, found.get(row.skuId), number), told));
  }
  return { outcomes, writes, groups, flags: [...flags.values()] };
}

function outcomeOf(row: RowWrite, found: ReadonlyMap<string, LockedPart>, number: number): RowOutcome {
  if (row.kind === 'group') return groupOutcome(row, found, number);
  const part = found.get(row.skuId);
  if (part === undefined) return row.kind === 'sku' ? 'stored' : 'unknown';
  const [, archived, partNumber] = part;
  if (archived && row.kind !== 'archive') return 'archived';
  if (row.kind === 'inventory') {
    const { quantities } = row;
    return quantities.length > 0 && olderNodes(quantities, part, number).length === 0 ? 'superseded' : 'stored';
  }
  return (partNumber ?? 0) > number ? 'superseded' : 'stored';
}

function groupOutcome(row: Row<'group'>, found: ReadonlyMap<string, LockedPart>, number: number): RowOutcome {
  const members = membersOf(row);
  const parts = members.map((skuId) => found.get(skuId)).filter((part) => part !== undefined);
  const refusal = refusalOf(members, new Map(parts.map(([skuId, archived]) => [skuId, archived])));
  if (refusal !== undefined) return refusal;
  return parts.some(([, , partNumber]) => (partNumber ?? 0) > number) ? 'superseded' : 'stored';
}

/** Those of the nodes that were not written, nor zeroed with the others, after the file was handed over. */
function olderNodes(
  quantities: readonly NodeQuantity[],
  [, , zeroedNumber, newerStock]: LockedPart,
  number: number,
): readonly NodeQuantity[] {
  const zeroed = zeroedNumber ?? 0;
  if (zeroed > number) return [];
  if (newerStock === null) return quantities;
  const numbers = nodeNumbers(newerStock, zeroed);
  return quantities.filter(({ fulfillment_node_id }) => (numbers.get(fulfillment_node_id) ?? zeroed) <= number);
}

function withoutNewer(row: PartRow, part: LockedPart | undefined, number: number): PartRow {
  if (row.kind !== 'inventory' || part === undefined) return row;
  return { ...row, quantities: olderNodes(row.quantities, part, number) };
}

/** What a row asks for, whatever its offer is. */
export function writeOf(row: PartRow, told: Attribution): OfferRowWrite {
  const { skuId } = row;
  switch (row.kind) {
    case 'sku':
      return documentWrite(skuId, row.document, told);
    case 'price':
      return priceWrite(skuId, row, told);
    case 'inventory':
      return inventoryWrite(skuId, row.quantities, told);
    case 'shipping':
      return { kind: 'shipping', skuId, exceptions: row.exceptions, ...told };
    case 'returns':
      return returnsWrite(skuId, row.locationIds, told);
  }
}

function flagBehind(
  { skuId, archived }: Row<'archive'>,
  before: FlagRow | undefined,
  found: ReadonlyMap<string, LockedPart>,
): FlagRow {
  const was = before?.archived ?? found.get(skuId)?.[1];
  return { skuId, archived, isChanged: before?.isChanged === true || was !== archived };
}
