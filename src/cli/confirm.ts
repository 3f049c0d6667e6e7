/** Asks for confirmation before a destructive command: a word typed at a terminal, or `--yes`. */
import { requestProblem } from '../domain/problem.ts';
import { RefusedError } from './failure.ts';
import type { Shell } from './shell.ts';

export interface ConfirmOptions {
  readonly yes?: true;
}

export const YES_OPTION = ['--yes', 'do not ask; required without a terminal'] as const;

/** Throws RefusedError unless the command has `--yes` or the person types `word`. */
export async function confirm(shell: Shell, options: ConfirmOptions, what: string, word = 'yes'): Promise<void> {
  if (options.yes) return;
  if (shell.ask === undefined) {
    throw new RefusedError([requestProblem('not_confirmed', `${what} Add --yes to confirm.`)], {});
  }
  const answer = await shell.ask(`${what}\nType ${word} to continue: `);
  if (answer.trim() !== word) throw new RefusedError([requestProblem('not_confirmed', 'Nothing was changed.')], {});
}
