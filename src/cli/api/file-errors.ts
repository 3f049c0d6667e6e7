/** Formats the errors of a bulk file's rows, and counts them by cause. */
import type { FailedCheck } from '../../bulk/rows/check-rows.ts';
import { withoutPlaces } from '../../bulk/rows/ignored-fields.ts';
import { counted, printable, table } from '../table.ts';

export function rowLines({ skuId, problems, byteOffset, line, column }: FailedCheck): string[] {
  const isOfFile = problems.some(({ code }) => code.startsWith('file_'));
  const head = skuId === '' ? (isOfFile ? 'The file' : 'A row without a SKU id') : printable(skuId);
  const position = line === undefined ? '' : `line ${line}, column ${column}, `;
  return [
    `${head} (${position}byte ${byteOffset})`,
    ...problems.map(({ code, message }) => `  ${printable(message)} [${code}]`),
  ];
}

interface Cause {
  readonly code: string;
  /** JSON pointer in which `*` stands for list indexes. */
  readonly field: string;
  rows: number;
  readonly example: string;
}

/** A real file has few different causes. The limit keeps a crafted file from filling the memory. */
const CAUSES_MAX = 1000;
const CAUSES_SHOWN_MAX = 20;

/** Counts errors by cause, because most errors of a file share a few causes. */
export class ErrorSummary {
  readonly #causes = new Map<string, Cause>();
  rows = 0;

  add({ skuId, problems }: FailedCheck): void {
    this.rows++;
    const seen = new Set<Cause>();
    for (const { code, field, message } of problems) {
      const path = withoutPlaces(field);
      const key = `${code} ${path}`;
      let cause = this.#causes.get(key);
      if (cause === undefined) {
        if (this.#causes.size >= CAUSES_MAX) continue;
        cause = { code, field: path, rows: 0, example: skuId === '' ? message : `${skuId}: ${message}` };
        this.#causes.set(key, cause);
      }
      // A row with three bad images counts as one row.
      if (!seen.has(cause)) cause.rows++;
      seen.add(cause);
    }
  }

  /** Returns the causes, most frequent first. */
  json(): readonly Readonly<Cause>[] {
    return [...this.#causes.values()].toSorted((one, other) => other.rows - one.rows);
  }

  lines(): string[] {
    const causes = this.json();
    const shown = causes.slice(0, CAUSES_SHOWN_MAX);
    const rows = shown.map(({ rows: count, code, field, example }) => [
      count.toLocaleString('en-US'),
      code,
      field === '' ? '-' : field,
      example,
    ]);
    const more = causes.length - shown.length;
    return [
      ...table(['ROWS', 'CODE', 'FIELD', 'FOR EXAMPLE'], rows),
      ...(more > 0 ? [`and ${counted(more, 'more cause')}`] : []),
    ];
  }
}
