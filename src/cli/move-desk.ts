/** In charge of doing one operation on whole merchants: on stores of its own, at a pace that suits a running server. */
import { readSettings } from '../config/settings.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { MoveContext } from '../operations/moves/move-context.ts';
import { createPace } from '../operations/moves/pace.ts';
import { isDataDirLocked } from '../store/sqlite/lock.ts';
import { openSqliteMoves, openSqliteSetupStore } from '../store/sqlite/open.ts';
import { RefusedError } from './failure.ts';
import type { Shell } from './shell.ts';

export interface MoveDesk extends MoveContext {
  readonly besideServer: boolean;
}

/** Throws RefusedError when the operation refuses. */
export async function withMoves<T>(shell: Shell, operation: (desk: MoveDesk) => Promise<Outcome<T>>): Promise<T> {
  const { dataDir } = readSettings(shell.variables);
  await using opened = new AsyncDisposableStack();
  const setup = opened.adopt(await openSqliteSetupStore({ dataDir }), (store) => store.close());
  const moves = opened.adopt(await openSqliteMoves({ dataDir }), (store) => store.close());
  const besideServer = isDataDirLocked(dataDir);
  const outcome = await operation({ setup, moves, besideServer, pace: createPace(besideServer) });
  if (!outcome.ok) throw new RefusedError(outcome.problems, {});
  return outcome.value;
}
