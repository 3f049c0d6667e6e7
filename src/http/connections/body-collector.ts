/**
 * Collects request bodies within a shared memory budget. When incoming bodies exceed it, the largest is refused, and
 * among equals the oldest. So a few thousand clients that never finish cannot exhaust memory, and small bodies still
 * pass.
 *
 * Received bytes count, not announced ones. Each body is one buffer that doubles in size: a list of pieces would take
 * 200 bytes per piece, and a client may send pieces of one byte. Memory is freed immediately, because the garbage collector
 * does not see memory outside its heap: 600 refused bodies of 1 MiB kept 600 MB until a later collection.
 */
import type { IncomingMessage } from 'node:http';

/** Why a body was not read to its end. */
export type BodyRefusal = 'too_large' | 'too_many_pieces' | 'overloaded';

export type CollectedBody = Buffer | BodyRefusal;

interface Unfinished {
  /** Received bytes fill this buffer from the start. Its whole capacity counts towards the budget. */
  held: Buffer;
  readonly refuse: () => void;
}

const EMPTY = Buffer.alloc(0);

/** The number of pieces is limited, because each costs 2.5 us, however small. A megabyte in chunks of one byte would take 2.5 s. */
const PIECES_MIN = 256;
const PIECE_BYTES = 256;

export class BodyCollector {
  readonly #bytesInFlightMax: number;
  readonly #unfinished = new Set<Unfinished>();
  #bytesInFlight = 0;

  constructor(bytesInFlightMax: number) {
    this.#bytesInFlightMax = bytesInFlightMax;
  }

  /** Calls back once, with the whole body or as soon as it is refused; never if the client disconnects. */
  collect(message: IncomingMessage, bytes_max: number, done: (body: CollectedBody) => void): void {
    if (Number(message.headers['content-length']) > bytes_max) {
      done('too_large');
      return;
    }
    // A request without a body has no stream, so Node would never emit an end event.
    if (message.readableEnded) {
      done(EMPTY);
      return;
    }
    let size = 0;
    let pieces = 0;
    const pieces_max = PIECES_MIN + bytes_max / PIECE_BYTES;
    const refuse = (why: BodyRefusal): void => {
      this.#drop(unfinished);
      done(why);
    };
    const unfinished: Unfinished = { held: EMPTY, refuse: () => refuse('overloaded') };
    this.#unfinished.add(unfinished);
    message.on('data', (chunk: Buffer) => {
      // Bytes after a refusal are discarded, so that the connection can end.
      if (!this.#unfinished.has(unfinished)) return;
      const filled = size;
      size += chunk.length;
      if (size > bytes_max) refuse('too_large');
      else if (++pieces > pieces_max) refuse('too_many_pieces');
      else this.#hold(unfinished, filled, chunk, bytes_max);
    });
    message.on('end', () => {
      if (this.#forget(unfinished)) done(unfinished.held.subarray(0, size));
    });
    message.on('close', () => this.#drop(unfinished));
  }

  #hold(unfinished: Unfinished, filled: number, chunk: Buffer, bytes_max: number): void {
    const { held } = unfinished;
    const needed = filled + chunk.length;
    const before = held.length;
    // Nearly all bodies arrive in one piece, which is not copied.
    if (filled === 0) {
      unfinished.held = chunk;
    } else {
      if (needed > before) unfinished.held = enlarged(held, Math.min(2 * needed, bytes_max));
      chunk.copy(unfinished.held, filled);
      release(chunk);
    }
    this.#bytesInFlight += unfinished.held.length - before;
    while (this.#bytesInFlight > this.#bytesInFlightMax) this.#largest().refuse();
  }

  #largest(): Unfinished {
    let largest: Unfinished | undefined;
    for (const one of this.#unfinished) {
      if (largest === undefined || one.held.length > largest.held.length) largest = one;
    }
    if (largest === undefined) throw new Error('The body budget counts bytes, but no body is being collected.');
    return largest;
  }

  /** Stops counting the body. Returns whether it was still being collected. */
  #forget(unfinished: Unfinished): boolean {
    if (!this.#unfinished.delete(unfinished)) return false;
    this.#bytesInFlight -= unfinished.held.length;
    return true;
  }

  #drop(unfinished: Unfinished): void {
    if (this.#forget(unfinished)) release(unfinished.held);
  }
}

function enlarged(bytes: Buffer, length: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(length);
  bytes.copy(larger);
  release(bytes);
  return larger;
}

/** Frees the memory unless something else shares it. */
function release({ length, buffer }: Buffer): void {
  if (length > 0 && length === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
