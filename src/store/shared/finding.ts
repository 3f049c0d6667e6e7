/** What a look at a store finds: one thing that was looked at, and what to do where something is wrong with it. */

export interface Finding {
  /** What was looked at. */
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  /** What was found and, where something is wrong, what to do. */
  readonly text: string;
}
