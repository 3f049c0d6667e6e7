/** Compares a desired catalog with the fingerprints of the server. Nothing is stored between runs, so an interrupted sync can be rerun. */
import type { Offerbook } from '../../offerbook.ts';
import { PARTS, STEPS, type Step } from '../part-table.ts';
import { UsageError } from '../usage.ts';
import { type DesiredOffer, readCatalog } from './catalog.ts';
import { unescaped } from './lines.ts';
import { hashOf, quantitiesOf } from './part-hash.ts';
import { reportRows } from './report-rows.ts';

export interface Plan {
  /** The steps to send for each SKU that differs. */
  readonly steps: ReadonlyMap<string, readonly Step[]>;
  /** The line of each of these SKUs in the file. Pruned SKUs have none. */
  readonly lines: ReadonlyMap<string, number>;
  readonly counts: Readonly<Partial<Record<Step, number>>>;
  /** SKUs whose new price must be sent with their node prices, which the file cannot hold. */
  readonly withNodePrices: readonly string[];
  /** Number of SKUs in the file. */
  readonly inFile: number;
  /** SKUs in the file that do not exist on the server. */
  readonly missing: ReadonlySet<string>;
  /** Number of missing SKUs that the file cannot create, because it has no product data for them. */
  readonly withoutData: number;
  /** Number of SKUs that are not archived on the server. */
  readonly onServer: number;
  /** Active SKUs on the server that are not in the file. */
  readonly notInFile: readonly string[];
}

/** Columns of the report after the SKU id and the archive flag: a hash for each part. */
const REPORT_COLUMNS = PARTS.map((part) => `${part}_hash`);
const PRICE_PLACE = 1 + PARTS.indexOf('price');
const SEEN = Symbol('is in the file');
type Reported = string | typeof SEEN;

export async function makePlan(client: Offerbook, file: string, isPruned: boolean): Promise<Plan> {
  const reported = await readFingerprints(client);
  const onServer = countOf(reported.values(), isActive);
  const steps = new Map<string, Step[]>();
  const lines = new Map<string, number>();
  const stock = new Map<string, ReadonlyMap<string, number>>();
  const prices = new Map<string, DesiredPrice>();
  const missing = new Set<string>();
  let inFile = 0;
  let withoutData = 0;
  for await (const offer of readCatalog(file, (id) => reported.get(id) === SEEN)) {
    inFile++;
    const found = reported.get(offer.id) as string | undefined;
    reported.set(offer.id, SEEN);
    const differing = stepsOf(offer, found);
    if (differing.length > 0) {
      if (found === undefined) missing.add(offer.id);
      if (found === undefined && !differing.includes('sku')) withoutData++;
      steps.set(offer.id, differing);
      lines.set(offer.id, offer.line);
    }
    const quantities = offer.parts.inventory === undefined ? undefined : quantitiesOf(offer.parts.inventory);
    if (differing.includes('inventory') && quantities !== undefined) stock.set(offer.id, quantities);
    if (offer.keepsNodePrices && differing.includes('price'))
      prices.set(offer.id, { price: offer.parts.price?.price, hash: found?.split(',')[PRICE_PLACE] ?? '' });
  }
  if (inFile === 0) throw new UsageError(`${file} cannot be used: it has no SKUs. Nothing was sent.`);
  const withNodePrices = await dropSame(client, steps, stock, prices);
  const notInFile = Array.from(reported).flatMap(([id, found]) => (isActive(found) ? [id] : []));
  if (isPruned) for (const id of notInFile) steps.set(id, ['archive']);
  const counts = Object.fromEntries(
    STEPS.flatMap((step) => {
      const count = countOf(steps.values(), (planned) => planned.includes(step));
      return count === 0 ? [] : [[step, count]];
    }),
  );
  return { steps, lines, counts, withNodePrices, inFile, missing, withoutData, onServer, notInFile };
}

async function readFingerprints(client: Offerbook): Promise<Map<string, Reported>> {
  const reported = new Map<string, Reported>();
  const rows = reportRows(client, 'Fingerprints');
  const { value: header } = await rows.next();
  if (header?.cells.join() !== ['sku', 'archived', ...REPORT_COLUMNS].join())
    throw new Error('The Fingerprints report has columns that this client does not know. Update the client.');
  // Each SKU is kept as one text, because seven would take three times the memory.
  for await (const { cells } of rows) reported.set(unescaped(cells[0] ?? ''), cells.slice(1).join());
  return reported;
}

/** A SKU in the file is unarchived unless the file says that it is archived. Parts of an archived SKU cannot be changed. */
function stepsOf({ id, parts, isArchived }: DesiredOffer, found: string | undefined): Step[] {
  const [archived, ...hashes] = found?.split(',') ?? [];
  if (isArchived) return archived === 'false' ? ['archive'] : [];
  const differing = new Set<Step>(
    PARTS.filter((part, place) => {
      const body = parts[part];
      return body !== undefined && (hashOf(part, id, body) ?? 'invalid') !== (hashes[place] ?? '');
    }),
  );
  if (archived === 'true') differing.add('unarchive');
  return STEPS.filter((step) => differing.has(step));
}

interface DesiredPrice {
  readonly price: unknown;
  /** Hash of the price on the server. */
  readonly hash: string;
}

/**
 * Drops steps that would change nothing although the hash differs: hashes cover all nodes, but a stock update keeps nodes that it does not
 * name, and a price in CSV keeps node prices. Returns the SKUs with node prices whose price changes.
 */
async function dropSame(
  client: Offerbook,
  steps: Map<string, Step[]>,
  stock: ReadonlyMap<string, ReadonlyMap<string, number>>,
  prices: ReadonlyMap<string, DesiredPrice>,
): Promise<string[]> {
  const withNodePrices: string[] = [];
  if (stock.size === 0 && prices.size === 0) return withNodePrices;
  const rows = reportRows(client, 'ProductStatus');
  const { value: header } = await rows.next();
  const place = (column: string) => header?.cells.indexOf(column) ?? -1;
  const [quantityPlace, pricePlace] = [place('node_quantities'), place('price')];
  for await (const { cells } of rows) {
    const id = unescaped(cells[0] ?? '');
    const [desired, next] = [stock.get(id), prices.get(id)];
    const stored = new Map(desired && Object.entries(JSON.parse(cells[quantityPlace] ?? '{}')));
    const price = Number(cells[pricePlace] || Number.NaN);
    if (desired && [...desired].every(([node, quantity]) => stored.get(node) === quantity)) drop(id, 'inventory');
    if (next?.price === price) drop(id, 'price');
    else if (next?.hash && hashOf('price', id, { price }) !== next.hash) withNodePrices.push(id);
  }
  return withNodePrices;

  function drop(id: string, dropped: Step): void {
    const others = (steps.get(id) ?? []).filter((step) => step !== dropped);
    if (others.length === 0) steps.delete(id);
    else steps.set(id, others);
  }
}

function isActive(found: Reported): boolean {
  return found !== SEEN && found.startsWith('false');
}

export function countOf<T>(values: Iterable<T>, isCounted: (value: T) => boolean): number {
  let count = 0;
  for (const value of values) if (isCounted(value)) count++;
  return count;
}
