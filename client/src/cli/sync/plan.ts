/** Compares a desired catalog with the fingerprints of the server. The plan has no other state: after an interruption it is made again. */
import type { Offerbook } from '../../offerbook.ts';
import type { FileType } from '../../types.ts';
import { UsageError } from '../usage.ts';
import { type DesiredOffer, readCatalog } from './catalog.ts';
import { csvRows, linesOf, unescaped } from './lines.ts';
import { hashOf, PARTS, quantitiesOf } from './part-hash.ts';

/** In the order in which they are sent: an archived SKU refuses all other parts, and groups need their members. */
export const STEPS = [
  'unarchive',
  'sku',
  'price',
  'inventory',
  'shipping_exception',
  'returns_exception',
  'variation',
  'archive',
] as const;
export type Step = (typeof STEPS)[number];

export const FILE_TYPES: Readonly<Record<Step, FileType>> = {
  unarchive: 'Archive',
  sku: 'MerchantSKUs',
  price: 'Price',
  inventory: 'Inventory',
  shipping_exception: 'ShippingException',
  returns_exception: 'ReturnsException',
  variation: 'Variation',
  archive: 'Archive',
};

export interface Plan {
  /** What to send of each SKU that differs. */
  readonly steps: ReadonlyMap<string, readonly Step[]>;
  readonly counts: Readonly<Partial<Record<Step, number>>>;
  /** SKUs in the file. */
  readonly inFile: number;
  /** SKUs that are not archived on the server. */
  readonly onServer: number;
  /** SKUs among these that are not in the file. */
  readonly notInFile: readonly string[];
}

/** The cells of a SKU after its id: archived, then a hash for each part in this order. */
const REPORT_COLUMNS = PARTS.map((part) => `${part}_hash`);
const SEEN = Symbol('is in the file');
type Reported = string | typeof SEEN;

export async function makePlan(client: Offerbook, file: string, isPruned: boolean): Promise<Plan> {
  const reported = await readFingerprints(client);
  const onServer = countOf(reported.values(), isActive);
  const steps = new Map<string, Step[]>();
  const stock = new Map<string, ReadonlyMap<string, number>>();
  let inFile = 0;
  for await (const offer of readCatalog(file)) {
    inFile++;
    const found = reported.get(offer.id);
    if (found === SEEN) {
      throw new UsageError(
        `${file} cannot be used: SKU ${offer.id} occurs twice. Rows of one SKU must follow each other.`,
      );
    }
    reported.set(offer.id, SEEN);
    const differing = stepsOf(offer, found);
    if (differing.length > 0) steps.set(offer.id, differing);
    const quantities = offer.parts.inventory === undefined ? undefined : quantitiesOf(offer.parts.inventory);
    if (differing.includes('inventory') && quantities !== undefined) stock.set(offer.id, quantities);
  }
  if (isPruned && inFile === 0)
    throw new UsageError(`${file} cannot be used: it has no SKUs, and --prune would archive all. Nothing was sent.`);
  await dropSameStock(client, steps, stock);
  const notInFile = Array.from(reported).flatMap(([id, found]) => (isActive(found) ? [id] : []));
  if (isPruned) for (const id of notInFile) steps.set(id, ['archive']);
  const counts = Object.fromEntries(
    STEPS.flatMap((step) => {
      const count = countOf(steps.values(), (planned) => planned.includes(step));
      return count === 0 ? [] : [[step, count]];
    }),
  );
  return { steps, counts, inFile, onServer, notInFile };
}

async function readFingerprints(client: Offerbook): Promise<Map<string, Reported>> {
  const reported = new Map<string, Reported>();
  const rows = csvRows(linesOf(streamed(await client.report('Fingerprints'))), ',');
  const { value: header } = await rows.next();
  if (header?.cells.join() !== ['sku', 'archived', ...REPORT_COLUMNS].join())
    throw new Error('The report Fingerprints has other columns than this client knows. Update the client.');
  // One text for each SKU: seven would take three times the memory.
  for await (const { cells } of rows) reported.set(unescaped(cells[0] ?? ''), cells.slice(1).join());
  return reported;
}

/** A SKU in the file is for sale unless the file says otherwise. Parts of an archived SKU cannot be changed. */
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

/**
 * An update of stock keeps the nodes that it does not name, but the hash is of all nodes. So stock whose hash differs is compared
 * node by node.
 */
async function dropSameStock(
  client: Offerbook,
  steps: Map<string, Step[]>,
  stock: Map<string, ReadonlyMap<string, number>>,
): Promise<void> {
  if (stock.size === 0) return;
  const rows = csvRows(linesOf(streamed(await client.report('ProductStatus'))), ',');
  const { value: header } = await rows.next();
  const column = header?.cells.indexOf('node_quantities') ?? -1;
  for await (const { cells } of rows) {
    const id = unescaped(cells[0] ?? '');
    const desired = stock.get(id);
    if (desired === undefined) continue;
    const stored = new Map(Object.entries(JSON.parse(cells[column] ?? '{}')));
    if (![...desired].every(([node, quantity]) => stored.get(node) === quantity)) continue;
    const others = (steps.get(id) ?? []).filter((step) => step !== 'inventory');
    if (others.length === 0) steps.delete(id);
    else steps.set(id, others);
  }
}

async function* streamed(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* stream as unknown as AsyncIterable<Uint8Array>;
}

function isActive(found: Reported): boolean {
  return found !== SEEN && found.startsWith('false');
}

function countOf<T>(values: Iterable<T>, isCounted: (value: T) => boolean): number {
  let count = 0;
  for (const value of values) if (isCounted(value)) count++;
  return count;
}
