/** Limits fetches per host and in total. A fetch that waits for its host holds no slot, so a slow host delays only its own images. */
import { addAbortListener } from 'node:events';

interface HostGateOptions {
  readonly per_host_max: number;
  readonly total_max: number;
}

type Leave = () => void;

interface Lane {
  inside: number;
  readonly waiting: PromiseWithResolvers<Leave>[];
}

export class HostGate {
  readonly #options: HostGateOptions;
  /** Hosts with running or waiting fetches, in order of their last start, which gives round-robin. */
  readonly #lanes = new Map<string, Lane>();
  #inside = 0;

  constructor(options: HostGateOptions) {
    this.#options = options;
  }

  /** Resolves to a function that releases the slot. Rejects with the signal's reason while it waits. */
  async enter(host: string, signal?: AbortSignal): Promise<Leave> {
    signal?.throwIfAborted();
    const lane = this.#lanes.get(host) ?? { inside: 0, waiting: [] };
    this.#lanes.set(host, lane);
    const entered = Promise.withResolvers<Leave>();
    lane.waiting.push(entered);
    const giveUp = () => {
      const index = lane.waiting.indexOf(entered);
      if (index === -1) return;
      lane.waiting.splice(index, 1);
      this.#forgetIfEmpty(host, lane);
      entered.reject(signal?.reason);
    };
    using _aborting = signal && addAbortListener(signal, giveUp);
    this.#admit();
    return await entered.promise;
  }

  #admit(): void {
    for (const [host, lane] of this.#lanes) {
      if (this.#inside >= this.#options.total_max) return;
      if (lane.inside >= this.#options.per_host_max) continue;
      const next = lane.waiting.shift();
      if (next === undefined) continue;
      lane.inside += 1;
      this.#inside += 1;
      // Moves the host to the end, where the loop reaches it again. The loop ends when every host is at its limit or has no waiting call.
      this.#lanes.delete(host);
      this.#lanes.set(host, lane);
      next.resolve(this.#leaveOnce(host, lane));
    }
  }

  #leaveOnce(host: string, lane: Lane): Leave {
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      lane.inside -= 1;
      this.#inside -= 1;
      this.#forgetIfEmpty(host, lane);
      this.#admit();
    };
  }

  #forgetIfEmpty(host: string, lane: Lane): void {
    if (lane.inside === 0 && lane.waiting.length === 0) this.#lanes.delete(host);
  }
}
