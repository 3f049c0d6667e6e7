/** What a command is given of the outside: the environment's variables and two streams to write lines to. */
export interface Shell {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The result. */
  readonly out: (line: string) => void;
  /** Everything else, so that a result can be piped on. */
  readonly err: (line: string) => void;
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
  if (options.json) shell.out(JSON.stringify(result.json));
  else for (const line of result.lines) shell.out(line);
}
