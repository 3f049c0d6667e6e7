/** Commands that compare a desired catalog with the server, and send what differs. */
import path from 'node:path';
import { UnreachableError } from '../errors.ts';
import { fileIdOf, hasEnded } from '../files.ts';
import { toJson } from '../json.ts';
import type { Offerbook } from '../offerbook.ts';
import type { FileRecord } from '../types.ts';
import {
  NOT_SENT,
  type RefusedRow,
  refusedRows,
  SUCCEEDED,
  SYNC_PREFIX,
  type SyncedFile,
  shown,
  showRecords,
  uploadAndFollow,
  withoutPlace,
} from './bulk.ts';
import { type Commands, Interrupted, type Run } from './command.ts';
import { fileTypeOf, STEPS, type Step } from './part-table.ts';
import { type DesiredOffer, readCatalog } from './sync/catalog.ts';
import { countOf, makePlan, type Plan } from './sync/plan.ts';
import { readValues, type Values, valueLines } from './sync/values.ts';
import { ask, printable, quoted, say } from './terminal.ts';
import { UsageError } from './usage.ts';

const PRUNE = {
  value: 'archive',
  isLiteral: true,
  about: 'plan to archive the SKUs that are not in the file',
} as const;
const FILE_HELP = 'The file is NDJSON with any parts of the offers, or CSV with prices and stock.';
const CREATES = 'Their rows will be refused: only NDJSON with the part "sku" creates a SKU.';
const PRUNE_MAX_DEFAULT = '50%';
/** Only the newest files are checked, because files of an interrupted run are among them. */
const FILES_CHECKED_MAX = 1000;
const CHUNK_CHARACTERS = 65_536;
/** The number is limited because each SKU needs one or more dry runs. */
const VALUES_SKUS_MAX = 1000;
/** Maximum number of refused rows that are printed per file. `files errors` prints all. */
const REFUSED_SHOWN_MAX = 100;

export const SYNC_COMMANDS: Commands = {
  diff: {
    takes: '<file>',
    about: `Compare a catalog with the server, and print what differs. ${FILE_HELP} Exits with 1 if something differs.`,
    options: {
      prune: PRUNE,
      values: {
        about: `also print old and new values, for up to ${VALUES_SKUS_MAX.toLocaleString('en-US')} SKUs`,
      },
    },
    async run(run) {
      const file = fileOf(run);
      const client = await run.client();
      sayServer(client);
      const plan = await makePlan(client, file, isPruned(run));
      const valuesOf = run.is('values') ? await valueReader(client, plan, file) : undefined;
      for (const [sku, parts] of plan.steps) {
        const line = plan.lines.get(sku);
        const place = line === undefined ? '' : `line ${line}, `;
        const values = await valuesOf?.(sku, parts);
        run.result({ sku, line, parts, ...values }, () =>
          [`${place}${printable(sku)}: ${parts.join(', ')}`, ...(values ? valueLines(values) : [])].join('\n  '),
        );
      }
      say(planText(plan));
      if (run.is('values') && plan.steps.size > VALUES_SKUS_MAX)
        say(
          `Values are printed for the first ${number(VALUES_SKUS_MAX)} of ${number(plan.steps.size)} SKUs that differ. For the others, use a file with fewer SKUs.`,
        );
      return plan.steps.size === 0;
    },
  },
  sync: {
    takes: '<file>',
    about: `Compare a catalog with the server, show the plan, and send what differs as bulk files. ${FILE_HELP} Safe to repeat. Exits with 1 if a row failed.`,
    whenInterrupted: 'Nothing was sent. Run the same command again.',
    options: {
      prune: PRUNE,
      'prune-max': {
        value: 'count',
        about: `with --yes, archive at most this many SKUs that are not in the file: a number or N% (default: ${PRUNE_MAX_DEFAULT})`,
      },
      yes: { about: 'do not ask for confirmation, and wait for a server that does not respond' },
    },
    async run(run) {
      const file = fileOf(run);
      const most = pruneMaxOf(run);
      const client = await run.client({ isKnown: run.is('yes') });
      sayServer(client);
      await waitForFiles(client);
      const plan = await makePlan(client, file, isPruned(run));
      say(planText(plan));
      if (plan.steps.size > 0) await confirm(run, plan, most);
      const files: SyncedFile[] = [];
      const blocked = new Set<string>();
      const notSent: Partial<Record<Step, number>> = {};
      try {
        const nodePrices = await readNodePrices(client, plan.withNodePrices);
        for (const step of STEPS.filter((name) => plan.counts[name] !== undefined)) {
          const skipped = countOf(blocked, (id) => plan.steps.get(id)?.includes(step) ?? false);
          if (skipped > 0) notSent[step] = skipped;
          if (skipped === plan.counts[step]) continue;
          const name = `${SYNC_PREFIX}${step}-${path.parse(file).name}.ndjson`;
          // Each file ends before the next begins, because a row may need what another file writes.
          const rows = () => rowsOf(plan, step, file, nodePrices, blocked);
          const record = await uploadAndFollow(client, fileTypeOf(step), name, rows);
          files.push({ ...record, catalog: file, refused: await refusedOf(client, record, step, plan, blocked) });
        }
      } catch (error) {
        const advice = 'Files sent so far are kept. Run the same command again.';
        if (client.session.signal?.aborted) {
          const { message } = error instanceof Interrupted ? error : { message: 'Interrupted while sending files.' };
          throw new Interrupted(`${message} ${advice}`);
        }
        if (!(error instanceof UnreachableError)) throw error;
        throw new UnreachableError(`${error.message} ${advice}`, { cause: error });
      }
      const shownFiles = files.map(({ catalog: _catalog, ...record }) => shown(record));
      showRecords(run, files, { plan: plan.counts, files: shownFiles, not_sent: notSent });
      const counts = Object.entries(notSent).map(([step, count]) => `${step} ${number(count)}`);
      if (counts.length > 0) say(`Rows ${NOT_SENT}: ${counts.join(', ')}.`);
      return files.every(({ status }) => status === SUCCEEDED);
    },
  },
};

