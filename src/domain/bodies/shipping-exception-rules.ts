/** Checks the rules for the body of shipping exceptions, including rules 3 and 4 about `exclusive`. The part checks rules 1 and 2. */
import { isObject, isPresent } from '../check/compile.ts';
import { LIMITS } from '../limits.ts';
import type { ProblemCode, Report } from '../problem.ts';
import type { BodyRules, Loose } from './body-check.ts';
import { requireFieldToClear } from './clearable-field.ts';
import { type NodeExceptions, ShippingExceptionBody, type ShippingExceptionUpload } from './shipping-exception.ts';

const requireNodesToClear = requireFieldToClear(ShippingExceptionBody);

export const checkShippingExceptions: BodyRules<ShippingExceptionUpload> = (clean, sent, report) => {
  requireNodesToClear(clean, sent, report);
  const sentNodes = sent.fulfillment_nodes;
  report.enter('fulfillment_nodes');
  for (const [index, node] of clean.fulfillment_nodes?.entries() ?? []) {
    report.enter(index);
    const sentNode: unknown = Array.isArray(sentNodes) ? sentNodes[index] : undefined;
    checkEachException(node, isObject(sentNode) ? sentNode.shipping_exceptions : undefined, report);
    report.leave();
  }
  report.leave();
  checkWholeNodes(clean, report);
};

function checkEachException(node: Loose<NodeExceptions> | undefined, sentList: unknown, report: Report): void {
  for (const [index, exception] of node?.shipping_exceptions?.entries() ?? []) {
    const sent: unknown = Array.isArray(sentList) ? sentList[index] : undefined;
    if (exception === undefined || !isObject(sent)) continue;
    report.enter('shipping_exceptions');
    report.enter(index);
    if (!isPresent(sent.service_level) && !isPresent(sent.shipping_method)) {
      report.add('service_required', 'must have a service_level or a shipping_method');
    }
    if (exception.shipping_exception_type === 'restricted') {
      for (const field of ['override_type', 'shipping_charge_amount']) {
        if (!isPresent(sent[field])) continue;
        report.add('charge_on_restricted', 'must not be sent when shipping_exception_type is restricted', field);
      }
    } else if (isPresent(sent.override_type) && !isPresent(sent.shipping_charge_amount)) {
      report.add('charge_required', 'is required with override_type', 'shipping_charge_amount');
    }
    report.leave();
    report.leave();
  }
}

/** Checks all exceptions of each node together: their number, and rules 3 and 4. */
function checkWholeNodes(upload: Loose<ShippingExceptionUpload>, report: Report): void {
  const nodes = Map.groupBy(upload.fulfillment_nodes?.entries() ?? [], ([, node]) => node?.fulfillment_node_id);
  for (const [nodeId, elements] of nodes) {
    if (nodeId === undefined) continue;
    const types = elements
      .flatMap(([, node]) => node?.shipping_exceptions ?? [])
      .map((exception) => exception?.shipping_exception_type);
    const at = ['fulfillment_nodes', elements[0]?.[0] ?? 0, 'shipping_exceptions'] as const;
    if (types.length > LIMITS.shipping_exceptions_per_node_max) {
      const rule = `node ${nodeId} must have at most ${LIMITS.shipping_exceptions_per_node_max} exceptions in all`;
      report.add('too_many', rule, ...at);
    }
    for (const [code, text] of exclusiveFaults(types)) report.add(code, `node ${nodeId} must not have ${text}`, ...at);
  }
}

function* exclusiveFaults(types: readonly (string | undefined)[]): Iterable<readonly [ProblemCode, string]> {
  if (!types.includes('exclusive')) return;
  if (types.filter((type) => type === 'exclusive').length > 1) {
    yield ['exclusive_repeated', 'more than one exclusive exception'];
  }
  if (types.includes('include')) yield ['exclusive_with_include', 'exclusive and include exceptions'];
  if (types.includes('restricted')) yield ['exclusive_with_restricted', 'exclusive and restricted exceptions'];
}
