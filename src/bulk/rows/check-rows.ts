/**
 * Use case: check a file before sending it. Rows are split, read and checked as on a server. Rules that depend on data
 * or settings of a server are listed as not checked.
 */
import type { Readable } from 'node:stream';
import type { Account } from '../../domain/account.ts';
import { ANY_NODES, createBodyChecks } from '../../domain/bodies/all-bodies.ts';
import type { IgnoredField } from '../../domain/bulk-files.ts';
import type { Names } from '../../domain/names.ts';
import type { Problem } from '../../domain/problem.ts';
import type { FileType } from '../../domain/vocabulary/file-types.ts';
import { countIgnored } from './ignored-fields.ts';
import { readEntries } from './read-entries.ts';
import { type BadRow, type CheckedRow, rowCheck } from './row-checks.ts';
import { withColumns } from './sheet-row.ts';

export interface CheckRowsOptions {
  readonly type: FileType;
  readonly names: Names;
  readonly unpacked_bytes_max: number;
}

export interface FailedCheck {
  /** Empty for an error of the file as a whole. */
  readonly skuId: string;
  readonly problems: readonly Problem[];
  /** The offset of the row in the unpacked file. */
  readonly byteOffset: number;
  /** The line and column of the row, in bytes, from 1; undefined if unknown. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

export interface CheckedRows {
  /** The total so far. */
  readonly rowsChecked: number;
  /** Bytes read of the file as uploaded. */
  readonly bytesRead: number;
  readonly failed: readonly FailedCheck[];
  /** The totals so far. */
  readonly ignoredFields: readonly IgnoredField[];
}

/** A merchant without settings: every rule about settings fails, and is then ignored. */
export const NO_ACCOUNT: Account = Object.freeze({
  accountId: 0,
  merchantId: '',
  environment: 'test',
  suspended: false,
  nodes: new Map(),
  returnLocationIds: new Set<string>(),
  timeToReturnDays: 0,
  returnShippingMethods: [],
});

export async function* checkRows(
  source: Readable,
  { type, names, unpacked_bytes_max }: CheckRowsOptions,
): AsyncGenerator<CheckedRows> {
  const store = { offers: { readMembers: async () => [] } };
  const check = rowCheck(type, { names, bodies: createBodyChecks(names, ANY_NODES), store });
  let rowsChecked = 0;
  let bytesRead = 0;
  let ignoredFields: readonly IgnoredField[] = [];
  const onRead = (bytes: number) => {
    bytesRead = bytes;
  };
  const entries = readEntries(source, { type, from: 0, unpacked_bytes_max, onRead });
  for (;;) {
    const next = await entries.next();
    if (next.done === true) {
      if (next.value === undefined) return;
      const { problem, offset, line, column } = next.value;
      const failed = [{ skuId: '', problems: [problem], byteOffset: offset, line, column }];
      yield { rowsChecked, bytesRead, failed, ignoredFields };
      return;
    }
    const failed: FailedCheck[] = [];
    const rows: CheckedRow[] = [];
    for (const entry of next.value) {
      const row = await check(NO_ACCOUNT, entry);
      rowsChecked++;
      rows.push(row);
      const { offset: byteOffset, line, column } = entry;
      if (isBad(row))
        failed.push({ skuId: row.key, problems: withColumns(entry, row.problems), byteOffset, line, column });
    }
    ignoredFields = countIgnored(ignoredFields, rows);
    yield { rowsChecked, bytesRead, failed, ignoredFields };
  }
}

/** Whether the row breaks a rule that needs nothing from the server. The SKU lookup and all rules after it need the server. */
function isBad(row: CheckedRow): row is BadRow {
  return row.write === undefined && !row.behindSkuState && row.problems[0]?.code !== 'sku_unknown';
}
