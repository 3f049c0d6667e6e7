/** Uploads and follows bulk files through the API, and reads their errors. */
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { FileType } from '../domain/vocabulary/file-types.ts';
import { refusalOf, unreachable } from './api-failure.ts';
import type { ApiSession } from './api-session.ts';
import { type FileRecord, hasEnded, readFileRecord } from './file-record.ts';
import { textWithin } from './read-answer.ts';
import { type SendOptions, sendFile } from './send-file.ts';

export interface SentFile {
  readonly type: FileType;
  readonly name: string;
  /** JSON, compressed with gzip or not. */
  readonly chunks: AsyncIterable<Buffer>;
}

export interface UploadWatch extends Pick<SendOptions, 'onRead'> {
  /** Called when the upload is complete, before it is submitted. */
  readonly onSent?: () => void;
}

export interface FilePage {
  readonly files: readonly FileRecord[];
  readonly json: Readonly<Record<string, unknown>>;
}

/** Small files finish within the first interval. Large files are polled less often, far below the rate limit. */
const POLL_MS_MIN = 50;
const POLL_MS_MAX = 500;

export class BulkFiles {
  readonly #session: ApiSession;
  readonly #signal: AbortSignal | undefined;

  constructor(session: ApiSession, signal?: AbortSignal) {
    this.#session = session;
    this.#signal = signal;
  }

  /** Uploads and submits the file; the server then processes it. */
  async upload({ type, name, chunks }: SentFile, { onRead, onSent }: UploadWatch = {}): Promise<FileRecord> {
    const { url } = await this.#session.get('/files/uploadToken');
    await sendFile(String(url), chunks, {
      ...(onRead === undefined ? {} : { onRead }),
      ...(this.#signal === undefined ? {} : { signal: this.#signal }),
    });
    onSent?.();
    return readFileRecord(await this.#session.post('/files/uploaded', { url, file_type: type, file_name: name }));
  }

  async read(fileId: string): Promise<FileRecord> {
    return readFileRecord(await this.#session.get(`/files/${encodeURIComponent(fileId)}`));
  }

  /** Newest first. */
  async list(offset: number, limit: number): Promise<FilePage> {
    const json = await this.#session.get(`/files?offset=${offset}&limit=${limit}`);
    const files = Array.isArray(json.files) ? (json.files as Record<string, unknown>[]) : [];
    return { files: files.map(readFileRecord), json };
  }

  /** Yields every state of the file until it ends; the last one is the final state. */
  async *follow(fileId: string): AsyncGenerator<FileRecord> {
    const options = this.#signal === undefined ? {} : { signal: this.#signal };
    for (let wait_ms = POLL_MS_MIN; ; wait_ms = Math.min(wait_ms * 1.5, POLL_MS_MAX)) {
      const record = await this.read(fileId);
      yield record;
      if (hasEnded(record)) return;
      await pause(wait_ms, undefined, options);
    }
  }

  /** Downloads a signed URL of a record. */
  async open(url: string): Promise<Readable> {
    const { origin } = new URL(url);
    let response: Response;
    try {
      response = await fetch(url, {
        redirect: 'manual',
        ...(this.#signal === undefined ? {} : { signal: this.#signal }),
      });
    } catch (error) {
      this.#signal?.throwIfAborted();
      throw unreachable(origin, error);
    }
    if (response.status !== 200) throw refusalOf(origin, response.status, await textWithin(response));
    return Readable.from(this.#bytesOf(response, origin), { objectMode: false });
  }

  async *#bytesOf({ body }: Response, origin: string): AsyncGenerator<Uint8Array> {
    try {
      yield* body ?? [];
    } catch (error) {
      this.#signal?.throwIfAborted();
      throw unreachable(origin, error);
    }
  }
}
