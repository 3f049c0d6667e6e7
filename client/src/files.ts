/** Uploads and follows bulk files, and reads their errors. */
import { OfferbookError, refusalOf, UnreachableError, unreachable } from './errors.ts';
import { anyOf, pathTo, type Session, textWithin } from './session.ts';
import type { FileRecord, FilesAnswer, FileType, UndoneFile } from './types.ts';

/** The content of a file. A function must return the same bytes each time, so that they can be sent again. */
export type FileContent =
  | string
  | Uint8Array
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | (() => AsyncIterable<Uint8Array>);

export interface UploadOptions {
  readonly type: FileType;
  /** Shown in the list of files. */
  readonly name: string;
  /** Rows in a format of bulk files, compressed with gzip or not. */
  readonly content: FileContent;
  /** Checks the rows and writes nothing. */
  readonly validateOnly?: boolean;
  /** Called with the number of bytes of the content that were read so far. */
  readonly onRead?: (bytes: number) => void;
  /** Called when the bytes have arrived, before the file is submitted. */
  readonly onSent?: () => void;
  readonly signal?: AbortSignal;
}

/** Small files finish within the first interval. Large files are polled less often, far below the request limit. */
const POLL_MS_MIN = 50;
const POLL_MS_MAX = 1_000;
const GZIP_MARK = [0x1f, 0x8b];
const UNFINISHED: ReadonlySet<string> = new Set(['Acknowledged', 'Processing']);
/** The operator may have renamed the first part of the field. */
const ID_FIELD = /^[a-z][a-z0-9_]*_file_id$/;

export function hasEnded(record: FileRecord): boolean {
  return !UNFINISHED.has(record.status);
}

export function fileIdOf(record: FileRecord): string {
  const [, id] = Object.entries(record).find(([field]) => ID_FIELD.test(field)) ?? [];
  if (typeof id !== 'string')
    throw new UnreachableError('The server did not return a file ID. It may run another release: update this client.');
  return id;
}

export class Files {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Sends the content, compressed during the upload, and submits it; the server then processes the rows. `follow` waits for the end. */
  async upload({
    type,
    name,
    content,
    validateOnly = false,
    onRead,
    onSent,
    signal,
  }: UploadOptions): Promise<FileRecord> {
    const { url } = await this.#session.value<{ url: string }>('GET', '/files/uploadToken', withSignal(signal));
    await this.#sendContent(url, content, onRead, signal);
    onSent?.();
    const body = { url, file_type: type, file_name: name };
    const query = validateOnly ? { query: { validate_only: true } } : {};
    return this.#session.value('POST', '/files/uploaded', { body, ...query, ...withSignal(signal) });
  }

  get(fileId: string): Promise<FileRecord> {
    return this.#session.value('GET', pathTo`/files/${fileId}`);
  }

  cancel(fileId: string): Promise<FileRecord> {
    return this.#session.value('POST', pathTo`/files/${fileId}/cancel`);
  }

  /** Undoes a finished file: sends another file with the values from before it. Offers that have changed since are skipped. */
  undo(fileId: string): Promise<UndoneFile> {
    return this.#session.value('POST', pathTo`/files/${fileId}/undo`);
  }

  /** Yields all files, newest first, or those whose id or name contains `search`. `limit` is the number of files per request. */
  async *list(limit = 100, search?: string): AsyncGenerator<FileRecord> {
    for (let offset = 0, total = 1; offset < total; ) {
      const page = await this.#session.value<FilesAnswer>('GET', '/files', { query: { offset, limit, q: search } });
      yield* page.files;
      if (page.files.length === 0) return;
      offset += page.files.length;
      total = page.total;
    }
  }

  /** Polls the file, and yields its record each time until processing ends. The last record has the result. */
  async *follow(fileId: string): AsyncGenerator<FileRecord> {
    for (let wait_ms = POLL_MS_MIN; ; wait_ms = Math.min(wait_ms * 1.5, POLL_MS_MAX)) {
      const record = await this.get(fileId);
      yield record;
      if (hasEnded(record)) return;
      await this.#session.pause(wait_ms);
    }
  }

  /** Opens a signed URL of a record: `error_url`, `retry_url`, or the URL of a report. */
  async open(url: string): Promise<ReadableStream<Uint8Array>> {
    return this.#session.retried(undefined, () => this.#openOnce(url));
  }

