/** What a command of the command line is. */
import type { Offerbook } from '../offerbook.ts';
import type { SessionOptions } from '../session.ts';
import type { Arguments, Usage } from './usage.ts';

export interface Run extends Arguments {
  /** The client of the chosen profile. */
  client(options?: Pick<SessionOptions, 'isKnown'>): Promise<Offerbook>;
  /** Prints the value with `--json`, else the text. */
  result(value: unknown, text: () => string): void;
  readonly variables: NodeJS.ProcessEnv;
  /** Ctrl+C was pressed. */
  readonly stopped: AbortSignal;
}

export interface Command extends Usage {
  /** What to say after Ctrl+C. */
  readonly whenInterrupted?: string;
  /** Resolves to false if the server refused a part of the work. */
  run(run: Run): Promise<boolean | undefined>;
}

/** Ctrl+C was pressed, and something continues without the command. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

export type Commands = Readonly<Record<string, Command>>;
