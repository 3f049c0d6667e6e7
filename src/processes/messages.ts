/** What the processes of one `serve` tell each other: workers report to the primary, the primary gives them orders. */

export type WorkerReport =
  | {
      readonly kind: 'ready';
      /** Empty where it listens nowhere. */
      readonly url: string;
      /** For a person to see, in the order in which it was said. */
      readonly said: readonly string[];
    }
  /** It could not start; the lines say why, as they would stand on standard error. */
  | { readonly kind: 'failed'; readonly lines: readonly string[] };

export interface WorkerOrder {
  readonly kind: 'stop';
}

/** In the environment of a worker: which one it is, from 1 on. One that replaces another has its number. */
export const NUMBER_VARIABLE = 'WORKER_NUMBER';