  async #openOnce(url: string): Promise<ReadableStream<Uint8Array>> {
    const { signal, fetch } = this.#session;
    const { origin } = new URL(url);
    let response: Response;
    try {
      response = await fetch(url, { redirect: 'manual', ...withSignal(signal) });
    } catch (error) {
      signal?.throwIfAborted();
      throw unreachable(origin, error);
    }
    if (!response.ok || response.body === null) throw refusalOf(origin, response, await textWithin(response));
    return response.body;
  }

  /** Content that can be read again is sent again when the connection breaks. A broken upload stores nothing. */
  async #sendContent(
    url: string,
    content: FileContent,
    onRead: UploadOptions['onRead'],
    signal?: AbortSignal,
  ): Promise<void> {
    let attempts = 0;
    const send = async () => {
      attempts++;
      try {
        await this.#sendOnce(url, content, onRead, signal);
      } catch (error) {
        anyOf(this.#session.signal, signal)?.throwIfAborted();
        // An earlier attempt arrived, but its response was lost.
        if (attempts > 1 && error instanceof OfferbookError && error.has('file_uploaded_before')) return;
        throw error;
      }
    };
    const isRepeatable =
      typeof content === 'string' ||
      typeof content === 'function' ||
      content instanceof Uint8Array ||
      content instanceof Blob;
    await (isRepeatable ? this.#session.retried(signal, send) : send());
  }

  async #sendOnce(
    url: string,
    content: FileContent,
    onRead: UploadOptions['onRead'],
    signal?: AbortSignal,
  ): Promise<void> {
    const source = new Source(content, onRead);
    const start = await source.start(GZIP_MARK.length);
    const isPacked = GZIP_MARK.every((byte, index) => start[index] === byte);
    const bytes = streamOf(source.all(start));
    const stream = isPacked
      ? bytes
      : bytes.pipeThrough(new CompressionStream('gzip') as unknown as TransformStream<Uint8Array, Uint8Array>);
    // Browsers stream requests over HTTP/2 only, or not at all, so they collect the compressed bytes first.
    const body = isBrowser() ? { body: await new Response(stream as never).blob() } : { body: stream, duplex: 'half' };
    try {
      const init = { method: 'PUT', headers: { 'content-type': 'application/gzip' }, ...body } as RequestInit;
      const { response, text } = await this.#session.exchange(url, init, signal);
      if (!response.ok) throw refusalOf(new URL(url).origin, response, text);
    } catch (error) {
      // If the content cannot be read to the end, that error is reported.
      throw source.failure ?? error;
    } finally {
      // fetch may keep reading after an early response or a broken connection.
      source.stop();
    }
  }
}

function withSignal(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

/** Checks globals that only browsers and their workers have. */
function isBrowser(): boolean {
  return 'document' in globalThis || 'WorkerGlobalScope' in globalThis;
}

function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
}

/** Reads the content as chunks and counts their bytes. */
class Source {
  /** The error that ended the content early. */
  failure: unknown;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #onRead: (bytes: number) => void;
  #bytes = 0;
  #isStopped = false;

  constructor(content: FileContent, onRead: (bytes: number) => void = () => {}) {
    this.#chunks = chunksOf(content)[Symbol.asyncIterator]();
    this.#onRead = onRead;
  }

  /** Reads at least this many bytes unless the content is shorter, because a pipe may deliver them one by one. */
  async start(bytes_min: number): Promise<Uint8Array> {
    let start = new Uint8Array();
    while (start.length < bytes_min) {
      const part = await this.#next();
      if (part === undefined) break;
      const joined = new Uint8Array(start.length + part.length);
      joined.set(start);
      joined.set(part, start.length);
      start = joined;
    }
    return start;
  }

  async *all(start: Uint8Array): AsyncGenerator<Uint8Array> {
    try {
      if (start.length > 0) yield start;
      for (let part = await this.#next(); part !== undefined; part = await this.#next()) yield part;
    } finally {
      await this.#chunks.return?.();
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#isStopped) return undefined;
    try {
      const { value, done } = await this.#chunks.next();
      if (done === true) return undefined;
      this.#bytes += value.length;
      this.#onRead(this.#bytes);
      return value;
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}

const CHUNK_BYTES = 262_144;

async function* chunksOf(content: FileContent): AsyncGenerator<Uint8Array> {
  if (typeof content === 'string' || content instanceof Uint8Array) {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    for (let from = 0; from < bytes.length; from += CHUNK_BYTES) yield bytes.subarray(from, from + CHUNK_BYTES);
    return;
  }
  if (typeof content === 'function') {
    yield* content();
    return;
  }
  const stream = content instanceof Blob ? content.stream() : content;
  if (!(stream instanceof ReadableStream)) {
    yield* stream;
    return;
  }
  // Not every browser can iterate a stream.
  const reader = stream.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel();
  }
}
