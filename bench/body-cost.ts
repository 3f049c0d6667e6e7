/** `node bench/body-cost.ts`: shows the CPU time of each step from the bytes of a body to the write and its tag, without a server. */
import type { Account } from '../src/domain/account.ts';
import { ANY_NODES, createBodyChecks } from '../src/domain/bodies/all-bodies.ts';
import { SkuBody } from '../src/domain/bodies/sku.ts';
import { readBodyText, type SentBody } from '../src/domain/body-text.ts';
import { Names, NEUTRAL_NAMES } from '../src/domain/names.ts';
import { checkWrite } from '../src/domain/offers/check-write.ts';
import type { AcceptedWrite, Part } from '../src/domain/offers/part.ts';
import { PART } from '../src/domain/offers/parts.ts';
import { writtenTag } from '../src/store/port/part-tags.ts';
import { sampleDocument } from './seed-store.ts';

const BODIES = 64;
const ROUNDS = 8;
const CALLS = 20_000;

const node = { fulfillment_node_id: 'demo-node-east' };
const account = { nodes: new Map([[node.fulfillment_node_id, {}]]) } as unknown as Account;
const names = new Names(NEUTRAL_NAMES);
const context = { names, bodies: createBodyChecks(names, ANY_NODES) };

/** Optional fields; each body has other ones, so that V8 sees many shapes of objects. */
const optional = Object.entries({
  ASIN: 'B000123456',
  manufacturer: 'Potter',
  mfr_part_number: '12',
  map_price: 5,
  category_path: 'Kitchen/Pots',
  external_item_type_keyword: 'pots',
  package_length_inches: 12.5,
  msrp: 19.99,
  ships_alone: true,
});
const order = [...Object.keys(SkuBody.properties).filter((name) => name !== 'prop_65'), 'prop_65'];

function skuWith(n: number, added: object): object {
  const fields = Object.entries({ ...JSON.parse(sampleDocument(`sku-${n}`)), ...added });
  return Object.fromEntries(fields.toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b)));
}

const someOf = (n: number) => Object.fromEntries(optional.filter((_, bit) => ((n * 2_654_435_761) >>> bit) & 1));
const MEASURED: readonly (readonly [title: string, part: Part, textOf: (n: number) => string])[] = [
  ['SKU', PART.sku as Part, (n) => JSON.stringify(skuWith(n, {}))],
  ['SKU, other fields each', PART.sku as Part, (n) => JSON.stringify(skuWith(n, someOf(n)))],
  ['SKU, with spaces', PART.sku as Part, (n) => JSON.stringify(skuWith(n, {}), null, 1)],
  ['price', PART.price as Part, (n) => JSON.stringify({ price: 5 + n / 100 })],
  ['inventory', PART.inventory as Part, (n) => JSON.stringify({ fulfillment_nodes: [{ ...node, quantity: n }] })],
];

/** Returns the CPU time of a call in the fastest round, in microseconds. */
function fastest(run: (n: number) => unknown): string {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const since = process.cpuUsage();
    for (let call = 0; call < CALLS; call++) run(call % BODIES);
    const { user, system } = process.cpuUsage(since);
    return (user + system) / CALLS;
  });
  return Math.min(...rounds).toFixed(2);
}

const only = process.argv[2];
for (const [title, part, textOf] of MEASURED) {
  if (only !== undefined && only !== title) continue;
  const bytes = Array.from({ length: BODIES }, (_, n) => Buffer.from(textOf(n)));
  const read = (n: number) => readBodyText((bytes[n] as Buffer).toString('latin1')) as SentBody;
  const sent = bytes.map((_, n) => read(n));
  const write = (body: SentBody) => (checkWrite(part, context, account, 'x', body) as AcceptedWrite).value;
  console.log(
    `${title}: read ${fastest(read)} us, check and convert ${fastest((n) => write(sent[n] as SentBody))} us, ` +
      `all with the tag ${fastest((n) => writtenTag(write(read(n))))} us`,
  );
}
