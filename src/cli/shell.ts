/** What a command is given of the outside: the environment's variables, streams and, where there is one, a terminal. */
import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';
import { stringifyExactJson } from '../domain/int64.ts';

export interface Shell {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The result. */
  readonly out: (line: string) => void;
  /** Everything else, so that a result can be piped on. */
  readonly err: (line: string) => void;
  /** For data of any size: what `-` stands for in place of a file. */
  readonly input: Readable;
  readonly output: Writable;
  /** Asked for by a command of which a part is no result: when nobody reads the output to its end, it fails with this text. */
  readonly needWholeOutput: (text: string) => void;
  /** Whether the streams are terminals that take colours; false where NO_COLOR is set. */
  readonly colors?: { readonly out: boolean; readonly err: boolean };
  /** Where a person is watching; undefined where standard error goes elsewhere. */
  readonly terminal: Terminal | undefined;
  /** Asks a person and resolves with the line typed; undefined where nobody can answer. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  /** The same without showing what is typed; undefined also when the person gave up. */
  readonly askHidden: ((question: string) => Promise<string | undefined>) | undefined;
}

export interface Terminal {
  readonly columns: number;
  readonly write: (text: string) => void;
}

/** A result in both forms in which it can be asked for. */
export interface Result {
  readonly json: unknown;
  readonly lines: readonly string[];
}

export interface OutputOptions {
  readonly json?: true;
}

export function print(shell: Shell, options: OutputOptions, result: Result): void {
  if (options.json) shell.out(stringifyExactJson(result.json));
  else for (const line of result.lines) shell.out(line);
}

export type Color = 'red' | 'yellow' | 'green';

/** Colours text for one of the two streams, where it takes colours. */
export function paint({ colors }: Pick<Shell, 'colors'>, stream: 'out' | 'err', color: Color, text: string): string {
  return colors?.[stream] ? styleText(color, text, { validateStream: false }) : text;
}

/** Copies getters as they are: reading them would open the streams. */
export function withVariables(shell: Shell, variables: Shell['variables']): Shell {
  const own = Object.getOwnPropertyDescriptors(shell);
  return Object.defineProperties({}, { ...own, variables: { value: variables, enumerable: true } }) as Shell;
}
