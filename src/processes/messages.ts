/** Messages between the processes of one `serve`: reports of workers, and orders of the primary. */

export type WorkerReport =
  | {
      readonly kind: 'ready';
      /** Empty if the worker does not listen. */
      readonly url: string;
      /** Lines for the operator, in order. */
      readonly said: readonly string[];
    }
  /** The worker could not start; the lines are its error output. */
  | { readonly kind: 'failed'; readonly lines: readonly string[] };

export interface WorkerOrder {
  readonly kind: 'stop';
}

/** Environment variable with the worker's number, from 1. A restarted worker keeps its number. */
export const NUMBER_VARIABLE = 'WORKER_NUMBER';
/** Environment variable with the port on which other workers listen; absent for the first worker at the start. */
export const PORT_VARIABLE = 'WORKER_PORT';
