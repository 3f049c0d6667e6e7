/** Keeps files in memory for tests, and reads them a few bytes at a time. */
import { Readable } from 'node:stream';
import { FileGoneError, type FileStorage } from '../../files/file-storage.ts';

export class MemoryFilePlace implements Pick<FileStorage, 'read' | 'append' | 'remove' | 'hasRoom'> {
  readonly files = new Map<string, Buffer>();
  readonly #chunk_bytes: number;

  constructor(chunk_bytes = 64) {
    this.#chunk_bytes = chunk_bytes;
  }

  text(name: string): string {
    return this.files.get(name)?.toString() ?? '';
  }

  read(name: string, from = 0, to = Number.POSITIVE_INFINITY): Readable {
    return Readable.from(this.#chunks(name, from, to), { objectMode: false });
  }

  async *#chunks(name: string, from: number, to: number): AsyncGenerator<Buffer> {
    const bytes = this.files.get(name);
    if (bytes === undefined) throw new FileGoneError(`There is no ${name}.`);
    const end = Math.min(bytes.length, to);
    for (let at = from; at < end; at += this.#chunk_bytes) {
      yield bytes.subarray(at, Math.min(end, at + this.#chunk_bytes));
    }
  }

  async append(name: string, at: number, bytes: Uint8Array): Promise<void> {
    const before = this.files.get(name) ?? Buffer.alloc(0);
    if (before.length < at) throw new FileGoneError(`${name} is shorter than ${at}.`);
    this.files.set(name, Buffer.concat([before.subarray(0, at), bytes, before.subarray(at + bytes.length)]));
  }

  hasRoom = async (): Promise<boolean> => true;

  async remove(name: string): Promise<void> {
    this.files.delete(name);
  }
}
