/** Reads a desired catalog: NDJSON with any parts of an offer, or CSV with prices and stock. One offer at a time is in memory. */
import { parseJson } from '../../json.ts';
import { PARTS, type Part } from '../part-table.ts';
import { openFile } from '../terminal.ts';
import { UsageError } from '../usage.ts';
import { csvRows, type Line, linesOf, type Row, unescaped } from './lines.ts';
import { unknownFields } from './part-hash.ts';

type Body = Readonly<Record<string, unknown>>;

export interface DesiredOffer {
  readonly id: string;
  /** The first line of the SKU in the file. */
  readonly line: number;
  /** Bodies of the single calls. A part that is absent stays as it is on the server. */
  readonly parts: Readonly<Partial<Record<Part, Body>>>;
  readonly isArchived: boolean;
  /** True for CSV, which has no column for node prices, so the node prices on the server stay. */
  readonly keepsNodePrices: boolean;
}

const COLUMNS = ['sku', 'price', 'node_id', 'quantity', 'is_archived'] as const;
type Column = (typeof COLUMNS)[number];
const PRICE_MIN = 0.01;
const FAULTS_MAX = 20;
const NUMBER = /^-?(?:\d+(?:\.\d*)?|\.\d+)$/;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...(['true', 'yes', '1'] as const).map((text) => [text, true] as const),
  ...(['false', 'no', '0', ''] as const).map((text) => [text, false] as const),
]);

/** Thrown when the rest of the file cannot be read, or the file has too many errors. */
class Unreadable extends Error {}

/**
 * Yields the offers without errors. Then, or when there are too many errors, throws a `UsageError` with the lines of the errors.
 * `isRepeated` says whether an earlier offer has this id.
 */
export async function* readCatalog(
  file: string,
  isRepeated: (id: string) => boolean = () => false,
): AsyncGenerator<DesiredOffer> {
  const faults: Faults = new Faults(isRepeated);
  const lines = linesOf((await openFile(file)).chunks);
  try {
    const first = await nextLine(lines);
    if (first === undefined) faults.end('it is empty');
    const start = first.text.trim();
    if (start.startsWith('[')) faults.end('it is a JSON array. A catalog has one object per line');
    if (start === '{') faults.end('its first object has several lines. A catalog has one object per line');
    const all = joined(first, lines);
    yield* start.startsWith('{') ? ndjsonOffers(all, faults) : csvOffers(csvRows(all), faults);
  } catch (error) {
    if (error instanceof RangeError) faults.found.push(error.message);
    else if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      faults.found.push('it is not UTF-8. Decompress it first if it is compressed');
    else if (!(error instanceof Unreadable)) throw error;
  }
  const [fault, ...further] = faults.found;
  if (fault === undefined) return;
  const listed = further.length === 0 ? ` ${fault}.` : faults.found.map((text) => `\n  ${text}.`).join('');
  const more = faults.found.length < FAULTS_MAX ? '' : '\nFurther errors are not listed.';
  throw new UsageError(`${file} cannot be used:${listed}${more}`);
}

/** Collects the errors of a file, so that a person sees them all at once. */
class Faults {
  readonly found: string[] = [];
  readonly #isRepeated: (id: string) => boolean;

  constructor(isRepeated: (id: string) => boolean) {
    this.#isRepeated = isRepeated;
  }

  add(fault: string): void {
    this.found.push(fault);
    if (this.found.length >= FAULTS_MAX) throw new Unreadable();
  }

  end(fault?: string): never {
    if (fault !== undefined) this.found.push(fault);
    throw new Unreadable();
  }

  checkId(id: string, line: number, advice: string): void {
    if (this.#isRepeated(id)) this.add(`line ${line}: SKU ${id} occurs twice. ${advice}`);
  }
}

/** Skips empty lines at the start. */
async function nextLine(lines: AsyncGenerator<Line>): Promise<Line | undefined> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done) return undefined;
    if (value.text.trim() !== '') return value;
  }
}

async function* joined(first: Line, rest: AsyncIterable<Line>): AsyncGenerator<Line> {
  yield first;
  yield* rest;
}

async function* ndjsonOffers(lines: AsyncIterable<Line>, faults: Faults): AsyncGenerator<DesiredOffer> {
  for await (const { number, text } of lines) {
    if (text.trim() === '') continue;
    const before = faults.found.length;
    const offer = ndjsonOffer(number, text, faults);
    if (offer !== undefined && faults.found.length === before) yield offer;
  }
}

