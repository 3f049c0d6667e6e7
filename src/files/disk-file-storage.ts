/**
 * Stores files in a folder, which several machines may share, with a subfolder per account. Only the server's user can
 * read them.
 *
 * A draft is written to the account's folder under a name that ends in `.part-` and eight hex digits, flushed, and
 * linked to its final name. Linking fails if the name is taken, whereas renaming would overwrite. No finished file has a name
 * of this form.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, type FileHandle, link, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { type FileDraft, FileGoneError, type FileStorage, StorageFullError, type SweptFiles } from './file-storage.ts';

const NAME = /^\d+\/[0-9a-z-]+\.[a-z]+$/;
const SWEPT_NAMES: Readonly<Record<SweptFiles, RegExp>> = {
  drafts: /\.part-[0-9a-f]{8}$/,
  reports: /\.csv$/,
  all: /^/,
};
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** How much is read at a time: few system calls for a file of a gigabyte, and little memory for each of many readers. */
const READ_BYTES = 262_144;

/**
 * The last reading of free space is used for this time, and for this many bytes of all writers together, because other
 * processes and the database write to the disk too.
 */
const FREE_SPACE_CACHE_MS = 250;
const FREE_SPACE_CACHE_BYTES = 8_388_608;

export class DiskFileStorage implements FileStorage {
  readonly #folder: string;
  readonly #free_bytes_min: number;
  /** Bytes that may be written before the next reading. */
  #room_bytes = 0;
  #checkedMs = Number.NEGATIVE_INFINITY;

  /** `free_bytes_min`: the free disk space that every write must leave. */
  constructor(folder: string, free_bytes_min = 0) {
    this.#folder = folder;
    this.#free_bytes_min = free_bytes_min;
  }

