/**
 * Runs the decoder processes of a server: a few, each with one image at a time, within one memory budget. A decoder
 * that crashes, hangs or uses too much memory is killed and replaced. Its image counts as not reviewed.
 */
import { type ImageFindings, NOT_REVIEWED } from '../check-results.ts';
import { IMAGE_LIMITS } from '../image-limits.ts';
import type { KnownSample } from '../marks/find-marks.ts';
import type { SampleRaster } from '../marks/make-sample.ts';
import { Decoder, DecoderLostError } from './decoder.ts';
import type { DecoderResult, DecoderWork } from './decoder-messages.ts';
import { type Release, Shares } from './shares.ts';

export interface ImageDecodersOptions {
  /** Budget for all images that are decoded concurrently, in addition to idle decoders. */
  readonly memory_mb_max: number;
  /** Called when a decoder did not survive an image. */
  readonly onLost?: (error: Error) => void;
  /** Only tests set this. */
  readonly decoders_max?: number;
  readonly review_ms_max?: number;
  readonly processFile?: URL;
}

const FILE = new URL('./decoder-process.ts', import.meta.url);
const BYTES_PER_MB = 1_048_576;

export class ImageDecoders {
  readonly #options: ImageDecodersOptions;
  readonly #memory_bytes_max: number;
  readonly #slots: Shares;
  readonly #memory: Shares;
  readonly #all = new Set<Decoder>();
  /** Each idle decoder has a timer that ends it. Decoders are reused last in, first out, so that surplus decoders time out. */
  readonly #idle: (readonly [Decoder, NodeJS.Timeout])[] = [];

  constructor(options: ImageDecodersOptions) {
    this.#options = options;
    this.#slots = new Shares(options.decoders_max ?? IMAGE_LIMITS.decoders_max);
    this.#memory_bytes_max = options.memory_mb_max * BYTES_PER_MB;
    this.#memory = new Shares(this.#memory_bytes_max);
  }

  /** Returns the id of each running process. */
  get pids(): readonly (number | undefined)[] {
    return Array.from(this.#all, ({ pid }) => pid);
  }

  /** Rejects if the signal aborts before decoding starts, and if no decoder could be started. */
  async check(file: Buffer, signal?: AbortSignal, samples: readonly KnownSample[] = []): Promise<ImageFindings> {
    const result = await this.#run(file, samples, signal);
    return result?.kind === 'checked' ? result.findings : NOT_REVIEWED;
  }

  /** Returns null if the file is not an image, or too plain. */
  async makeSample(file: Buffer): Promise<SampleRaster | null> {
    const result = await this.#run(file, 'make');
    return result?.kind === 'made' ? result.sample : null;
  }

  /** Returns undefined if the decoder was lost. */
  async #run(file: Buffer, samples: DecoderWork['samples'], signal?: AbortSignal): Promise<DecoderResult | undefined> {
    const leave = await this.#slots.take(1, signal);
    let release: Release = () => {};
    const reserve = async (memory_bytes: number) => {
      release = await this.#memory.take(memory_bytes, signal);
    };
    let decoder: Decoder | undefined;
    try {
      decoder = this.#takeIdle() ?? this.#start();
      const result = await decoder.check(file, this.#memory_bytes_max, reserve, samples, signal);
      this.#putIdle(decoder);
      return result;
    } catch (error) {
      // The memory of the decoder is free only when its process has ended.
      await decoder?.kill();
      if (!(error instanceof DecoderLostError)) throw error;
      this.#options.onLost?.(error);
      return undefined;
    } finally {
      release();
      leave();
    }
  }

  async close(): Promise<void> {
    for (const [, timer] of this.#idle) clearTimeout(timer);
    await Promise.all(Array.from(this.#all, (decoder) => decoder.kill()));
  }

  #start(): Decoder {
    const decoder = new Decoder(
      this.#options.processFile ?? FILE,
      this.#options.review_ms_max ?? IMAGE_LIMITS.review_ms_max,
    );
    this.#all.add(decoder);
    void decoder.ended.then(() => {
      this.#all.delete(decoder);
      this.#forgetIdle(decoder);
    });
    return decoder;
  }

  #takeIdle(): Decoder | undefined {
    const [decoder, timer] = this.#idle.pop() ?? [];
    clearTimeout(timer);
    return decoder;
  }

  #putIdle(decoder: Decoder): void {
    const timer = setTimeout(() => {
      this.#forgetIdle(decoder);
      void decoder.kill();
    }, IMAGE_LIMITS.decoder_idle_ms_max);
    this.#idle.push([decoder, timer.unref()]);
  }

  #forgetIdle(decoder: Decoder): void {
    const index = this.#idle.findIndex(([idle]) => idle === decoder);
    if (index !== -1) this.#idle.splice(index, 1);
  }
}
