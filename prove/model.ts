/**
 * `npm run prove:model`: sends random calls to a server, and compares every answer, every stored part and the feed with a small model of the
 * contract. A run that differs is made as short as possible, and printed. Then several clients change and read one offer at the same time,
 * and a search decides whether one order of these calls explains all answers.
 *
 * `--store postgres` uses its own PostgreSQL; `--commands N` and `--rounds N` send fewer; `--seed N` repeats a run.
 */
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { FigureTable } from '../bench/floors.ts';
import { storeOf } from '../bench/options.ts';
import { writeResult } from '../bench/report.ts';
import { ApiClient, requestToken, skuPath } from '../test/harness/api-client.ts';
import { startTestServer } from '../test/harness/test-server.ts';
import { STORE_VARIANTS } from '../test/harness/variants.ts';
import { isLinear, type TimedCall } from './model/linear.ts';
import { assertSame, COMMANDS, latestEvent, outcomeOf } from './model/offer-commands.ts';
import { type Account, NODES, type Read, read, type Write, written } from './model/offer-model.ts';

const { values: options } = parseArgs({
  options: {
    store: { type: 'string', default: 'sqlite' },
    commands: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
  },
});
const STORE = storeOf(options.store);
const COMMAND_COUNT = Number(options.commands);
const ROUNDS = Number(options.rounds);
const SEED = Number(options.seed);
const COMMANDS_PER_RUN = 100;
const CLIENTS = 4;
const CALLS_PER_CLIENT = 5;

const variant = STORE_VARIANTS[STORE === 'sqlite' ? 0 : 1];
const server = await startTestServer(variant.settings, STORE);
const figures = new FigureTable('Model', true);
try {
  const api = new ApiClient(server, variant, await requestToken(server.url, 'test'));
  const counted = { commands: 0 };
  let runs = 0;
  while (counted.commands < COMMAND_COUNT) {
    const run = fc.asyncProperty(
      fc.commands([...COMMANDS], { maxCommands: COMMANDS_PER_RUN, size: 'max' }),
      async (commands) => {
        const model = { account: {}, changed: new Map() };
        const real = { api, prefix: `m${runs++}-`, counted };
        const cursor = await latestEvent(api);
        await fc.asyncModelRun(() => ({ model, real }), commands);
        await assertSame(model, real, cursor);
      },
    );
    await fc.assert(run, { seed: SEED + runs, numRuns: 50, endOnFailure: false });
  }
  figures.figure({
    what: 'calls compared with the model',
    value: counted.commands,
    unit: 'calls',
    floor: COMMAND_COUNT,
  });
  let inOrder = 0;
  for (let round = 0; round < ROUNDS; round++) if (await isRoundLinear(api, round)) inOrder++;
  figures.figure({ what: 'rounds of concurrent calls', value: ROUNDS, unit: 'rounds' });
  figures.figure({ what: 'of these, explained by one order', value: inOrder, unit: 'rounds', floor: ROUNDS });
  if (figures.sayMissed()) process.exitCode = 1;
  writeResult(`proof-model-${STORE}`, { tables: [figures] });
} finally {
  await server.close();
}
process.exit(process.exitCode ?? 0);

type Call = { readonly write: Write } | { readonly read: Read };

/** Several clients write prices and quantities of one offer, and read them, at the same time. */
async function isRoundLinear(api: ApiClient, round: number): Promise<boolean> {
  const skuId = `l${round}`;
  const path = skuPath(skuId);
  await api.uploadedSku({}, skuId);
  await api.accepted('PUT', `${path}/price`, { price: 1 });
  const start: Account = {
    [skuId]: { sku: {}, price: { price: 1, fulfillment_nodes: [] }, stock: {}, isArchived: false },
  };
  const calls: TimedCall<Call, unknown>[] = [];
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      for (let n = 0; n < CALLS_PER_CLIENT; n++) {
        const value = round * 100 + client * 10 + n + 2;
        const call = callOf(skuId, (client + n) % 4, value);
        const startMs = performance.now();
        const answer = await answerOf(api, path, call);
        calls.push({ call, answer, startMs, endMs: performance.now() });
      }
    }),
  );
  const isOne = isLinear(calls, start, expectedOf);
  if (!isOne) console.error(JSON.stringify(calls, null, 1));
  assert.ok(calls.length === CLIENTS * CALLS_PER_CLIENT);
  return isOne;
}

function callOf(skuId: string, kind: number, value: number): Call {
  if (kind === 0) return { write: { part: 'price', skuId, body: { price: value } } };
  if (kind === 1) return { read: { part: 'price', skuId } };
  if (kind === 2) return { read: { part: 'inventory', skuId } };
  const nodes = NODES.slice(value % 2).map((id) => ({ fulfillment_node_id: id, quantity: value }));
  return { write: { part: 'inventory', skuId, body: { fulfillment_nodes: nodes } } };
}

async function answerOf(api: ApiClient, path: string, call: Call): Promise<unknown> {
  if ('read' in call) {
    const { body } = await api.get(`${path}/${call.read.part}`);
    return shown(body as Readonly<Record<string, unknown>>);
  }
  const isPrice = call.write.part === 'price';
  return outcomeOf(await api.send(isPrice ? 'PUT' : 'PATCH', `${path}/${call.write.part}`, call.write.body));
}

function expectedOf(account: Account, call: Call): readonly [unknown, Account] {
  if ('write' in call) return written(account, call.write);
  return [shown(read(account, call.read)[1] ?? {}), account];
}

/** Returns what both an answer and the model have: the price, or the quantity of each node. */
function shown({ price, fulfillment_nodes }: Readonly<Record<string, unknown>>): unknown {
  if (price !== undefined) return price;
  const nodes = (fulfillment_nodes ?? []) as readonly { fulfillment_node_id: string; quantity: number }[];
  return nodes.map(({ fulfillment_node_id: id, quantity }) => `${id} ${quantity}`).sort();
}
