/** Lets a loop sleep between two polls, and be woken early. */

export class Rest {
  #isWoken = false;
  #end: (() => void) | undefined;

  /** Ends the sleep. During a poll it skips the next sleep, because the poll may have started too early to see the work. */
  wake(): void {
    this.#isWoken = true;
    this.#end?.();
  }

  /** Call it before each poll: the poll may miss work that is announced from now on. */
  startPoll(): void {
    this.#isWoken = false;
  }

  /** Returns immediately if it was woken since `startPoll`. */
  async unlessWoken(rest_ms: number): Promise<void> {
    if (!this.#isWoken) await this.take(rest_ms);
  }

  /** Sleeps until the next `wake`, or for `rest_ms`. */
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
