/** In charge of how a loop rests between two looks for work: for a while, unless somebody wakes it. */

export class Rest {
  #isWoken = false;
  #end: (() => void) | undefined;

  /** Ends the rest; also the next one, where a look is under way that may have come too early. */
  wake(): void {
    this.#isWoken = true;
    this.#end?.();
  }

  /** To be called before a look: what wakes from now on may not be seen by it. */
  look(): void {
    this.#isWoken = false;
  }

  /** Takes no time when it was woken since the look. */
  async unlessWoken(rest_ms: number): Promise<void> {
    if (!this.#isWoken) await this.take(rest_ms);
  }

  /** Until it is woken from now on, or the time is over. */
  take(rest_ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#end = undefined;
        resolve();
      };
      const timer = setTimeout(end, rest_ms);
      this.#end = end;
    });
  }
}