function fileOf({ values: [file = ''] }: Run): string {
  if (file === '-') throw new UsageError('The catalog must be a file: it is read several times.');
  return file;
}

function isPruned(run: Run): boolean {
  const prune = run.text('prune');
  if (prune !== undefined && prune !== 'archive') throw new UsageError('--prune: must be "archive".');
  return prune === 'archive';
}

type Most = (onServer: number) => number;

/** Returns how many SKUs a nightly job may archive because they are not in the file. */
function pruneMaxOf(run: Run): Most {
  const [, number, percent] = /^(\d+)(%?)$/.exec(run.text('prune-max') ?? PRUNE_MAX_DEFAULT) ?? [];
  if (number === undefined || (percent === '%' && Number(number) > 100))
    throw new UsageError('--prune-max: must be a number such as 500, or a share such as 20%.');
  return (onServer) => (percent === '%' ? (onServer * Number(number)) / 100 : Number(number));
}

/** Prints the server and user, because it is easy to start a sync with the wrong account. */
function sayServer({ session: { url, user } }: Offerbook): void {
  say(`Server: ${url}, user: ${printable(user)}`);
}

/** Waits for files in progress, because their rows are not in the fingerprints yet and would change the catalog after the comparison. */
async function waitForFiles(client: Offerbook): Promise<void> {
  let checked = 0;
  for await (const record of client.files.list(FILES_CHECKED_MAX)) {
    if (!hasEnded(record)) {
      say(`Waiting for file ${fileIdOf(record)}, which is being processed.`);
      for await (const _state of client.files.follow(fileIdOf(record)));
    }
    if (++checked === FILES_CHECKED_MAX) return;
  }
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}

function planText({ counts, inFile, onServer, notInFile, withoutData }: Plan): string {
  const planned = STEPS.flatMap((step) => (counts[step] === undefined ? [] : `  ${step}: ${number(counts[step])}`));
  return [
    `SKUs in the file: ${number(inFile)}. Active SKUs on the server: ${number(onServer)}. Not in the file: ${number(notInFile.length)}.`,
    ...(planned.length === 0 ? ['Nothing differs.'] : ['What differs:', ...planned]),
    ...(withoutData === 0
      ? []
      : [`SKUs that do not exist and have no product data: ${number(withoutData)}. ${CREATES}`]),
  ].join('\n');
}

async function confirm(run: Run, { steps, onServer, notInFile }: Plan, most: Most): Promise<void> {
  const archived = isPruned(run) ? notInFile.length : 0;
  const isMuch = archived > most(onServer);
  const archives = `${number(archived)} of ${number(onServer)} SKUs would be archived, because they are not in the file`;
  if (run.is('yes')) {
    if (!isMuch) return;
    throw new UsageError(
      `${archives}. Nothing was sent. If the file is complete, allow it with --prune-max=${archived}.`,
    );
  }
  const given = ['profile', 'prune'].flatMap((option) => {
    const value = run.text(option);
    return value === undefined ? [] : `--${option}=${quoted(value)} `;
  });
  say(`To see the values: offerbook-client diff ${quoted(fileOf(run))} ${given.join('')}--values`);
  const question = `SKUs to change: ${number(steps.size)}. Send the changes?`;
  const answer = await ask(`${isMuch ? `${archives}. ` : ''}${question} [y/N] `);
  if (answer === undefined) {
    const allowed = isMuch ? ` and --prune-max=${archived}` : '';
    throw new UsageError(`${isMuch ? `${archives}. ` : ''}Nothing was sent. Confirm the plan with --yes${allowed}.`);
  }
  if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError('Nothing was sent.');
}

