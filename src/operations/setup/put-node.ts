/** Use cases: read a fulfillment node of a merchant, add one, or replace its settings. */
import type { Account, FulfillmentNode } from '../../domain/account.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome, refuse, refuseOutdated, refuseRequest } from '../../domain/outcome.ts';
import type { Precondition } from '../../domain/precondition.ts';
import { fieldProblem, type Problem, requestProblem } from '../../domain/problem.ts';
import { toNode } from '../../domain/setup/node.ts';
import type { SetupContext } from './merchant-accounts.ts';
import { problemsOf, readTarget, readWholeTarget, type SetupTarget } from './merchant-accounts.ts';

/** Reads the node as it is stored. The cached account may be older. */
export async function readNode(
  { store }: SetupContext,
  target: SetupTarget,
  nodeId: string,
): Promise<Outcome<FulfillmentNode>> {
  const found = await readTarget(store, target);
  if (!found.ok) return found;
  const node = found.value[0]?.nodes.get(nodeId);
  if (node !== undefined) return accept(node);
  return refuseRequest('fulfillment_node_not_found', `${JSON.stringify(nodeId)} does not exist.`);
}

export function addNode(context: SetupContext, target: SetupTarget, body: SentBody): Promise<Outcome<FulfillmentNode>> {
  return putNode(context, target, body, checkNew);
}

export function setNode(context: SetupContext, target: SetupTarget, body: SentBody): Promise<Outcome<FulfillmentNode>> {
  return putNode(context, target, body, checkKnown);
}

/** Adds the node or replaces it. */
export function addOrSetNode(
  context: SetupContext,
  target: SetupTarget,
  body: SentBody,
  precondition?: Precondition,
): Promise<Outcome<FulfillmentNode>> {
  const check: Check = (account, nodeId) => (account.nodes.has(nodeId) ? [] : checkNew(account, nodeId));
  return putNode(context, target, body, check, precondition);
}

type Check = (account: Account, nodeId: string) => readonly Problem[];

/** Checks every account before it changes the first, so that a refusal leaves both environments unchanged. */
async function putNode(
  context: SetupContext,
  target: SetupTarget,
  body: SentBody,
  check: Check,
  precondition?: Precondition,
): Promise<Outcome<FulfillmentNode>> {
  const checked = context.checks.node(body);
  const found = await readWholeTarget(context.store, target);
  if (!checked.ok || !found.ok) return refuse(problemsOf(checked, found), checked.ignored);
  const node = toNode(checked.value);
  const problems = found.value.flatMap((account) => check(account, node.id));
  if (problems.length > 0) return refuse(problems, checked.ignored);
  for (const { accountId } of found.value) {
    const put = await context.store.settings.putNode(accountId, node, precondition);
    if (put === 'stored') continue;
    const text = `The fulfillment node ${node.id} has changed since you read it. Nothing was changed; read it again.`;
    return refuseOutdated(text, put.currentTag, checked.ignored);
  }
  return accept(node, checked.ignored);
}

function checkNew({ nodes, environment }: Account, nodeId: string): readonly Problem[] {
  if (nodes.has(nodeId)) {
    return [fieldProblem('fulfillment_node_exists', ['fulfillment_node_id'], `already exists in ${environment}`)];
  }
  const max = LIMITS.fulfillment_nodes_per_account_max;
  if (nodes.size < max) return [];
  return [
    requestProblem(
      'fulfillment_nodes_full',
      `Limit reached: the merchant has ${max} fulfillment nodes in ${environment}. Remove one first.`,
    ),
  ];
}

function checkKnown({ nodes, environment }: Account, nodeId: string): readonly Problem[] {
  if (nodes.has(nodeId)) return [];
  return [fieldProblem('fulfillment_node_not_found', ['fulfillment_node_id'], `does not exist in ${environment}`)];
}
