/**
 * Decides what the store would do with rows, without writing them, for files that are only validated. Each row is decided on its own by
 * what is stored, as a dry run is: rows before it count as not applied. The check of a group has read its members.
 */
import type { RowOutcome } from '../../domain/bulk-files.ts';
import type { FileRow } from '../../domain/offers/part.ts';
import { firstPartOf } from '../../domain/offers/parts.ts';
import { outcomeFor, skuState } from '../../domain/offers/write-state.ts';
import type { OfferStore } from '../../store/port/offers.ts';

export async function tryRows(
  offers: Pick<OfferStore, 'readMembers'>,
  accountId: number,
  rows: readonly FileRow[],
): Promise<readonly RowOutcome[]> {
  const found = await offers.readMembers(accountId, [...new Set(rows.map(({ skuId }) => skuId))], []);
  const archived = new Map(found.map((member) => [member.skuId, member.archived]));
  return rows.map((row) => outcomeFor(firstPartOf(row), skuState(archived.get(row.skuId))));
}
