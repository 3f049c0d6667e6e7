/** Commands for individual offers. */
import { parseJson, toJson } from '../json.ts';
import type { Offerbook } from '../offerbook.ts';
import type { Tagged, WriteOptions, Written } from '../parts.ts';
import type { DryRunAnswer, InventoryBody, PriceBody } from '../types.ts';
import type { Command, Commands, Run } from './command.ts';
import { changeLines } from './sync/values.ts';
import { print, printable, quoted, readText, table } from './terminal.ts';
import { UsageError } from './usage.ts';

const BODY_FILE = 'JSON file with the body of the call, "-" for standard input';

const IMAGE_CHECKS: ReadonlySet<string> = new Set(['main_image', 'alternate_images']);

export const DRY_RUN = { about: 'store nothing, and print what would change' } as const;

export const OFFER_COMMANDS: Commands = {
  'sku get': {
    ...getter('a SKU with its status', (run) => (run.is('offer') ? 'getOffer' : 'getSku')),
    options: { offer: { about: 'print all parts of the offer, in the format that `sku put --offer` accepts' } },
  },
  'sku put': {
    ...putter('Upload a SKU.', (run) => (run.is('offer') ? 'putOffer' : run.is('shoe') ? 'putSkuV2' : 'putSku')),
    options: {
      offer: { about: 'the file has several parts: sku, price, inventory, shipping_exception, returns_exception' },
      shoe: { about: 'the SKU is a shoe, with product_type_id' },
      'dry-run': DRY_RUN,
    },
  },
  'sku list': {
    takes: '',
    about: 'Print the ids of all SKUs, or of those that match all filters, in the order of their first upload.',
    options: {
      status: { value: 'status', about: 'only SKUs with this status, such as "Missing Listing Data"' },
      'sub-status': { value: 'sub-status', about: 'only SKUs with this sub-status, such as "Missing price"' },
      upcoming: {
        value: 'change',
        about: 'only SKUs that will fail under an announced change: its id, or "yes" for any',
      },
      search: { value: 'words', about: 'only SKUs with these words in title, brand, SKU id or product codes' },
    },
    async run(run) {
      const filter = {
        status: run.text('status'),
        sub_status: run.text('sub-status'),
        upcoming: run.text('upcoming'),
        q: run.text('search'),
      };
      for await (const sku of (await run.client()).skus(filter))
        print(run.is('json') ? JSON.stringify(sku) : printable(sku));
      return undefined;
    },
  },
  'price get': getter('the price of a SKU', 'getPrice'),
  'price set': {
    takes: '<sku> <price> [node=price]...',
    about:
      "Set a SKU's price, and prices for individual fulfillment nodes. Nodes that are not listed use the SKU's price.",
    options: { 'dry-run': DRY_RUN },
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
      const client = await run.client();
      return written(run, sku, 'price set', (options) => client.putPrice(sku, body, options));
    },
  },
  'inventory get': getter('the stock of a SKU', 'getInventory'),
  'inventory set': {
    takes: '<sku> <node=quantity>...',
    about: 'Set the quantity at the listed fulfillment nodes. Quantities at other nodes stay unchanged.',
    options: { 'dry-run': DRY_RUN },
    async run(run) {
      const [sku = '', ...nodes] = run.values;
      const body: InventoryBody = {
        fulfillment_nodes: nodes.map((pair) => {
          const [id, quantity] = pairOf(pair);
          return { fulfillment_node_id: id, quantity };
        }),
      };
      const client = await run.client();
      return written(run, sku, 'stock set', (options) => client.patchInventory(sku, body, options));
    },
  },
  'variation get': getter('the variation group of a parent', 'getVariation'),
  'variation put': putter('Set the variation group of a parent.', () => 'putVariation'),
  'shipping-exception get': getter('the shipping exceptions of a SKU', 'getShippingException'),
  'shipping-exception put': putter(
    'Set the shipping exceptions of a SKU; {} clears them.',
    () => 'putShippingException',
  ),
  'returns-exception get': getter('the returns exception of a SKU', 'getReturnsException'),
  'returns-exception put': putter('Set the returns exception of a SKU; {} clears it.', () => 'putReturnsException'),
  archive: {
    takes: '<sku>',
    about: 'Archive an offer: it is no longer for sale, and its stock is set to 0.',
    options: { undo: { about: 'unarchive the offer; its stock stays 0 until you set it' }, 'dry-run': DRY_RUN },
    async run(run) {
      const client = await run.client();
      const text = run.is('undo') ? 'unarchived' : 'archived';
      return written(run, first(run), text, (options) => client.archive(first(run), !run.is('undo'), options));
    },
  },
  review: {
    takes: '<sku>',
    about: 'Print why an offer is for sale or not, what will fail under announced changes, and advice.',
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
      const { status, checks, upcoming, advice } = review.value;
      const open = checks.filter(({ state }) => state === 'failed' || state === 'pending');
      const later = upcoming.map((check) => ({ ...check, state: `fails from ${check.enforced_from}` }));
      const rows = [...open, ...later].map(({ check, state, code, remedy }) => [
        code ?? check,
        state,
        (remedy ?? '').replaceAll('{id}', encodeURIComponent(sku)),
      ]);
      const hints = advice.map(({ code, field, text }) => [code, field, text]);
      const isImage = open.some(({ check }) => IMAGE_CHECKS.has(check));
      run.result(review.value, () =>
        [
          `${printable(first(run))}: ${status}`,
          ...(rows.length === 0 ? [] : ['', table(['CODE', 'STATE', 'WHAT TO DO'], rows)]),
          ...(hints.length === 0 ? [] : ['', table(['ADVICE', 'FIELD', 'WHAT WOULD BE BETTER'], hints)]),
          ...(isImage
            ? ['', `To have the images checked again: offerbook-client review ${quoted(sku)} --recheck`]
            : []),
        ].join('\n'),
      );
      return undefined;
    },
  },
};

