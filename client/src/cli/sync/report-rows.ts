/** Reads the rows of a report while it is downloaded. */
import { unreachable } from '../../errors.ts';
import { parseJson } from '../../json.ts';
import type { Offerbook } from '../../offerbook.ts';
import { csvRows, linesOf, type Row, unescaped } from './lines.ts';

/** Columns whose cells are JSON: numbers, true or false, and quantities by node. All others are text. */
const JSON_COLUMNS: ReadonlySet<string> = new Set(['price', 'quantity', 'node_quantities', 'archived']);

/** Creates a report, and yields its header and its rows. */
export async function* reportRows(client: Offerbook, type: string): AsyncGenerator<Row> {
  yield* csvRows(linesOf(streamed(await client.report(type))), ',');
}

/** Creates a report, and yields each row as an object with the names of its columns. Empty cells are null. */
export async function* reportObjects(client: Offerbook, type: string): AsyncGenerator<object> {
  let columns: readonly string[] | undefined;
  for await (const { cells } of reportRows(client, type)) {
    if (columns === undefined) columns = cells;
    else yield Object.fromEntries(columns.map((column, place) => [column, cellValue(column, cells[place])]));
  }
}

function cellValue(column: string, cell = ''): unknown {
  if (cell === '') return null;
  return JSON_COLUMNS.has(column) ? parseJson(cell) : unescaped(cell);
}

async function* streamed(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* stream as unknown as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw unreachable('The server', error);
  }
}