  /** Creates the folder, and fails if it cannot be used. Optional: folders are also created on demand. */
  async prepare(): Promise<void> {
    await createFolder(this.#folder).catch(fullWhenNoRoom);
    await access(this.#folder, constants.R_OK | constants.W_OK | constants.X_OK);
  }

  async create(name: string): Promise<FileDraft> {
    const target = this.#pathOf(name);
    const draft = `${target}.part-${randomBytes(4).toString('hex')}`;
    const handle = await openOrMake(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
    let isOpen = true;
    const discard = async () => {
      if (!isOpen) return;
      isOpen = false;
      await handle.close();
      await rm(draft, { force: true });
    };
    return {
      write: async (bytes) => {
        await this.#takeRoom(bytes.length);
        await writeAll(handle, bytes, null);
      },
      keep: async () => {
        try {
          await handle.sync().catch(fullWhenNoRoom);
          await giveName(draft, target);
          await flushFolder(path.dirname(target));
          return 'kept';
        } catch (error) {
          if (codeOf(error) === 'EEXIST') return 'exists';
          if (isMissing(error)) throw new FileGoneError(`The folder of ${target} was deleted.`, { cause: error });
          throw error;
        } finally {
          await discard();
        }
      },
      discard,
    };
  }

  async size(name: string): Promise<number | undefined> {
    const found = await stat(this.#pathOf(name)).catch(unlessMissing);
    return found?.size;
  }

  read(name: string, from = 0, to = Number.POSITIVE_INFINITY): Readable {
    return Readable.from(readRange(this.#pathOf(name), from, to), { objectMode: false, highWaterMark: READ_BYTES });
  }

  async append(name: string, at: number, bytes: Uint8Array): Promise<void> {
    const file = this.#pathOf(name);
    await this.#takeRoom(bytes.length);
    const opened = at === 0 ? openOrMake(file, constants.O_RDWR | constants.O_CREAT) : open(file, constants.O_RDWR);
    await using handle = await opened.catch(goneWhenMissing(file));
    const { size } = await handle.stat();
    if (size < at) throw new FileGoneError(`${file} has only ${size} bytes; expected at least ${at}.`);
    // Later bytes are not truncated: another process that took over this file may have written them. Reads stop at the
    // progress.
    await writeAll(handle, bytes, at);
    await handle.datasync();
    // The file may be new, so its directory entry must be flushed too.
    if (at === 0) await flushFolder(path.dirname(file));
  }

  async remove(name: string): Promise<void> {
    await rm(this.#pathOf(name), { force: true });
  }

  async freeBytes(): Promise<number> {
    await createFolder(this.#folder);
    const { bavail, bsize } = await statfs(this.#folder);
    return bavail * bsize;
  }

  hasRoom(): Promise<boolean> {
    return this.#hasRoomFor(0);
  }

  async #takeRoom(bytes: number): Promise<void> {
    if (!(await this.#hasRoomFor(bytes))) throw new StorageFullError('Free disk space is below the minimum.');
    this.#room_bytes -= bytes;
  }

  async #hasRoomFor(bytes: number): Promise<boolean> {
    const nowMs = performance.now();
    if (bytes > this.#room_bytes || nowMs - this.#checkedMs > FREE_SPACE_CACHE_MS) {
      const room_bytes = (await this.freeBytes()) - this.#free_bytes_min;
      this.#room_bytes = Math.min(room_bytes, Math.max(bytes, FREE_SPACE_CACHE_BYTES));
      this.#checkedMs = nowMs;
    }
    return this.#room_bytes >= bytes;
  }

  async sweep(what: SweptFiles, sinceMs: number): Promise<number> {
    let removed = 0;
    for (const account of (await readdir(this.#folder).catch(unlessMissing)) ?? []) {
      // Other files in the folder belong to the operator.
      if (!/^\d+$/.test(account)) continue;
      const folder = path.join(this.#folder, account);
      if (!(await stat(folder).catch(unlessMissing))?.isDirectory()) continue;
      for (const name of (await readdir(folder).catch(unlessMissing)) ?? []) {
        if (!SWEPT_NAMES[what].test(name)) continue;
        const file = path.join(folder, name);
        const found = await stat(file).catch(unlessMissing);
        if (found === undefined || !found.isFile() || found.mtimeMs >= sinceMs) continue;
        await rm(file, { force: true });
        removed++;
      }
    }
    return removed;
  }

  #pathOf(name: string): string {
    if (!NAME.test(name)) throw new Error(`${JSON.stringify(name)} is not a valid file name.`);
    return path.join(this.#folder, name);
  }
}

const NO_ROOM: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

async function giveName(draft: string, target: string): Promise<void> {
  try {
    await link(draft, target);
  } catch (error) {
    if (!NO_LINKS.has(codeOf(error))) throw error;
    // Some file systems do not support hard links. If two writers get here at the same time, the later one wins.
    const taken = await stat(target).catch(unlessMissing);
    if (taken !== undefined) throw Object.assign(new Error('The name is taken.'), { code: 'EEXIST' });
    await rename(draft, target);
  }
}

async function* readRange(file: string, from: number, to: number): AsyncGenerator<Buffer> {
  await using handle = await open(file, constants.O_RDONLY).catch(goneWhenMissing(file));
  for (let at = from; at < to; ) {
    const wanted = Math.min(READ_BYTES, to - at);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield bytesRead === wanted ? buffer : buffer.subarray(0, bytesRead);
  }
}

/** Appends if `at` is null. */
async function writeAll(handle: FileHandle, bytes: Uint8Array, at: number | null): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const position = at === null ? null : at + done;
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position).catch(fullWhenNoRoom);
    done += bytesWritten;
  }
}

/** Creates the folder in the rare case that it is missing. */
async function openOrMake(file: string, flags: number): Promise<FileHandle> {
  const first = await open(file, flags, FILE_MODE).catch(unlessMissing).catch(fullWhenNoRoom);
  if (first !== undefined) return first;
  await createFolder(path.dirname(file)).catch(fullWhenNoRoom);
  return open(file, flags, FILE_MODE).catch(fullWhenNoRoom);
}

/** Does not use `mkdir` with `recursive`, which loops forever if an existing parent reports that it does not exist, as in `/proc`. */
async function createFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(unlessMissing);
  if (found?.isDirectory()) return;
  if (path.dirname(folder) !== folder) await createFolder(path.dirname(folder));
  try {
    await mkdir(folder, { mode: FOLDER_MODE });
  } catch (error) {
    // Another process may have created it first.
    if (codeOf(error) !== 'EEXIST' || !(await stat(folder)).isDirectory()) throw error;
  }
}

async function flushFolder(folder: string): Promise<void> {
  await using handle = await open(folder, constants.O_RDONLY);
  await handle.sync();
}

function unlessMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

function goneWhenMissing(file: string): (error: unknown) => never {
  return (error) => {
    throw isMissing(error) ? new FileGoneError(`${file} does not exist.`, { cause: error }) : error;
  };
}

function fullWhenNoRoom(error: unknown): never {
  throw NO_ROOM.has(codeOf(error)) ? new StorageFullError('The disk has no space for files.', { cause: error }) : error;
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | null)?.code ?? '';
}
