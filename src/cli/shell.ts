/** The environment of a command: variables, streams and, if there is one, a terminal. */
import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';
import { stringifyExactJson } from '../domain/int64.ts';

export interface Shell {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Prints a line of the result. */
  readonly out: (line: string) => void;
  /** Prints a line of other output to standard error, so that the result can be piped. */
  readonly err: (line: string) => void;
  /** Streams for data of any size, used when `-` is given instead of a file. */
  readonly input: Readable;
  readonly output: Writable;
  /** Makes the command fail with this text when its output is closed early. */
  readonly needWholeOutput: (text: string) => void;
  /** Whether the streams are terminals that support colors; false if NO_COLOR is set. */
  readonly colors?: { readonly out: boolean; readonly err: boolean };
  /** The terminal; undefined if standard error is not one. */
  readonly terminal: Terminal | undefined;
  /** Asks and resolves with the typed line; undefined without a terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
}

export interface Terminal {
  readonly columns: number;
  readonly write: (text: string) => void;
}

/** A result as JSON and as lines of text. */
export interface Result {
  readonly json: object;
  readonly lines: readonly string[];
  /** Possible mistakes of a command that succeeded: part of the JSON, or lines on standard error. */
  readonly warnings?: readonly string[];
}

export interface OutputOptions {
  readonly json?: true;
}

export function print(shell: Shell, options: OutputOptions, { json, lines, warnings = [] }: Result): void {
  if (options.json) {
    shell.out(stringifyExactJson(warnings.length === 0 ? json : { ...json, warnings }));
    return;
  }
  for (const line of lines) shell.out(line);
  for (const warning of warnings) shell.err(`${paint(shell, 'err', 'yellow', 'Warning:')} ${warning}`);
}

type Color = 'red' | 'yellow' | 'green';

/** Colors text for one of the two streams if that stream supports colors. */
export function paint({ colors }: Pick<Shell, 'colors'>, stream: 'out' | 'err', color: Color, text: string): string {
  return colors?.[stream] ? styleText(color, text, { validateStream: false }) : text;
}

/** Copies getters without calling them, because that would open the streams. */
export function withVariables(shell: Shell, variables: Shell['variables']): Shell {
  const own = Object.getOwnPropertyDescriptors(shell);
  return Object.defineProperties({}, { ...own, variables: { value: variables, enumerable: true } }) as Shell;
}
