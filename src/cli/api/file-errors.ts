/** Reads the error file of a bulk file row by row, formats the errors and counts them by cause. */
import type { Readable } from 'node:stream';
import type { Entry } from '../../bulk/rows/entry.ts';
import { withoutPlaces } from '../../bulk/rows/ignored-fields.ts';
import { readEntries } from '../../bulk/rows/read-entries.ts';
import type { Problem } from '../../domain/problem.ts';
import { counted, printable, table } from '../table.ts';

export interface RowErrors {
  /** The SKU id of the row. It is empty for an error of the whole file, and for a row with an empty key (see `isOfRow`). */
  readonly skuId: string;
  readonly problems: readonly Problem[];
  /** Offset of the row in the unpacked file. */
  readonly byteOffset: number;
  /** Line and column, in bytes, at which the row begins; undefined if the server does not know them. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** Yields the rows of an error file, as `error_url` serves it. */
export async function* readRowErrors(file: Readable): AsyncGenerator<RowErrors> {
  const entries = readEntries(file, { from: 0, unpacked_bytes_max: Number.POSITIVE_INFINITY });
  for (let next = await entries.next(); ; next = await entries.next()) {
    if (next.done === true) {
      if (next.value !== undefined) throw new Error(`The error file cannot be read: ${next.value.problem.message}`);
      return;
    }
    for (const entry of next.value) yield toRowErrors(entry);
  }
}

function toRowErrors({ piece: { bytes }, keyStart, keyEnd, valueStart, valueEnd }: Entry): RowErrors {
  const { details, byte_offset, line, column } = JSON.parse(bytes.toString('utf8', valueStart, valueEnd)) as {
    details: readonly Problem[];
    byte_offset: number;
    line?: number;
    column?: number;
  };
  const skuId = JSON.parse(`"${bytes.toString('utf8', keyStart, keyEnd)}"`) as string;
  return { skuId, problems: details, byteOffset: byte_offset, line, column };
}

/** Returns false for an error of the whole file. */
export function isOfRow({ skuId, problems }: RowErrors): boolean {
  return skuId !== '' || !problems.some(({ code }) => code.startsWith('file_'));
}

export function rowLines(row: RowErrors): string[] {
  const { skuId, problems, byteOffset, line, column } = row;
  const name = skuId === '' ? 'A row without a SKU id' : printable(skuId);
  const head = isOfRow(row) ? name : 'The file';
  const place = line === undefined ? '' : `line ${line}, column ${column}, `;
  return [
    `${head} (${place}byte ${byteOffset})`,
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
  #rows = 0;

  add({ skuId, problems }: RowErrors): void {
    this.#rows++;
    const seen = new Set<Cause>();
    for (const { code, field, message } of problems) {
      const place = withoutPlaces(field);
      const key = `${code} ${place}`;
      let cause = this.#causes.get(key);
      if (cause === undefined) {
        if (this.#causes.size >= CAUSES_MAX) continue;
        cause = { code, field: place, rows: 0, example: skuId === '' ? message : `${skuId}: ${message}` };
        this.#causes.set(key, cause);
      }
      // A row with three bad images counts as one row.
      if (!seen.has(cause)) cause.rows++;
      seen.add(cause);
    }
  }

  get rows(): number {
    return this.#rows;
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
