/** Use case: an operator lists the return locations of a merchant. */
import type { Environment } from '../../domain/account.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import { readTarget, type SetupTarget } from './merchant-accounts.ts';
import type { SetupContext } from './setup-context.ts';

export interface AccountReturnLocations {
  readonly environment: Environment;
  /** Sorted by id. */
  readonly locationIds: readonly string[];
}

export async function listReturnLocations(
  context: SetupContext,
  target: SetupTarget,
): Promise<Outcome<readonly AccountReturnLocations[]>> {
  const found = await readTarget(context.store, target);
  if (!found.ok) return found;
  return accept(
    found.value.map(({ environment, returnLocationIds }) => ({ environment, locationIds: [...returnLocationIds] })),
  );
}
