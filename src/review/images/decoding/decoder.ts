/** Controls one decoder process: starts it, sends it one image at a time, and kills it. */
import { type ChildProcess, fork } from 'node:child_process';
import { addAbortListener } from 'node:events';
import type { Socket } from 'node:net';
import { IMAGE_LIMITS } from '../image-limits.ts';
import type { DecoderResult, DecoderWork, FromDecoder, ToDecoder } from './decoder-messages.ts';

/** Passes on nothing from the server's environment, which holds secrets. Makes glibc return large blocks to the system at once. */
const ENVIRONMENT = Object.freeze({
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '65536',
  MALLOC_ARENA_MAX: '2',
});
const STDERR_CHARACTERS_MAX = 2_000;

/** The process ended while checking an image, or did not respond in time. */
export class DecoderLostError extends Error {
  override readonly name = 'DecoderLostError';
}

export class Decoder {
  readonly #child: ChildProcess;
  readonly #review_ms_max: number;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  #isReady = false;
  #hasEnded = false;
  #errors = '';

  constructor(file: URL, review_ms_max: number) {
    this.#review_ms_max = review_ms_max;
    this.#child = fork(file, {
      // Started without the server's flags, because one of them may name an input.
      execArgv: ['--expose-gc', '--max-semi-space-size=1'],
      env: ENVIRONMENT,
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
    });
    const ended = Promise.withResolvers<void>();
    this.ended = ended.promise;
    const end = () => {
      this.#hasEnded = true;
      ended.resolve();
    };
    this.#child.on('close', end).on('error', (error) => {
      this.#noteErrors(error.message);
      // The process was never started; Node closes stdin without an error.
      if (this.#child.pid === undefined) end();
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#noteErrors(text));
    // Writes to an ended process fail; `ended` reports that it ended.
    this.#child.stdin?.on('error', () => {});
    for (const stream of [this.#child.stdin, this.#child.stderr]) (stream as Socket | null)?.unref();
    this.#holdServer(false);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /**
   * Calls `reserve` when the memory needed is known. Rejects with DecoderLostError if the process does not survive the
   * image, and with the signal's reason if aborted while it starts. Kill the decoder after any error.
   */
  async check(
    file: Buffer,
    memory_bytes_max: number,
    reserve: (memory_bytes: number) => Promise<void>,
    samples: DecoderWork['samples'],
    signal: AbortSignal | undefined,
  ): Promise<DecoderResult> {
    this.#holdServer(true);
    try {
      await this.#start(signal);
      this.#tell({ kind: 'check', file_bytes: file.length, memory_bytes_max, samples });
      this.#child.stdin?.write(file);
      for (;;) {
        const answer = await this.#next(this.#review_ms_max);
        if (answer.kind === 'checked' || answer.kind === 'made') return answer;
        if (answer.kind === 'overran')
          throw new DecoderLostError(
            `The image decoder exceeded its memory limit: it used ${answer.memory_bytes} bytes.`,
          );
        if (answer.kind === 'needs') await reserve(answer.memory_bytes);
        this.#tell({ kind: 'granted' });
      }
    } finally {
      this.#holdServer(false);
    }
  }

  /** Resolves when the process has ended. Uses SIGKILL, because hanging native code ignores other signals. */
  async kill(): Promise<void> {
    this.#holdServer(true);
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  async #start(signal: AbortSignal | undefined): Promise<void> {
    if (this.#isReady) return;
    const aborted = Promise.withResolvers<never>();
    using _aborting = signal && addAbortListener(signal, () => aborted.reject(signal.reason));
    try {
      await Promise.race([this.#next(IMAGE_LIMITS.decoder_start_ms_max), aborted.promise]);
    } catch (error) {
      signal?.throwIfAborted();
      // The image did not cause this failure.
      throw new Error('The image decoder could not be started.', { cause: error });
    }
    this.#isReady = true;
  }

  /** The process sends one message for each message it receives. */
  async #next(ms_max: number): Promise<FromDecoder> {
    const next = Promise.withResolvers<FromDecoder>();
    const timer = setTimeout(
      () => next.reject(new DecoderLostError(`The image decoder did not respond within ${ms_max} ms.`)),
      ms_max,
    );
    const onEnd = () => next.reject(new DecoderLostError(this.#howItEnded()));
    this.#child.once('message', next.resolve).once('close', onEnd);
    if (this.#hasEnded) onEnd();
    try {
      return await next.promise;
    } finally {
      clearTimeout(timer);
      this.#child.off('message', next.resolve).off('close', onEnd);
    }
  }

  #tell(message: ToDecoder): void {
    // If the process has ended, waiting for its response reports that.
    this.#child.send(message, () => {});
  }

  /** An idle decoder does not keep a server, command or test alive. */
  #holdServer(isHeld: boolean): void {
    for (const handle of [this.#child, this.#child.channel]) handle?.[isHeld ? 'ref' : 'unref']();
  }

  #noteErrors(text: string): void {
    this.#errors = (this.#errors + text).slice(-STDERR_CHARACTERS_MAX);
  }

  #howItEnded(): string {
    return `The image decoder exited with ${this.#child.signalCode ?? this.#child.exitCode}. ${this.#errors}`.trim();
  }
}
