/** Random calls about a few offers: each is sent to a server, and its answer compared with the model's. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type ApiAnswer, type ApiClient, skuPath } from '../../test/harness/api-client.ts';
import {
  type Account,
  isEqual,
  isSet,
  NODES,
  type Outcome,
  type Part,
  RETURN_LOCATIONS,
  type Read,
  read,
  SIZE,
  type Write,
  written,
} from './offer-model.ts';

/** What the run has done so far; commands replace its members. */
export interface ModelRun {
  account: Account;
  /** The parts that each accepted write changed, by SKU id, as the feed must list them. */
  readonly changed: Map<string, Part[]>;
}

/** The server, and what keeps the offers of a run apart from those of other runs. */
export interface RealRun {
  readonly api: ApiClient;
  readonly prefix: string;
  /** Counts the commands of all runs. */
  readonly counted: { commands: number };
}

type Command = fc.AsyncCommand<ModelRun, RealRun>;

export const PATHS: Readonly<Record<Part, readonly [method: string, path: string]>> = {
  sku: ['PUT', ''],
  price: ['PUT', '/price'],
  inventory: ['PATCH', '/inventory'],
  variation: ['PUT', '/variation'],
  returns_exception: ['PUT', '/returnsexception'],
  archive: ['PUT', '/status/archive'],
};
/** How a write is sent: once, with a key and then repeated, or as a dry run only. */
type Way = 'once' | 'repeated' | 'dry';

class WriteCommand implements Command {
  readonly #write: Write;
  readonly #way: Way;

  constructor(write: Write, way: Way) {
    this.#write = write;
    this.#way = way;
  }

  check(): boolean {
    return true;
  }

