/**
 * Worker thread that processes one taxonomy file with its own database connection, and then ends. Reading and checking 16 MB
 * takes seconds, which would block requests on the main thread.
 */
import { once } from 'node:events';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { accept, type Outcome } from '../domain/outcome.ts';
import type { TaxonomyEntry } from '../domain/taxonomy/entries.ts';
import type { TaxonomyTree } from '../domain/taxonomy/tree.ts';
import type { ChangeGate } from '../operations/review/rule-change.ts';
import { importTaxonomy, partsOf } from '../operations/taxonomy/import-taxonomy.ts';
import { previewTaxonomy, type TaxonomyPreview } from '../operations/taxonomy/preview-taxonomy.ts';
import { textLines } from '../operations/text-lines.ts';
import { openSetupStore, type StoreSettings } from '../store/open-store.ts';
import { StoreUnavailableError } from '../store/port/errors.ts';
import type { TaxonomyHead } from '../store/port/settings.ts';
import { readCurrentTaxonomy } from '../taxonomy/read-stored.ts';

export interface TaxonomyThreadData {
  readonly store: StoreSettings;
  readonly file: Uint8Array;
  readonly job: TaxonomyJob;
}

export type TaxonomyJob =
  | { readonly kind: 'preview' }
  | { readonly kind: 'import'; readonly source: string; readonly nowMs: number };

type Passed = Awaited<ReturnType<ChangeGate['pass']>>;

export type TaxonomyJobResult = Outcome<TaxonomyPreview> | Outcome<TaxonomyHead>;

/** An error loses its class between threads, so an unavailable database has its own message. */
export type FromTaxonomyThread =
  | { readonly done: TaxonomyJobResult }
  | { readonly unavailable: string }
  /** Asks for the decision of the gate, which runs in the main thread because it reads offers. */
  | { readonly gate: Parameters<ChangeGate['pass']> };

/** Bytes read per step, so that the thread can handle other events, such as a stop, between steps. */
const CHUNK_BYTES = 65_536;

async function run({ store: settings, file, job }: TaxonomyThreadData): Promise<TaxonomyJobResult> {
  const store = await openSetupStore(settings);
  try {
    const lines = textLines(chunksOf(file));
    if (job.kind === 'import') {
      const nowMs = () => job.nowMs;
      return await importTaxonomy({ store: store.taxonomy, nowMs, gate: { pass: askGate } }, lines, job.source);
    }
    const { tree } = await readCurrentTaxonomy(store.taxonomy);
    const onTree = async (_tree: TaxonomyTree, entries: readonly TaxonomyEntry[]) => {
      await askGate('importTaxonomy', '', { kind: 'taxonomy', taxonomy: { parts: partsOf(entries) } });
    };
    return accept(await previewTaxonomy(tree, lines, onTree));
  } finally {
    await store.close();
  }
}

async function askGate(...gate: Parameters<ChangeGate['pass']>): Promise<Passed> {
  const answered = once(parentPort as MessagePort, 'message');
  parentPort?.postMessage({ gate } satisfies FromTaxonomyThread);
  const [passed] = await answered;
  return passed;
}

async function* chunksOf(file: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < file.length; start += CHUNK_BYTES) yield file.subarray(start, start + CHUNK_BYTES);
}

async function answer(): Promise<FromTaxonomyThread> {
  try {
    return { done: await run(workerData as TaxonomyThreadData) };
  } catch (error) {
    if (error instanceof StoreUnavailableError) return { unavailable: error.message };
    throw error;
  }
}

parentPort?.postMessage(await answer());
