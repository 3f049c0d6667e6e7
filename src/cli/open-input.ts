/** Opens the input of a command: a file, or standard input. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { readingReasonOf } from '../store/sqlite/engine/data-dir.ts';
import { STANDARD_STREAM } from './data/export-file.ts';
import { refusal } from './failure.ts';
import type { Shell } from './shell.ts';

export interface Input {
  readonly chunks: Readable & AsyncIterable<Buffer>;
  /** Size of the input; undefined if it is unknown. */
  readonly bytes?: number;
}

/** Throws RefusedError when the file cannot be read. */
export async function openInput(shell: Shell, file: string): Promise<Input> {
  if (file === STANDARD_STREAM) return { chunks: shell.input };
  try {
    const stats = await stat(file);
    if (stats.isDirectory()) throw new Error('it is a folder');
    const { size } = stats;
    return { chunks: createReadStream(file, { highWaterMark: 262_144 }), bytes: size };
  } catch (error) {
    throw refusal('file_unreadable', `The file ${file} cannot be read: ${readingReasonOf(error)}.`);
  }
}