/** Returns undefined if the line cannot be read. Adds all its faults to `faults`. */
function ndjsonOffer(number: number, text: string, faults: Faults): DesiredOffer | undefined {
  const line = `line ${number}`;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    faults.add(`${line} is not JSON. Each line must be one object`);
    return undefined;
  }
  if (!isObject(value)) {
    faults.add(`${line} is not an object`);
    return undefined;
  }
  const { id, is_archived: isArchived = false, ...parts } = value;
  if (typeof id !== 'string' || id === '')
    faults.add(`${line} has no "id". A line has the SKU id in "id", and parts of the offer: ${PARTS.join(', ')}`);
  else faults.checkId(id, number, 'A SKU has one line');
  if (typeof isArchived !== 'boolean') faults.add(`${line}: is_archived must be true or false`);
  for (const [name, body] of Object.entries(parts)) {
    if (!PARTS.some((part) => part === name))
      faults.add(`${line} has the unknown part "${name}". Parts are ${PARTS.join(', ')} and is_archived`);
    else if (!isObject(body)) faults.add(`${line}: ${name} must be an object: the body of the call for this part`);
    else
      for (const field of unknownFields(name as Part, body))
        faults.add(`${line}: ${name} has the unknown field "${field}"`);
  }
  if (isArchived !== true && isObject(parts.price)) checkPrice(number, parts.price.price, faults);
  return {
    id: id as string,
    line: number,
    parts: parts as DesiredOffer['parts'],
    isArchived: isArchived as boolean,
    keepsNodePrices: false,
  };
}

/** Merges consecutive rows of one SKU. There is one row for each fulfillment node. */
async function* csvOffers(rows: AsyncGenerator<Row>, faults: Faults): AsyncGenerator<DesiredOffer> {
  const columns = columnsOf((await rows.next()).value as Row, faults);
  let offer: CsvOffer | undefined;
  for await (const { number, cells } of rows) {
    const cell = (column: Column) => (cells[columns.indexOf(column)] ?? '').trim();
    const id = unescaped(cell('sku'));
    if (offer !== undefined && offer.id !== id && !offer.isFaulty) yield offer.desired();
    if (id === '' || offer?.id !== id) offer = new CsvOffer(id, number);
    const before = faults.found.length;
    if (id === '') faults.add(`line ${number} has no SKU id`);
    else faults.checkId(id, number, 'Rows for the same SKU must be consecutive');
    if (cells.length > columns.length) faults.add(`line ${number} has more cells than the header`);
    else offer.add(number, cell, faults);
    if (faults.found.length > before) offer.isFaulty = true;
  }
  if (offer !== undefined && !offer.isFaulty) yield offer.desired();
}

function columnsOf({ cells }: Row, faults: Faults): Column[] {
  const columns = cells.map((cell) => cell.trim().toLowerCase() as Column);
  const unknown = new Set(columns.filter((column) => !COLUMNS.includes(column)));
  for (const column of unknown)
    faults.add(
      `the column "${column}" is unknown. Columns are ${COLUMNS.join(', ')}; for other data, such as titles, use NDJSON`,
    );
  if (new Set(columns).size < columns.length) faults.add('a column is repeated');
  if (!columns.includes('sku')) faults.add('the column "sku" is missing');
  if (columns.includes('node_id') !== columns.includes('quantity'))
    faults.add('the columns "node_id" and "quantity" must be used together');
  // Stops here, because every row would have the same errors.
  if (faults.found.length > 0) faults.end();
  return columns;
}

class CsvOffer {
  readonly id: string;
  readonly line: number;
  isFaulty = false;
  readonly #prices = new Set<number>();
  readonly #nodes: { fulfillment_node_id: string; quantity: number }[] = [];
  readonly #flags = new Set<boolean>();

  constructor(id: string, line: number) {
    this.id = id;
    this.line = line;
  }

  add(number: number, cell: (column: Column) => string, faults: Faults): void {
    const [price, node, quantity] = [cell('price'), unescaped(cell('node_id')), cell('quantity')];
    const fault = (text: string) => faults.add(`line ${number}: ${text}`);
    const flag = BOOLEANS.get(cell('is_archived').toLowerCase());
    if (price !== '' && !NUMBER.test(price)) fault('price must be a number such as 9.95');
    else if (price !== '') {
      this.#prices.add(Number(price));
      if (flag !== true) checkPrice(number, Number(price), faults);
    }
    if ((node === '') !== (quantity === '')) fault('node_id and quantity must be set together');
    if (quantity !== '' && !/^\d+$/.test(quantity)) fault('quantity must be a whole number of 0 or more');
    if (node !== '' && this.#nodes.some(({ fulfillment_node_id }) => fulfillment_node_id === node))
      fault(`the node ${node} occurs twice in the rows of this SKU`);
    if (node !== '') this.#nodes.push({ fulfillment_node_id: node, quantity: Number(quantity) });
    if (flag === undefined) fault('is_archived must be true or false');
    else this.#flags.add(flag);
    if (this.#prices.size > 1 || this.#flags.size > 1)
      fault('price and is_archived must be the same in all rows of a SKU');
  }

  desired(): DesiredOffer {
    const [price] = this.#prices;
    const [isArchived = false] = this.#flags;
    return {
      id: this.id,
      line: this.line,
      parts: {
        ...(price === undefined ? {} : { price: { price } }),
        ...(this.#nodes.length === 0 ? {} : { inventory: { fulfillment_nodes: this.#nodes } }),
      },
      isArchived,
      keepsNodePrices: true,
    };
  }
}

/** A price of 0, or a price as text, is the most common error in an export. All other rules are checked by the server. */
function checkPrice(line: number, price: unknown, faults: Faults): void {
  if (typeof price === 'string') faults.add(`line ${line}: price must be a number, not text`);
  if (typeof price === 'number' && price < PRICE_MIN) faults.add(`line ${line}: price must be at least ${PRICE_MIN}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
