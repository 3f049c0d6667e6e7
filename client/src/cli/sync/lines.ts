/** Splits a stream of bytes into lines, and lines into the cells of CSV (RFC 4180). */

/** Enough for six parts of at most 1 MiB each. */
const LINE_CHARACTERS_MAX = 8 * 1024 * 1024;
/** Downloads put an apostrophe before text that a spreadsheet would run as a formula. */
const ESCAPED_CELL = /^'(?=['=+\-@\t\r\n＝＋－＠])/;
const QUOTED_OR_PLAIN_CELL = /^(?:"((?:[^"]|"")*)"|([^"]*))$/;

export interface Line {
  readonly number: number;
  /** The line without its line feed. A carriage return stays. */
  readonly text: string;
}

/** Throws a `RangeError` for a line that is too long, and a `TypeError` for bytes that are not UTF-8. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  // Drops a byte order mark at the start.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  let number = 0;
  for await (const chunk of chunks) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() as string;
    for (const text of parts) yield { number: ++number, text };
    if (rest.length > LINE_CHARACTERS_MAX)
      throw new RangeError(`line ${number + 1} has more than ${LINE_CHARACTERS_MAX} characters`);
  }
  rest += decoder.decode();
  if (rest !== '') yield { number: ++number, text: rest };
}

export interface Row {
  /** The number of the first line of the row. */
  readonly number: number;
  readonly cells: readonly string[];
}

/** Yields the rows of a CSV file, including the header. Without a given separator, it uses the one that occurs most in the first row. */
export async function* csvRows(lines: AsyncIterable<Line>, separator?: ',' | ';' | '\t'): AsyncGenerator<Row> {
  let chosen: string | undefined = separator;
  let open: Line | undefined;
  for await (const line of lines) {
    const { number, text }: Line = open === undefined ? line : { ...open, text: `${open.text}\n${line.text}` };
    // A cell with a line break continues in the next line.
    open = hasOpenQuote(text) ? { number, text } : undefined;
    if (open !== undefined && text.length > LINE_CHARACTERS_MAX) break;
    if (open !== undefined || text.trim() === '') continue;
    chosen ??= mostFrequent(text);
    yield { number, cells: cellsOf(text.endsWith('\r') ? text.slice(0, -1) : text, chosen) };
  }
  if (open !== undefined) throw new RangeError(`line ${open.number} has an unclosed quote`);
}

/** Returns the id in a cell, without the escaping of reports and spreadsheets. */
export function unescaped(cell: string): string {
  return cell.replace(ESCAPED_CELL, '');
}

function hasOpenQuote(text: string): boolean {
  let isOpen = false;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) isOpen = !isOpen;
  return isOpen;
}

function mostFrequent(header: string): string {
  const count = (separator: string) => header.split(separator).length;
  return [',', ';', '\t'].reduce((best, separator) => (count(separator) > count(best) ? separator : best));
}

function cellsOf(text: string, separator: string): string[] {
  const parts = text.split(separator);
  if (!text.includes('"')) return parts;
  const cells: string[] = [];
  for (let at = 0; at < parts.length; at++) {
    let cell = parts[at] as string;
    while (hasOpenQuote(cell) && at + 1 < parts.length) cell += `${separator}${parts[++at]}`;
    const [, quoted, plain] = QUOTED_OR_PLAIN_CELL.exec(cell) ?? [];
    cells.push(quoted?.replaceAll('""', '"') ?? plain ?? cell);
  }
  return cells;
}
