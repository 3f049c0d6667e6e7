/** Use cases: remove a fulfillment node or a return location of a merchant, unless offers use it. */
import { setTimeout } from 'node:timers/promises';
import type { Account } from '../../domain/account.ts';
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome, refuse, refuseRequest } from '../../domain/outcome.ts';
import { type ProblemCode, requestProblem } from '../../domain/problem.ts';
import type { PlaceKind, SettingsStore } from '../../store/port/settings.ts';
import type { SetupContext } from './merchant-accounts.ts';
import { readWholeTarget, type SetupTarget } from './merchant-accounts.ts';

interface Place {
  readonly kind: PlaceKind;
  /** Begins the messages about the place. */
  readonly name: string;
  readonly notFound: ProblemCode;
  readonly inUse: ProblemCode;
  /** Tells the merchant what to do before the removal. */
  readonly advice: string;
  readonly has: (account: Account, id: string) => boolean;
  readonly restore: (settings: SettingsStore, before: Account, id: string) => Promise<unknown>;
}

const NODE: Place = {
  kind: 'node',
  name: 'Fulfillment node',
  notFound: 'fulfillment_node_not_found',
  inUse: 'fulfillment_node_in_use',
  advice:
    'First set the stock of these offers there to 0, and remove their prices and shipping exceptions for this node.',
  has: ({ nodes }, id) => nodes.has(id),
  async restore(settings, { accountId, nodes }, id) {
    const node = nodes.get(id);
    if (node !== undefined) await settings.putNode(accountId, node);
  },
};

const RETURN_LOCATION: Place = {
  kind: 'return_location',
  name: 'Return location',
  notFound: 'return_location_not_found',
  inUse: 'return_location_in_use',
  advice: 'First remove it from the returns exceptions of these offers.',
  has: ({ returnLocationIds }, id) => returnLocationIds.has(id),
  restore: (settings, { accountId }, id) => settings.addReturnLocation(accountId, id),
};

export function removeNode(context: SetupContext, target: SetupTarget, nodeId: string): Promise<Outcome<string>> {
  return removePlace(context, target, NODE, nodeId);
}

export function removeReturnLocation(
  context: SetupContext,
  target: SetupTarget,
  locationId: string,
): Promise<Outcome<string>> {
  return removePlace(context, target, RETURN_LOCATION, locationId);
}

/**
 * Checks every account before it changes the first. Servers check writes against cached settings, so an offer may begin to use the place
 * for a moment after its removal. When all servers have refreshed their settings, offers are searched again, and the place is restored if
 * an offer uses it. If the process dies before that, an offer may name a place that no longer exists. This is harmless: imports may leave
 * such offers too.
 */
async function removePlace(
  { store }: SetupContext,
  target: SetupTarget,
  place: Place,
  id: string,
): Promise<Outcome<string>> {
  const accounts = await readWholeTarget(store, target);
  if (!accounts.ok) return accounts;
  const missing = accounts.value.filter((account) => !place.has(account, id));
  if (missing.length > 0) {
    const where = missing.map(({ environment }) => environment).join(' and ');
    return refuseRequest(place.notFound, `${place.name} ${JSON.stringify(id)} does not exist in ${where}.`);
  }
  const used = await refuseUsed(store.settings, accounts.value, place, id);
  if (used !== undefined) return used;
  for (const { accountId } of accounts.value) await store.settings.removePlace(accountId, place.kind, id);
  await setTimeout(LIMITS.setup_notice_seconds_max * 1000);
  const usedSince = await refuseUsed(store.settings, accounts.value, place, id);
  if (usedSince === undefined) return accept(id);
  for (const before of accounts.value) {
    const now = await store.settings.readAccount(before.accountId);
    if (now !== undefined && !place.has(now, id)) await place.restore(store.settings, before, id);
  }
  return usedSince;
}

async function refuseUsed(
  settings: SettingsStore,
  accounts: readonly Account[],
  { kind, name, inUse, advice }: Place,
  id: string,
): Promise<Outcome<never> | undefined> {
  const problems = [];
  for (const { accountId, environment } of accounts) {
    const { count, skuIds } = await settings.findOffersOfPlace(accountId, kind, id);
    if (count === 0) continue;
    const more = count > skuIds.length ? ` and ${count - skuIds.length} more` : '';
    const users = `${count === 1 ? '1 offer' : `${count} offers`} in ${environment}: ${skuIds.join(', ')}${more}`;
    problems.push(requestProblem(inUse, `${name} ${JSON.stringify(id)} is used by ${users}. ${advice}`));
  }
  return problems.length === 0 ? undefined : refuse(problems);
}
