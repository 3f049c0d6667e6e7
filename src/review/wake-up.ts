/** Coalesces wake-ups of a loop: 500 writes per second cause at most 50 polls. */
const PAUSE_MS = 20;

export class WakeUp {
  readonly #wake: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(wake: () => void) {
    this.#wake = wake;
  }

  /** Wakes the loop within 20 ms, once for all calls until then. */
  call(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#wake();
    }, PAUSE_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