type Read = Extract<keyof Offerbook, `get${string}`>;
type Put = Extract<keyof Offerbook, `put${string}`>;

function getter(what: string, read: Read | ((run: Run) => Read)): Command {
  return {
    takes: '<sku>',
    about: `Print ${what}.`,
    async run(run) {
      const method = typeof read === 'string' ? read : read(run);
      return shown(run, await (await run.client())[method](first(run)));
    },
  };
}

function putter(about: string, methodOf: (run: Run) => Put): Command {
  return {
    takes: '<sku> <file>',
    about: `${about} The file is a ${BODY_FILE}.`,
    options: { 'dry-run': DRY_RUN },
    async run(run) {
      const [sku = '', file = ''] = run.values;
      const client = await run.client();
      // The server checks the body.
      const body = objectOf(file, await readText(file)) as never;
      return written(run, sku, 'stored', (options) => client[methodOf(run)](sku, body, options));
    },
  };
}

export function first(run: Run): string {
  return run.values[0] ?? '';
}

/** Writes, or with --dry-run only asks what would change, and prints the result. */
export async function written(
  run: Run,
  sku: string,
  text: string,
  write: (options: Pick<WriteOptions, 'dryRun'>) => Promise<Written | DryRunAnswer>,
): Promise<undefined> {
  const answer = await write(run.is('dry-run') ? { dryRun: true } : {});
  if ('changes' in answer) {
    const { changes, status, position } = answer;
    run.result({ sku, ...answer }, () =>
      [
        `${printable(sku)}: dry run, nothing was stored. ${changes.length === 0 ? 'Nothing would change.' : 'Would change:'}`,
        ...changeLines(changes).map((line) => `  ${line}`),
        `Status afterwards: ${printable(status)}`,
        ...(position?.rank === undefined
          ? []
          : [`Rank afterwards: ${position.rank} of ${position.rank_of}. ${position.why}.`]),
      ].join('\n'),
    );
  } else run.result({ sku, done: true }, () => `${printable(sku)}: ${text}.`);
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
