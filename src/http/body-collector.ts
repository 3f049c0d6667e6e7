/**
 * Collects the bodies of requests, which share a budget of memory: where those that are still arriving hold more together, the
 * largest is refused, among equals the oldest. So a few thousand clients that never finish theirs cannot use up the memory of
 * the process, and small bodies pass meanwhile.
 *
 * What was received counts, not what was announced. A body lies in one buffer that doubles: a list of its pieces would take 200
 * bytes for each, and a client may send pieces of one byte.
 */
import type { IncomingMessage } from 'node:http';

export type CollectedBody = Buffer | 'too_large' | 'overloaded';

interface Unfinished {
  /** Its length is what counts; received bytes fill it from the start. */
  held: Buffer;
  readonly refuse: () => void;
}

const EMPTY = Buffer.alloc(0);

export class BodyCollector {
  readonly #bytesInFlightMax: number;
  readonly #unfinished = new Set<Unfinished>();
  #bytesInFlight = 0;

  constructor(bytesInFlightMax: number) {
    this.#bytesInFlightMax = bytesInFlightMax;
  }

  /** Calls back once, with the whole body or as soon as it is refused; not at all if the client goes. */
  collect(message: IncomingMessage, bytes_max: number, done: (body: CollectedBody) => void): void {
    if (Number(message.headers['content-length']) > bytes_max) {
      done('too_large');
      return;
    }
    // Node gives a request without a body no stream, which would never end.
    if (message.readableEnded) {
      done(EMPTY);
      return;
    }
    let size = 0;
    const settle = (body: CollectedBody): void => {
      if (this.#letGo(unfinished)) done(body);
    };
    const unfinished: Unfinished = { held: EMPTY, refuse: () => settle('overloaded') };
    this.#unfinished.add(unfinished);
    message.on('data', (chunk: Buffer) => {
      // What follows a refusal is passed over, so that the connection can end.
      if (!this.#unfinished.has(unfinished)) return;
      if (size + chunk.length > bytes_max) {
        settle('too_large');
        return;
      }
      this.#hold(unfinished, size, chunk, bytes_max);
      size += chunk.length;
    });
    message.on('end', () => settle(unfinished.held.subarray(0, size)));
    message.on('close', () => this.#letGo(unfinished));
  }

  #hold(unfinished: Unfinished, size: number, chunk: Buffer, bytes_max: number): void {
    const { held } = unfinished;
    if (size + chunk.length > held.length) {
      // Nearly all bodies come in one piece, which is not copied.
      unfinished.held = size === 0 ? chunk : enlarged(held, Math.min(2 * (size + chunk.length), bytes_max));
      this.#bytesInFlight += unfinished.held.length - held.length;
    }
    if (size > 0) chunk.copy(unfinished.held, size);
    while (this.#bytesInFlight > this.#bytesInFlightMax) this.#largest().refuse();
  }

  #largest(): Unfinished {
    let largest: Unfinished | undefined;
    for (const one of this.#unfinished) {
      if (largest === undefined || one.held.length > largest.held.length) largest = one;
    }
    if (largest === undefined) throw new Error('Bytes are counted of bodies that are gone.');
    return largest;
  }

  /** Says whether it was still there. */
  #letGo(unfinished: Unfinished): boolean {
    if (!this.#unfinished.delete(unfinished)) return false;
    this.#bytesInFlight -= unfinished.held.length;
    return true;
  }
}

function enlarged(bytes: Buffer, length: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(length);
  bytes.copy(larger);
  return larger;
}
