/** Writes an export to standard output or to a file. It reads the file back and keeps it only if it is complete. */
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { requestProblem } from '../../domain/problem.ts';
import type { ExportCounts } from '../../operations/moves/export-lines.ts';
import { type Export, type ExportRequest, exportMerchants } from '../../operations/moves/export-merchants.ts';
import type { MoveStore } from '../../store/port/moves.ts';
import { DraftFile } from '../../store/sqlite/engine/draft-file.ts';
import { startProgress } from '../progress.ts';
import type { Shell } from '../shell.ts';

export const STANDARD_STREAM = '-';

interface ExportTarget {
  readonly target: string;
  /** Aborts the export and leaves no file. */
  readonly stopped?: AbortSignal | undefined;
}

/** Throws an AbortError if the export was stopped. */
export async function writeExport(
  shell: Shell,
  moves: MoveStore,
  request: ExportRequest,
  { target, stopped }: ExportTarget,
): Promise<Outcome<ExportCounts>> {
  await using opened = new AsyncDisposableStack();
  const snapshot = opened.adopt(await moves.openSnapshot(), (held) => held.close());
  using progress = startProgress(shell, 'Exporting', 'SKUs');
  const started = await exportMerchants(snapshot, request);
  if (!started.ok) return started;
  const onProgress = () => progress.show(started.value.counts.skus, started.value.skusExpected);
  return target === STANDARD_STREAM
    ? await writeTo(shell.output, started.value, onProgress, { end: false, signal: stopped })
    : await writeFile({ target, stopped }, started.value, onProgress);
}

async function writeFile(
  { target, stopped }: ExportTarget,
  exported: Export,
  onProgress: () => void,
): Promise<Outcome<ExportCounts>> {
  const created = DraftFile.create(target);
  if (!created.ok) return created;
  using draft = created.value;
  const options = { end: true, signal: stopped };
  // The file already exists. The flag `w` could create it again after an abort has deleted it.
  const stream = createWriteStream(draft.path, { flags: 'r+' });
  const written = await writeTo(stream, exported, onProgress, options);
  if (!written.ok) return written;
  const lines = await countLines(draft.path, stopped);
  if (lines !== written.value.lines) {
    const text = `The file ${target} has ${lines} lines instead of ${written.value.lines}; it was deleted.`;
    return refuse([requestProblem('file_unwritable', text)]);
  }
  const kept = draft.keep();
  return kept.ok ? written : kept;
}

async function writeTo(
  stream: Writable,
  { texts, counts }: Export,
  onProgress: () => void,
  options: { readonly end: boolean; readonly signal?: AbortSignal | undefined },
): Promise<Outcome<ExportCounts>> {
  const watched = async function* () {
    for await (const text of texts) {
      yield text;
      onProgress();
    }
  };
  try {
    await pipeline(Readable.from(watched(), { objectMode: true, highWaterMark: 1 }), stream, options);
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall !== 'write' && code !== 'EPIPE') throw error;
    return refuse([requestProblem('file_unwritable', `The export cannot be written: ${(error as Error).message}.`)]);
  }
  return accept(counts);
}

const NEWLINE = 0x0a;

async function countLines(file: string, signal?: AbortSignal): Promise<number> {
  let lines = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 1_048_576, signal })) {
    const bytes = chunk as Buffer;
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  }
  return lines;
}
