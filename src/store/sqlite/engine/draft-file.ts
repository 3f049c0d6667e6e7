/**
 * Writes files that appear complete or not at all: written under a temporary name, flushed, then renamed. Only their owner
 * may read them, and existing files are never overwritten.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { accept, type Outcome, refuse } from '../../../domain/outcome.ts';
import { requestProblem } from '../../../domain/problem.ts';
import { reasonOf } from './data-dir.ts';

export class DraftFile {
  /** The path to write to, in the folder of the target, so that both are on one file system. */
  readonly path: string;
  readonly target: string;

  private constructor(target: string) {
    this.target = target;
    this.path = `${target}.part-${randomBytes(4).toString('hex')}`;
  }

  static create(target: string): Outcome<DraftFile> {
    const draft = new DraftFile(resolve(target));
    if (existsSync(draft.target)) return draft.#exists();
    try {
      closeSync(openSync(draft.path, 'wx', 0o600));
    } catch (error) {
      const text = `The file ${draft.target} cannot be written: ${reasonOf(error)}.`;
      return refuse([requestProblem('file_unwritable', text)]);
    }
    return accept(draft);
  }

  /** Gives the file its final name, durably. Refused if the name has been taken meanwhile. */
  keep(): Outcome<undefined> {
    flush(this.path);
    try {
      // A link fails if the name is taken; renaming would overwrite.
      linkSync(this.path, this.target);
      rmSync(this.path);
    } catch (error) {
      if (existsSync(this.target)) return this.#exists();
      // Some file systems have no links.
      if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      renameSync(this.path, this.target);
    }
    flush(dirname(this.target));
    return accept(undefined);
  }

  /** Removes the file, unless it was kept. */
  [Symbol.dispose](): void {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(`${this.path}${suffix}`, { force: true });
  }

  #exists(): Outcome<never> {
    const text = `The file ${this.target} already exists and was not overwritten. Choose another file name.`;
    return refuse([requestProblem('file_exists', text)]);
  }
}

const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

/** Flushes a file or folder to disk. Folders hold the names of files. */
export function flush(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
