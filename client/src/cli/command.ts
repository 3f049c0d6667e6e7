/** Defines a command of the command line. */
import type { Offerbook } from '../offerbook.ts';
import type { SessionOptions } from '../session.ts';
import type { Arguments, Usage } from './usage.ts';

export interface Run extends Arguments {
  /** The client of the chosen profile. */
  client(options?: Pick<SessionOptions, 'isKnown'>): Promise<Offerbook>;
  /** Prints the value with `--json`, and the text otherwise. */
  result(value: unknown, text: () => string): void;
  readonly variables: NodeJS.ProcessEnv;
  /** Aborted when Ctrl+C is pressed. */
  readonly stopped: AbortSignal;
}

export interface Command extends Usage {
  /** The message to print after Ctrl+C. */
  readonly whenInterrupted?: string;
  /** Resolves to false if the server refused a part of the work. */
  run(run: Run): Promise<boolean | undefined>;
}

/** Thrown after Ctrl+C when work continues without the command. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

export type Commands = Readonly<Record<string, Command>>;
