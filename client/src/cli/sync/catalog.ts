/** Reads a desired catalog: NDJSON with any parts of an offer, or CSV with prices and stock. One offer at a time is in memory. */
import { parseJson } from '../../json.ts';
import { openFile } from '../terminal.ts';
import { UsageError } from '../usage.ts';
import { csvRows, type Line, linesOf, type Row, unescaped } from './lines.ts';
import { PARTS, type Part, unknownField } from './part-hash.ts';

type Body = Readonly<Record<string, unknown>>;

export interface DesiredOffer {
  readonly id: string;
  /** The first line of the SKU in the file. */
  readonly line: number;
  /** Bodies of the single calls. A part that is absent stays as it is on the server. */
  readonly parts: Readonly<Partial<Record<Part, Body>>>;
  readonly isArchived: boolean;
  /** CSV has no column for prices of individual nodes: those on the server stay. */
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

/** A fault of the content, without the name of the file. */
class Fault extends Error {}

/**
 * Yields the offers without a fault. Then, or when there are too many faults, throws a `UsageError` with the lines of the faults.
 * `isRepeated` says whether an earlier offer has this id.
 */
export async function* readCatalog(
  file: string,
  isRepeated: (id: string) => boolean = () => false,
): AsyncGenerator<DesiredOffer> {
  const faults = new Faults(isRepeated);
  const lines = linesOf((await openFile(file)).chunks);
  try {
    const first = await nextLine(lines);
    if (first === undefined) throw new Fault('it is empty');
    const start = first.text.trim();
    if (start.startsWith('[')) throw new Fault('it is a JSON array. A catalog has one object per line');
    if (start === '{') throw new Fault('its first object has several lines. A catalog has one object per line');
    const all = joined(first, lines);
    yield* start.startsWith('{') ? ndjsonOffers(all, faults) : csvOffers(csvRows(all), faults);
  } catch (error) {
    if (error instanceof RangeError) faults.found.push(error.message);
    else if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      faults.found.push('it is not UTF-8. Unpack it first if it is compressed');
    else if (error instanceof Fault) faults.found.push(error.message);
    else throw error;
  }
  const [fault, ...further] = faults.found;
  if (fault === undefined) return;
  const listed = further.length === 0 ? ` ${fault}.` : faults.found.map((text) => `\n  ${text}.`).join('');
  const more = faults.found.length < FAULTS_MAX ? '' : '\nFurther faults are not listed.';
  throw new UsageError(`${file} cannot be used:${listed}${more}`);
}

/** Collects faults of individual lines, so that a person sees them all at once. */
class Faults {
  readonly found: string[] = [];
  readonly #isRepeated: (id: string) => boolean;

  constructor(isRepeated: (id: string) => boolean) {
    this.#isRepeated = isRepeated;
  }

  checkId(id: string, line: number, advice: string): void {
    if (this.#isRepeated(id)) throw new Fault(`line ${line}: SKU ${id} occurs twice. ${advice}`);
  }

  /** Undefined if the line has a fault. The last of too many faults is thrown. */
  noted<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Fault) || this.found.length + 1 >= FAULTS_MAX) throw error;
      this.found.push(error.message);
      return undefined;
    }
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
    const offer = faults.noted(() => ndjsonOffer(number, text, faults));
    if (offer !== undefined) yield offer;
  }
}

function ndjsonOffer(number: number, text: string, faults: Faults): DesiredOffer {
  const line = `line ${number}`;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Fault(`${line} is not JSON. Each line must be one object`);
  }
  if (!isObject(value)) throw new Fault(`${line} is not an object`);
  const { id, is_archived: isArchived = false, ...parts } = value;
  if (typeof id !== 'string' || id === '') {
    throw new Fault(`${line} has no "id". A line has the SKU id in "id", and parts of the offer: ${PARTS.join(', ')}`);
  }
  faults.checkId(id, number, 'A SKU has one line');
  if (typeof isArchived !== 'boolean') throw new Fault(`${line}: is_archived must be true or false`);
  for (const [name, body] of Object.entries(parts)) {
    if (!(PARTS as readonly string[]).includes(name))
      throw new Fault(`${line} has the unknown part "${name}". Parts are ${PARTS.join(', ')} and is_archived`);
    if (!isObject(body)) throw new Fault(`${line}: ${name} must be an object, the body of its call`);
    const unknown = unknownField(name as Part, body);
    if (unknown !== undefined) throw new Fault(`${line}: ${name} has the unknown field "${unknown}"`);
  }
  const offer = { id, line: number, parts: parts as DesiredOffer['parts'], isArchived, keepsNodePrices: false };
  if (!isArchived) checkPrice(number, offer.parts.price?.price);
  return offer;
}

