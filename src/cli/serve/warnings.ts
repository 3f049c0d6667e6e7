/** In charge of what is done and may be a mistake all the same: said beside the result, and no failure. */
import { type OutputOptions, print, type Shell } from '../shell.ts';

interface WarnedResult {
  readonly json: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
}

/** As a part of the JSON, else on standard error. */
export function printWarned(shell: Shell, options: OutputOptions, { json, lines, warnings }: WarnedResult): void {
  print(shell, options, { json: warnings.length === 0 ? json : { ...json, warnings }, lines });
  if (options.json !== true) for (const warning of warnings) shell.err(`Warning: ${warning}`);
}
