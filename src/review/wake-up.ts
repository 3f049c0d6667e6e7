/** In charge of waking whoever rests, not more often than makes sense: 500 prices a second are no 500 looks for work. */
const PAUSE_MS = 20;

export class WakeUp {
  readonly #wake: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(wake: () => void) {
    this.#wake = wake;
  }

  /** Soon; together with other calls of the next milliseconds. */
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
