/** Use case: an operator lists the fulfillment nodes of a merchant. */
import type { Environment, FulfillmentNode } from '../../domain/account.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import { readTarget, type SetupTarget } from './merchant-accounts.ts';
import type { SetupContext } from './setup-context.ts';

export interface AccountNodes {
  readonly environment: Environment;
  /** Sorted by id. */
  readonly nodes: readonly FulfillmentNode[];
}

export async function listNodes(context: SetupContext, target: SetupTarget): Promise<Outcome<readonly AccountNodes[]>> {
  const found = await readTarget(context.store, target);
  if (!found.ok) return found;
  return accept(found.value.map(({ environment, nodes }) => ({ environment, nodes: [...nodes.values()] })));
}
