/**
 * Use case: somebody holds a file to the rules before sending it. The rows are split, read and checked as a server does it;
 * rules about what a server has stored or set up are left to the server, and named.
 */
import type { Readable } from 'node:stream';
import type { Account } from '../../domain/account.ts';
import { createBodyChecks } from '../../domain/bodies/all-bodies.ts';
import type { Names } from '../../domain/names.ts';
import type { Problem } from '../../domain/problem.ts';
import type { TaxonomyNode } from '../../domain/taxonomy.ts';
import type { FileType } from '../../domain/vocabulary/file-types.ts';
import { countIgnored, type IgnoredField } from './ignored-fields.ts';
import { readEntries } from './read-entries.ts';
import { type BadRow, type CheckedRow, rowCheck } from './row-checks.ts';

export interface CheckRowsOptions {
  readonly type: FileType;
  readonly names: Names;
  readonly unpacked_bytes_max: number;
}

export interface FailedCheck {
  /** Empty for what is wrong with the file as a whole. */
  readonly skuId: string;
  readonly problems: readonly Problem[];
  /** Where the row begins in the unpacked file. */
  readonly byteOffset: number;
  /** Its line and column, in bytes, from 1; undefined where they are unknown. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

export interface CheckedRows {
  /** Since the beginning. */
  readonly rowsChecked: number;
  /** Of the file as it is. */
  readonly bytesRead: number;
  readonly failed: readonly FailedCheck[];
  /** Since the beginning. */
  readonly ignoredFields: readonly IgnoredField[];
}

const UPLOADED = 'whether each SKU was uploaded and is not archived';
const NODES = 'whether the fulfillment nodes are those of the merchant';

/** What is not checked here, by type of file. */
export const RULES_OF_THE_SERVER: Readonly<Record<FileType, readonly string[]>> = Object.freeze({
  MerchantSKUs: ['whether the browse nodes are in its taxonomy', 'whether a SKU is archived'],
  Price: [UPLOADED, NODES],
  Inventory: [UPLOADED, NODES],
  Variation: [UPLOADED, 'whether the SKUs of a group share their brand and have its attributes'],
  ShippingException: [UPLOADED, NODES, 'whether the nodes have the methods and service levels'],
  ReturnsException: [UPLOADED, 'whether the return locations are those of the merchant'],
  Archive: ['whether each SKU was uploaded'],
});

/** A merchant without any setup: every rule about it is broken, and then passed over. */
const NOBODY: Account = Object.freeze({
  accountId: 0,
  merchantId: '',
  environment: 'test',
  suspended: false,
  nodes: new Map(),
  returnLocationIds: new Set<string>(),
  timeToReturnDays: 0,
  returnShippingMethods: [],
});

/** A taxonomy in which every browse node is one. */
const ANY_TAXONOMY = {
  node: (id: TaxonomyNode['id']): TaxonomyNode => ({
    id,
    name: '',
    parentId: null,
    level: 0,
    isLeaf: true,
    active: true,
    suggestedTaxCode: null,
    needsGroup: false,
  }),
};

export async function* checkRows(
  source: Readable,
  { type, names, unpacked_bytes_max }: CheckRowsOptions,
): AsyncGenerator<CheckedRows> {
  const store = { offers: { readMembers: async () => [] } };
  const check = rowCheck(type, { names, bodies: createBodyChecks(names, ANY_TAXONOMY), store });
  let rowsChecked = 0;
  let bytesRead = 0;
  let ignoredFields: readonly IgnoredField[] = [];
  const onRead = (bytes: number) => {
    bytesRead = bytes;
  };
  const entries = readEntries(source, { from: 0, unpacked_bytes_max, onRead });
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
      const row = await check(NOBODY, entry);
      rowsChecked++;
      rows.push(row);
      const { offset: byteOffset, line, column } = entry;
      if (isBad(row)) failed.push({ skuId: row.key, problems: row.problems, byteOffset, line, column });
    }
    ignoredFields = countIgnored(ignoredFields, rows);
    yield { rowsChecked, bytesRead, failed, ignoredFields };
  }
}

/** By a rule that needs nothing of the server: those behind the state of the SKU do, and so does whether there is one. */
function isBad(row: CheckedRow): row is BadRow {
  return row.write === undefined && !row.behindSkuState && row.problems[0]?.code !== 'sku_unknown';
}
