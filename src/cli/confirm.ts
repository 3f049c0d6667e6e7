/** In charge of the consent that commands need which cannot be undone: typed at a terminal, else given by `--yes`. */
import { requestProblem } from '../domain/problem.ts';
import { RefusedError } from './failure.ts';
import type { Shell } from './shell.ts';

export interface ConfirmOptions {
  readonly yes?: true;
}

export const YES_OPTION = ['--yes', 'do not ask; needed where nobody can answer'] as const;

/** Throws RefusedError unless the person types `word`. */
export async function confirm(shell: Shell, options: ConfirmOptions, what: string, word: string): Promise<void> {
  if (options.yes) return;
  if (shell.ask === undefined) {
    throw new RefusedError([requestProblem('not_confirmed', `${what} Add --yes to do it without being asked.`)], {});
  }
  const answer = await shell.ask(`${what}\nType ${word} to go on: `);
  if (answer.trim() !== word) throw new RefusedError([requestProblem('not_confirmed', 'Nothing was changed.')], {});
}