/** Rows of one SKU follow each other: one for each fulfillment node. */
async function* csvOffers(rows: AsyncGenerator<Row>, faults: Faults): AsyncGenerator<DesiredOffer> {
  const columns = columnsOf((await rows.next()).value as Row);
  let offer: CsvOffer | undefined;
  for await (const { number, cells } of rows) {
    const cell = (column: Column) => (cells[columns.indexOf(column)] ?? '').trim();
    const id = unescaped(cell('sku'));
    if (offer !== undefined && offer.id !== id && !offer.isFaulty) yield offer.desired();
    if (offer?.id !== id) offer = new CsvOffer(id, number);
    const current: CsvOffer = offer;
    const isGood = faults.noted(() => {
      if (id === '') throw new Fault(`line ${number} has no SKU id`);
      if (cells.length > columns.length) throw new Fault(`line ${number} has more cells than the header`);
      faults.checkId(id, number, 'Rows of one SKU must follow each other');
      current.add(number, cell);
      return true;
    });
    if (!isGood) current.isFaulty = true;
  }
  if (offer !== undefined && !offer.isFaulty) yield offer.desired();
}

function columnsOf({ cells }: Row): Column[] {
  const columns = cells.map((cell) => cell.trim().toLowerCase() as Column);
  const unknown = columns.find((column) => !COLUMNS.includes(column));
  if (unknown !== undefined)
    throw new Fault(
      `the column "${unknown}" is unknown. Columns are ${COLUMNS.join(', ')}; other data, such as titles, needs NDJSON`,
    );
  if (new Set(columns).size < columns.length) throw new Fault('a column is repeated');
  if (!columns.includes('sku')) throw new Fault('the column "sku" is missing');
  if (columns.includes('node_id') !== columns.includes('quantity'))
    throw new Fault('the columns "node_id" and "quantity" belong together');
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

  add(number: number, cell: (column: Column) => string): void {
    const [price, node, quantity] = [cell('price'), unescaped(cell('node_id')), cell('quantity')];
    if (price !== '') this.#prices.add(numberOf(number, 'price', price));
    if ((node === '') !== (quantity === '')) throw new Fault(`line ${number}: node_id and quantity belong together`);
    if (quantity !== '' && !/^\d+$/.test(quantity))
      throw new Fault(`line ${number}: quantity must be a whole number of 0 or more`);
    if (node !== '' && this.#nodes.some(({ fulfillment_node_id }) => fulfillment_node_id === node))
      throw new Fault(`line ${number}: the node ${node} occurs twice in the rows of this SKU`);
    if (node !== '') this.#nodes.push({ fulfillment_node_id: node, quantity: Number(quantity) });
    const flag = BOOLEANS.get(cell('is_archived').toLowerCase());
    if (flag === undefined) throw new Fault(`line ${number}: is_archived must be true or false`);
    this.#flags.add(flag);
    if (!flag) for (const value of this.#prices) checkPrice(number, value);
    if (this.#prices.size > 1 || this.#flags.size > 1)
      throw new Fault(`line ${number}: price and is_archived must be the same in all rows of a SKU`);
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

function numberOf(line: number, column: Column, text: string): number {
  if (!NUMBER.test(text)) throw new Fault(`line ${line}: ${column} must be a number such as 9.95`);
  return Number(text);
}

/** A price of 0 or as text is the usual fault of an export. All other rules are checked by the server. */
function checkPrice(line: number, price: unknown): void {
  if (typeof price === 'string') throw new Fault(`line ${line}: price must be a number, not a text`);
  if (typeof price === 'number' && price < PRICE_MIN)
    throw new Fault(`line ${line}: price must be at least ${PRICE_MIN}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
