/** Writes chunks to standard output or to a new file, compressed if its name ends in `.gz`. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { DraftFile } from '../store/sqlite/engine/draft-file.ts';
import { STANDARD_STREAM } from './data/export-file.ts';
import { accepted, refusal } from './failure.ts';
import type { Shell } from './shell.ts';

const PACKED_SUFFIX = '.gz';

export interface ChunkTarget {
  /** A file that does not exist yet, or `-`. */
  readonly out: string;
  /** What the chunks are, as the subject of an error: `The catalog`. */
  readonly what: string;
  /** Aborts the writing and leaves no file. */
  readonly stopped?: AbortSignal | undefined;
}

type Chunks = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

export async function writeChunks(shell: Shell, target: ChunkTarget, chunks: Chunks): Promise<void> {
  if (target.out === STANDARD_STREAM) return write(shell.output, target, chunks, false);
  using draft = accepted(DraftFile.create(target.out));
  // The file already exists. The flag `w` could create it again after an abort has deleted it.
  await write(createWriteStream(draft.path, { flags: 'r+' }), target, chunks, true);
  accepted(draft.keep());
}

async function write(
  stream: NodeJS.WritableStream,
  { out, what, stopped }: ChunkTarget,
  chunks: Chunks,
  end: boolean,
): Promise<void> {
  // Works one chunk ahead: gzip compresses in its own thread while the next chunk is generated.
  const source = Readable.from(chunks, { objectMode: true, highWaterMark: 1 });
  // The fastest level compresses such text to a tenth. A better level would make the generator wait.
  const packing = { level: constants.Z_BEST_SPEED, chunkSize: 262_144 };
  const stages = out.endsWith(PACKED_SUFFIX) ? [createGzip(packing)] : [];
  try {
    await pipeline([source, ...stages, stream], { end, ...(stopped && { signal: stopped }) });
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall !== 'write' && code !== 'EPIPE') throw error;
    throw refusal('file_unwritable', `${what} cannot be written: ${(error as Error).message}.`);
  }
}