  async run(model: ModelRun, real: RealRun): Promise<void> {
    real.counted.commands++;
    const { part } = this.#write;
    const write = { ...this.#write, skuId: real.prefix + this.#write.skuId, body: withPrefix(this.#write.body, real) };
    const [expected, after] = written(model.account, write);
    const [method, path] = PATHS[part];
    const target = `${skuPath(write.skuId)}${path}`;
    const headers = {
      ...(write.ifMatch === undefined ? {} : { 'if-match': await this.#tag(write, model, real) }),
      ...(this.#way === 'repeated' ? { 'idempotency-key': `${real.prefix}${real.counted.commands}` } : {}),
    };
    const send = (query = '') => real.api.send(method, target + query, write.body, headers);
    if (this.#way === 'dry') {
      const answer = await send('?dry_run=true');
      // The status of a dry run is 200 instead of 202.
      assert.deepEqual(outcomeOf(answer), expected.status === 202 ? { status: 200 } : expected);
      return;
    }
    const answer = await send();
    assert.deepEqual(outcomeOf(answer), expected);
    if (this.#way === 'repeated') assert.deepEqual(outcomeOf(await send()), expected);
    for (const skuId of changedOffers(model.account, after)) {
      model.changed.set(skuId, [...(model.changed.get(skuId) ?? []), part]);
    }
    model.account = after;
  }

  async #tag({ ifMatch, part, skuId }: Write, model: ModelRun, { api }: RealRun): Promise<string> {
    if (ifMatch === 'other' || !isSet(model.account[skuId], part)) return '"AAAAAAAAAAAAAAAAAAAAAAAAAAA"';
    const path = part === 'archive' ? '' : PATHS[part][1];
    return (await api.get(skuPath(skuId) + path)).headers.get('etag') ?? '';
  }

  toString(): string {
    return `${this.#way} ${JSON.stringify(this.#write)}`;
  }
}

class ReadCommand implements Command {
  readonly #read: Read;

  constructor(wanted: Read) {
    this.#read = wanted;
  }

  check(): boolean {
    return true;
  }

  async run(model: ModelRun, real: RealRun): Promise<void> {
    real.counted.commands++;
    const skuId = real.prefix + this.#read.skuId;
    const answer = await real.api.get(skuPath(skuId) + PATHS[this.#read.part][1]);
    assertRead(answer, read(model.account, { ...this.#read, skuId }));
  }

  toString(): string {
    return `read ${JSON.stringify(this.#read)}`;
  }
}

/** Asserts that every part of every offer reads as the model says; with a cursor, also that the feed has each change once and in order. */
export async function assertSame(model: ModelRun, { api, prefix }: RealRun, cursor?: string): Promise<void> {
  for (const skuId of Object.keys(model.account)) {
    for (const part of ['sku', 'price', 'inventory', 'variation', 'returns_exception'] as const) {
      assertRead(await api.get(skuPath(skuId) + PATHS[part][1]), read(model.account, { part, skuId }));
    }
  }
  if (cursor === undefined) return;
  const told = new Map<string, string[]>();
  for (let after = cursor, more = true; more; ) {
    const page = (await api.get(`/events?types=offer.updated&limit=1000&after=${after}`)).body as EventPage;
    for (const { merchant_sku: skuId, part } of page.events) {
      if (skuId.startsWith(prefix)) told.set(skuId, [...(told.get(skuId) ?? []), part]);
    }
    ({ next: after, more } = page);
  }
  for (const skuId of new Set([...told.keys(), ...model.changed.keys()])) {
    assert.equal(told.get(skuId)?.join(), model.changed.get(skuId)?.join(), `the feed of ${skuId}`);
  }
}

interface EventPage {
  readonly events: readonly { readonly merchant_sku: string; readonly part: string }[];
  readonly next: string;
  readonly more: boolean;
}

/** Returns a cursor after all events so far. */
export async function latestEvent(api: ApiClient): Promise<string> {
  return ((await api.get('/events?after=latest')).body as EventPage).next;
}

/** A write of a group can also change the groups that its members leave. */
export function changedOffers(before: Account, after: Account): readonly string[] {
  return Object.keys(after).filter((skuId) => !isEqual(before[skuId], after[skuId]));
}

export function outcomeOf({ status, body }: ApiAnswer): Outcome {
  const code = (body as { details?: readonly { code: string }[] } | undefined)?.details?.[0]?.code;
  return code === undefined ? { status } : { status, code };
}

function assertRead(answer: ApiAnswer, [outcome, fields]: ReturnType<typeof read>): void {
  assert.deepEqual(outcomeOf(answer), outcome);
  for (const [name, value] of Object.entries(fields ?? {})) {
    const found = (answer.body as Readonly<Record<string, unknown>>)[name];
    assert.ok(
      isEqual(comparable(name, found), comparable(name, value)),
      `${name}: ${JSON.stringify(found)}, not ${JSON.stringify(value)}`,
    );
  }
}

/** Nodes have no order, and those of an inventory have times. */
function comparable(name: string, value: unknown): unknown {
  if (name !== 'fulfillment_nodes' || !Array.isArray(value)) return value;
  const nodes = value.map(({ inventory_last_update: _time, ...node }: Readonly<Record<string, unknown>>) => node);
  return nodes.sort((one, other) => (String(one.fulfillment_node_id) < String(other.fulfillment_node_id) ? -1 : 1));
}

/** Adds the prefix of the run to the SKU ids of a body. */
function withPrefix(body: Write['body'], { prefix }: RealRun): Write['body'] {
  const children = body.children_skus as readonly string[] | undefined;
  return children === undefined ? body : { ...body, children_skus: children.map((id) => prefix + id) };
}

const skuId = fc.constantFrom('a', 'b', 'ü/ä');
const upload = fc.record({
  product_title: fc.constantFrom('Five', 'Seven', 'Enamelled pot', 'x'.repeat(500), 'x'.repeat(501), '漢字漢字漢'),
  multipack_quantity: fc.constantFrom(0, 1, 2, 128, 129),
  brand: fc.constantFrom('Potter & Sons', 'Other'),
  main_image_url: fc.constant('https://images.example/pot.jpg'),
  standard_product_codes: fc.constant([{ standard_product_code_type: 'UPC', standard_product_code: '012345678905' }]),
  shipping_weight_pounds: fc.constant(2),
  attributes_node_specific: fc.constantFrom('S', 'M').map((size) => [{ attribute_id: SIZE, attribute_value: size }]),
});
const valid = upload.map((body) => ({ ...body, product_title: `Title: ${body.product_title}`.slice(0, 500) }));
const node = fc.constantFrom(...NODES, ...NODES, ...NODES, 'nowhere');
const amount = fc.constantFrom(0.01, 1, 19.99, 1e9, 0.009, -1);
const price = fc.record(
  {
    price: amount,
    fulfillment_nodes: fc.array(
      fc.record({ fulfillment_node_id: node, fulfillment_node_price: fc.constantFrom(1, 2.5) }),
      {
        maxLength: 3,
      },
    ),
  },
  { requiredKeys: [] },
);
const stock = fc.record({
  fulfillment_nodes: fc.array(
    fc.record({ fulfillment_node_id: node, quantity: fc.constantFrom(0, 1, 7, 2 ** 31 - 1, -1) }),
    {
      maxLength: 3,
    },
  ),
});
const returns = fc.oneof(
  fc.constant({}),
  fc
    .array(fc.constantFrom(...RETURN_LOCATIONS, 'nowhere'), { maxLength: 2 })
    .map((ids) => ({ return_location_ids: ids })),
);
const group = fc.record({
  relationship: fc.constantFrom('Variation', 'Variation', 'Variation', 'variation'),
  variation_refinements: fc.constant([SIZE]),
  children_skus: fc.uniqueArray(skuId, { maxLength: 2 }),
});
const archive = fc.constantFrom({ is_archived: true }, { is_archived: false }, { is_archived: false }, {});
const bodies: readonly (readonly [Part, fc.Arbitrary<Write['body']>])[] = [
  ['sku', upload],
  ['sku', valid.map((body) => ({ ...body, multipack_quantity: 1 }))],
  ['price', price],
  ['inventory', stock],
  ['variation', group],
  ['returns_exception', returns],
  ['archive', archive],
];
const condition = fc.constantFrom(undefined, undefined, undefined, 'stored', 'other');
const way = fc.constantFrom('once', 'once', 'once', 'repeated', 'dry') as fc.Arbitrary<Way>;

export const COMMANDS: readonly fc.Arbitrary<Command>[] = [
  ...bodies.map(([part, body]) =>
    fc
      .tuple(skuId, body, condition, way)
      .map(
        ([id, sent, ifMatch, sentAs]) =>
          new WriteCommand({ part, skuId: id, body: sent, ...(ifMatch === undefined ? {} : { ifMatch }) }, sentAs),
      ),
  ),
  fc
    .tuple(skuId, fc.constantFrom('sku', 'price', 'inventory', 'variation', 'returns_exception'))
    .map(([id, part]) => new ReadCommand({ skuId: id, part: part as Read['part'] })),
];
