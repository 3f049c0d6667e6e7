/** Use cases: an operator lists the merchants, and the fulfillment nodes and return locations of one. */
import type { Environment, FulfillmentNode, Merchant } from '../../domain/account.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import { readTarget, type SetupTarget } from './merchant-accounts.ts';
import type { SetupContext } from './setup-context.ts';

export async function listMerchants(context: SetupContext): Promise<Outcome<readonly Merchant[]>> {
  return accept(await context.store.settings.listMerchants());
}

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
