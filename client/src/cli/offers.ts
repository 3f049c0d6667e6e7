/** Commands for individual offers. */
import { parseJson, toJson } from '../json.ts';
import type { Tagged } from '../offerbook.ts';
import type { InventoryBody, NodesAnswer, OfferBody, PriceBody, SkuBody } from '../types.ts';
import type { Commands, Run } from './command.ts';
import { print, printable, quoted, readText, table } from './terminal.ts';
import { UsageError } from './usage.ts';

const BODY_FILE = 'JSON file with the body of the call, "-" for standard input';

const IMAGE_CHECKS: ReadonlySet<string> = new Set(['main_image', 'alternate_images']);

export const OFFER_COMMANDS: Commands = {
  'sku get': {
    takes: '<sku>',
    about: 'Print a SKU with its status.',
    run: async (run) => shown(run, await (await run.client()).getSku(first(run))),
  },
  'sku put': {
    takes: '<sku> <file>',
    about: `Upload a SKU. The file is a ${BODY_FILE}.`,
    options: {
      offer: { about: 'the file has several parts: sku, price, inventory, shipping_exception, returns_exception' },
    },
    async run(run) {
      const [sku = '', file = ''] = run.values;
      const client = await run.client();
      const body = objectOf(file, await readText(file)) as OfferBody;
      await (run.is('offer') ? client.putOffer(sku, body) : client.putSku(sku, body as SkuBody));
      return done(run, sku, 'stored');
    },
  },
  'sku list': {
    takes: '',
    about: 'Print the ids of all SKUs, in the order of their first upload.',
    async run(run) {
      for await (const sku of (await run.client()).skus()) print(run.is('json') ? JSON.stringify(sku) : printable(sku));
      return undefined;
    },
  },
  'price get': {
    takes: '<sku>',
    about: 'Print the price of a SKU.',
    run: async (run) => shown(run, await (await run.client()).getPrice(first(run))),
  },
  'price set': {
    takes: '<sku> <price> [node=price]...',
    about:
      "Set a SKU's price, and prices for individual fulfillment nodes. Nodes that are not listed use the SKU's price.",
    async run(run) {
      const [sku = '', price = '', ...nodes] = run.values;
      const perNode = nodes.map((pair) => {
        const [id, value] = pairOf(pair);
        return { fulfillment_node_id: id, fulfillment_node_price: value };
      });
      const body: PriceBody = {
        price: numberOf(price),
        ...(perNode.length === 0 ? {} : { fulfillment_nodes: perNode }),
      };
      await (await run.client()).putPrice(sku, body);
      return done(run, sku, 'price set');
    },
  },
  'inventory get': {
    takes: '<sku>',
    about: 'Print the stock of a SKU.',
    run: async (run) => shown(run, await (await run.client()).getInventory(first(run))),
  },
  'inventory set': {
    takes: '<sku> <node=quantity>...',
    about: 'Set the quantity at the listed fulfillment nodes. Quantities at other nodes stay unchanged.',
    async run(run) {
      const [sku = '', ...nodes] = run.values;
      const body: InventoryBody = {
        fulfillment_nodes: nodes.map((pair) => {
          const [id, quantity] = pairOf(pair);
          return { fulfillment_node_id: id, quantity };
        }),
      };
      await (await run.client()).patchInventory(sku, body);
      return done(run, sku, 'stock set');
    },
  },
  archive: {
    takes: '<sku>',
    about: 'Archive an offer: it is no longer for sale, and its stock is set to 0.',
    options: { undo: { about: 'unarchive the offer; its stock stays 0 until you set it' } },
    async run(run) {
      await (await run.client()).archive(first(run), !run.is('undo'));
      return done(run, first(run), run.is('undo') ? 'unarchived' : 'archived');
    },
  },
  review: {
    takes: '<sku>',
    about: 'Print why an offer is for sale or not.',
    options: {
      wait: { about: 'wait up to two minutes for a pending review to finish' },
      recheck: { about: 'first download the images again, then wait for the review' },
    },
    async run(run) {
      const client = await run.client();
      const sku = first(run);
      const before = await client.getReview(sku);
      if (before !== undefined && run.is('recheck')) await client.requestReview(sku);
      const wait = run.is('recheck') ? { after: before?.value } : {};
      const review = run.is('wait') || run.is('recheck') ? await client.waitForReview(sku, wait) : before;
      if (review === undefined) return shown(run, undefined);
      const { status, checks } = review.value;
      const open = checks.filter(({ state }) => state === 'failed' || state === 'pending');
      const rows = open.map(({ check, state, code, remedy }) => [
        code ?? check,
        state,
        (remedy ?? '').replaceAll('{id}', encodeURIComponent(sku)),
      ]);
      const isImage = open.some(({ check }) => IMAGE_CHECKS.has(check));
      run.result(review.value, () =>
        [
          `${printable(first(run))}: ${status}`,
          ...(rows.length === 0 ? [] : ['', table(['CODE', 'STATE', 'WHAT TO DO'], rows)]),
          ...(isImage ? ['', `To have the images checked again: offerbook review ${quoted(sku)} --recheck`] : []),
        ].join('\n'),
      );
      return undefined;
    },
  },
  nodes: {
    takes: '',
    about: 'Print your fulfillment nodes.',
    async run(run) {
      const { value } = await (await run.client()).call<NodesAnswer>('GET', '/fulfillment-nodes');
      const rows = value.fulfillment_nodes.map((node) => [
        node.fulfillment_node_id,
        node.rate_kind,
        node.service_levels.join(', '),
        node.shipping_methods.join(', '),
      ]);
      run.result(value, () => table(['ID', 'RATES', 'SERVICE LEVELS', 'SHIPPING METHODS'], rows));
      return undefined;
    },
  },
};

function first(run: Run): string {
  return run.values[0] ?? '';
}

function done(run: Run, sku: string, text: string): undefined {
  run.result({ sku, done: true }, () => `${printable(sku)}: ${text}.`);
  return undefined;
}

function shown(run: Run, found: Tagged<unknown> | undefined): boolean {
  if (found === undefined) {
    run.result(null, () => `${printable(first(run))}: not found.`);
    return false;
  }
  print(toJson(found.value));
  return true;
}

function objectOf(file: string, text: string): object {
  try {
    const value = parseJson(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new UsageError(`${file === '-' ? 'Standard input' : file} is not a JSON object.`);
}

function pairOf(pair: string): readonly [id: string, value: number] {
  const at = pair.lastIndexOf('=');
  if (at < 1) throw new UsageError(`${pair}: must be a node id, "=" and a number.`);
  return [pair.slice(0, at), numberOf(pair.slice(at + 1))];
}

function numberOf(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw new UsageError(`${text}: must be a number.`);
  return number;
}
