/** Runs one operation on whole merchants, throttled while a server runs on the embedded database. */
import { readSettings } from '../../config/settings.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { MoveContext } from '../../operations/moves/pace.ts';
import { createPace } from '../../operations/moves/pace.ts';
import { mayBeServed, openMoves, openSetupStore } from '../../store/open-store.ts';
import { sayCreated } from '../database-use.ts';
import { accepted } from '../failure.ts';
import type { Shell } from '../shell.ts';

interface MoveSession extends MoveContext {
  readonly isServed: boolean;
}

/** Throws RefusedError when the operation refuses. */
export async function withMoves<T>(shell: Shell, operation: (session: MoveSession) => Promise<Outcome<T>>): Promise<T> {
  const settings = readSettings(shell.variables);
  await using opened = new AsyncDisposableStack();
  const setup = opened.adopt(await openSetupStore(settings), (store) => store.close());
  sayCreated(shell);
  const moves = opened.adopt(await openMoves(settings), (store) => store.close());
  const isServed = await mayBeServed(settings);
  // PostgreSQL locks single rows; only the embedded database needs pauses between the slices.
  const pace = createPace(isServed && settings.databaseUrl === undefined);
  return accepted(await operation({ setup, moves, isServed, pace }));
}
