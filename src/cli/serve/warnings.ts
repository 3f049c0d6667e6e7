/** Prints a result with warnings about possible mistakes; the command itself succeeded. */
import { type OutputOptions, paint, print, type Shell } from '../shell.ts';

interface WarnedResult {
  readonly json: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
}

/** Warnings are part of the JSON, or lines on standard error. */
export function printWarned(shell: Shell, options: OutputOptions, { json, lines, warnings }: WarnedResult): void {
  print(shell, options, { json: warnings.length === 0 ? json : { ...json, warnings }, lines });
  if (options.json !== true)
    for (const warning of warnings) shell.err(`${paint(shell, 'err', 'yellow', 'Warning:')} ${warning}`);
}
