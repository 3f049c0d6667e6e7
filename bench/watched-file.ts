/** Sends one bulk file and samples its progress until it has finished. */
import { createReadStream } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Files, fileIdOf, hasEnded } from '../client/src/files.ts';
import type { FileRecord } from '../client/src/types.ts';
import type { GeneratedFile } from './generated-files.ts';
import { anonymousMegabytes, treeSeconds } from './machine.ts';

export interface Sample {
  /** Time since the file was submitted. */
  readonly ms: number;
  readonly rows: number;
  /** RssAnon of the server, MB. */
  readonly memory: number | undefined;
}

export interface WatchedFile {
  readonly type: string;
  readonly rows: number;
  /** Time from "uploaded" to "processed", by the server's clock. */
  readonly seconds: number;
  readonly rowsPerSecond: number;
  /** CPU time of all threads of the server, including other work. */
  readonly processorUsPerRow: number;
  /** Peak, MB. */
  readonly memoryMost: number | undefined;
  /** Rows per second around a tenth and nine tenths of the rows. */
  readonly rateEarly: number;
  readonly rateLate: number;
  readonly samples: readonly Sample[];
}

const SAMPLE_MS = 250;
const EARLY = 0.1;
const LATE = 0.9;
/** Half the distance over which the rate around a row is measured. */
const REACH = 0.05;

/** A file in progress. */
export class FileUnderWay {
  readonly #files: Files;
  readonly #pid: number;
  readonly #sent: FileRecord;
  readonly #samples: Sample[] = [];
  readonly #ended: Promise<FileRecord>;
  readonly #secondsBefore: number;
  #last: FileRecord;

  private constructor(files: Files, pid: number, sent: FileRecord) {
    this.#files = files;
    this.#pid = pid;
    this.#sent = sent;
    this.#last = sent;
    this.#secondsBefore = treeSeconds(pid) ?? Number.NaN;
    this.#ended = this.#watch();
    // The caller that awaits the result gets the error. Until then, it must not count as unhandled.
    this.#ended.catch(() => {});
  }

  static async send(files: Files, pid: number, file: GeneratedFile): Promise<FileUnderWay> {
    const content = createReadStream(file.path, { highWaterMark: 262_144 }) as AsyncIterable<Buffer>;
    return new FileUnderWay(files, pid, await files.upload({ type: file.type, name: file.path, content }));
  }

  get hasEnded(): boolean {
    return hasEnded(this.#last);
  }

  /** Resolves when this share of the file was read, or the file has finished. */
  async reached(share: number): Promise<void> {
    while (!this.hasEnded && this.#last.bytes_processed < share * this.#last.bytes_total) await pause(20);
  }

  async result(): Promise<WatchedFile> {
    const record = await this.#ended;
    const { status, rows_processed: rows, file_type: type, error_excerpt: excerpt = [] } = record;
    if (status !== 'Processed successfully') throw new Error(`The file ended as: ${status}. ${excerpt.join('; ')}`);
    const ms = Date.parse(String(record.processing_end)) - Date.parse(this.#sent.received);
    const samples = [...this.#samples, { ms, rows, memory: anonymousMegabytes(this.#pid) }];
    const processor_seconds = (treeSeconds(this.#pid) ?? Number.NaN) - this.#secondsBefore;
    const memories = samples.flatMap(({ memory }) => memory ?? []);
    return {
      type,
      rows,
      seconds: ms / 1000,
      rowsPerSecond: (rows * 1000) / ms,
      processorUsPerRow: (processor_seconds * 1_000_000) / rows,
      memoryMost: memories.length === 0 ? undefined : Math.max(...memories),
      rateEarly: rateAround(samples, rows * EARLY, rows * REACH),
      rateLate: rateAround(samples, rows * LATE, rows * REACH),
      samples,
    };
  }

  async #watch(): Promise<FileRecord> {
    const startMs = performance.now();
    while (!hasEnded(this.#last)) {
      await pause(SAMPLE_MS);
      this.#last = await this.#files.get(fileIdOf(this.#sent));
      if (hasEnded(this.#last)) break;
      const { rows_processed: rows } = this.#last;
      this.#samples.push({ ms: performance.now() - startMs, rows, memory: anonymousMegabytes(this.#pid) });
    }
    return this.#last;
  }
}

export async function watchFile(files: Files, pid: number, file: GeneratedFile): Promise<WatchedFile> {
  return (await FileUnderWay.send(files, pid, file)).result();
}

function rateAround(samples: readonly Sample[], row: number, reach: number): number {
  return (2 * reach * 1000) / (timeOf(samples, row + reach) - timeOf(samples, row - reach));
}

/** Returns the time at which this many rows were done, interpolated between the samples. */
function timeOf(samples: readonly Sample[], rows: number): number {
  const after = samples.findIndex((sample) => sample.rows >= rows);
  const before = samples[after - 1] ?? { ms: 0, rows: 0 };
  const { ms, rows: then } = samples[after] ?? { ms: Number.NaN, rows: Number.NaN };
  return before.ms + ((ms - before.ms) * (rows - before.rows)) / (then - before.rows);
}