/**
 * Returns the first rows that the server refused, with their lines in the catalog. Rows of pruned SKUs have no line. Adds SKUs that do not
 * exist to `blocked`, because the server would refuse their other parts for that reason alone.
 */
async function refusedOf(
  client: Offerbook,
  { error_url }: FileRecord,
  step: Step,
  { lines, steps, missing }: Plan,
  blocked: Set<string>,
): Promise<RefusedRow[]> {
  const refused: RefusedRow[] = [];
  if (error_url === undefined) return refused;
  try {
    for await (const row of refusedRows(await client.files.open(error_url))) {
      const { sku, details } = row;
      const isMissing = missing.has(sku) && (step === 'sku' || details.some(({ code }) => code === 'sku_unknown'));
      if (isMissing) blocked.add(sku);
      if (refused.length === REFUSED_SHOWN_MAX) {
        if (missing.size === 0) break;
        continue;
      }
      const line = lines.get(sku);
      const planned = steps.get(sku) ?? [];
      const not_sent = isMissing ? planned.slice(planned.indexOf(step) + 1) : [];
      refused.push({
        ...withoutPlace(row),
        ...(line === undefined ? {} : { line }),
        ...(not_sent.length === 0 ? {} : { not_sent }),
      });
    }
  } catch (error) {
    client.session.signal?.throwIfAborted();
    // The sync continues, because other files are still to be sent and the rows can be read later.
    say(`The refused rows cannot be shown: ${printable(String(error))}`);
  }
  return refused;
}

type NodePrices = ReadonlyMap<string, object>;

/**
 * Reads node prices to send them again, because a new price replaces them. This takes one call per SKU, because no report has node prices.
 */
async function readNodePrices(client: Offerbook, withNodePrices: readonly string[]): Promise<NodePrices> {
  const found = new Map<string, object>();
  if (withNodePrices.length > 0)
    say(`Reading the node prices of these SKUs, to keep them: ${number(withNodePrices.length)}`);
  for (const id of withNodePrices) {
    const nodes = (await client.getPrice(id))?.value.fulfillment_nodes ?? [];
    const prices = nodes.map(({ fulfillment_node_id, fulfillment_node_price }) => ({
      fulfillment_node_id,
      fulfillment_node_price,
    }));
    found.set(id, { fulfillment_nodes: prices });
  }
  return found;
}

/** Yields the rows of one step as NDJSON. The file is read again, so that no body stays in memory. */
async function* rowsOf(
  { steps, notInFile }: Plan,
  step: Step,
  file: string,
  nodePrices: NodePrices,
  blocked: ReadonlySet<string>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let text = '';
  for await (const [id, body] of bodiesOf()) {
    // The id comes first, and replaces a field of the body with the same name.
    text += `${toJson(Object.assign({ sku: id }, body, { sku: id }))}\n`;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield encoder.encode(text);
    text = '';
  }
  yield encoder.encode(text);

  async function* bodiesOf(): AsyncGenerator<readonly [id: string, body: object]> {
    for await (const { id, parts } of readCatalog(file)) {
      if (!steps.get(id)?.includes(step) || blocked.has(id)) continue;
      yield [id, bodyOf(step, parts, nodePrices.get(id))];
    }
    if (step !== 'archive') return;
    for (const id of notInFile) if (steps.has(id)) yield [id, bodyOf(step)];
  }
}

function bodyOf(step: Step, parts: DesiredOffer['parts'] = {}, nodePrices: object = {}): object {
  if (step === 'archive' || step === 'unarchive') return { is_archived: step === 'archive' };
  return { ...parts[step], ...(step === 'price' ? nodePrices : {}) };
}

type ValueReader = (id: string, steps: readonly Step[]) => Promise<Values | undefined>;

/** Reads the values of the first SKUs of the plan. Only their bodies stay in memory. */
async function valueReader(client: Offerbook, { steps, withNodePrices }: Plan, file: string): Promise<ValueReader> {
  const ids = new Set([...steps.keys()].slice(0, VALUES_SKUS_MAX));
  const offers = new Map<string, DesiredOffer['parts']>();
  for await (const { id, parts } of readCatalog(file)) if (ids.has(id)) offers.set(id, parts);
  const nodePrices = await readNodePrices(
    client,
    withNodePrices.filter((id) => ids.has(id)),
  );
  return async (id, planned) =>
    ids.has(id)
      ? readValues(client, id, planned, (step) => bodyOf(step, offers.get(id), nodePrices.get(id)))
      : undefined;
}
