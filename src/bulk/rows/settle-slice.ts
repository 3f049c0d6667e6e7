/** Determines the result of each row of a slice from the store's response: done, failed, superseded or deferred. */
import type { RowOutcome } from '../../domain/bulk-files.ts';
import { refuseState } from '../../domain/offers/write-state.ts';
import type { Problem } from '../../domain/problem.ts';
import type { OfferStore } from '../../store/port/offers.ts';
import type { BadRow, CheckedRow, GoodRow } from './row-checks.ts';
import type { FailedRow } from './row-errors.ts';
import type { RowSlice } from './row-slices.ts';

export interface SettledSlice {
  readonly failed: readonly FailedRow[];
  /** In the order of the file. */
  readonly deferred: readonly CheckedRow[];
  readonly superseded: number;
}

export interface SettleOptions {
  readonly store: Pick<OfferStore, 'readSkuState'>;
  readonly accountId: number;
  /**
   * True if rows of unknown SKUs are deferred, because a file that may add the SKUs was unfinished when the rows were
   * written.
   */
  readonly mayWait: boolean;
}

export async function settleSlice(
  slice: RowSlice,
  outcomes: readonly RowOutcome[],
  { store, accountId, mayWait }: SettleOptions,
): Promise<SettledSlice> {
  const failed: FailedRow[] = [];
  const deferred: CheckedRow[] = [];
  let superseded = 0;
  let written = 0;
  const unknownOrArchived = await readStates(store, accountId, slice.rows);
  const fail = (row: CheckedRow, problems: readonly Problem[]): void => {
    if (mayWait && problems[0]?.code === 'sku_unknown') deferred.push(row);
    else failed.push({ row, problems });
  };
  for (const row of slice.rows) {
    if (slice.held.has(row)) {
      deferred.push(row);
      continue;
    }
    if (row.write === undefined) {
      const problems = unknownOrArchived.get(row) ?? row.problems;
      if (problems.length > 0) fail(row, problems);
      continue;
    }
    const outcome = outcomes[written++];
    if (outcome === undefined) throw new Error('The store returned fewer results than it received rows.');
    if (outcome === 'superseded') superseded++;
    else if (outcome !== 'stored') fail(row, problemsOf(row, outcome));
  }
  return { failed, deferred, superseded };
}

function problemsOf(row: GoodRow, outcome: Exclude<RowOutcome, 'stored' | 'superseded'>): readonly Problem[] {
  if (typeof outcome === 'object') return row.problemsOf?.(outcome.refused) ?? [];
  return refuseState(outcome, row.key, []).problems;
}

/** Reads the states of SKUs for rows that were refused by rules later in the order of checks: see RefusedWrite. */
async function readStates(
  store: SettleOptions['store'],
  accountId: number,
  rows: readonly CheckedRow[],
): Promise<ReadonlyMap<CheckedRow, readonly Problem[]>> {
  const problems = new Map<CheckedRow, readonly Problem[]>();
  const read = async (row: BadRow): Promise<void> => {
    const state = await store.readSkuState({ accountId, skuId: row.key });
    if (state === 'open' || (state === 'unknown' && row.expects === state)) return;
    problems.set(row, state === row.expects ? [] : refuseState(state, row.key, []).problems);
  };
  await Promise.all(rows.map((row) => row.write === undefined && row.behindSkuState && read(row)));
  return problems;
}
