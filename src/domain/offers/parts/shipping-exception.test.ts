/** Tests rule 2 of shipping exceptions at its bound, also at nodes without methods. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Account } from '../../account.ts';
import type { ShippingException } from '../../bodies/shipping-exception.ts';
import { Names, NEUTRAL_NAMES } from '../../names.ts';
import { Report } from '../../problem.ts';
import type { ServiceLevel } from '../../vocabulary/service-levels.ts';
import type { ShippingMethod } from '../../vocabulary/shipping-methods.ts';
import { SHIPPING_EXCEPTION } from './shipping-exception.ts';

const LEVELS: readonly ServiceLevel[] = ['Standard', 'Expedited'];

function codesOf(methods: readonly ShippingMethod[], services: readonly Partial<ShippingException>[]) {
  const account: Account = {
    accountId: 1,
    merchantId: 'acme',
    environment: 'live',
    suspended: false,
    timeToReturnDays: 30,
    returnShippingMethods: [],
    returnLocationIds: new Set(),
    nodes: new Map([['n', { id: 'n', rateKind: 'flat', methods, levels: LEVELS }]]),
  };
  const report = new Report();
  const shipping_exceptions = services.map((service) => ({
    ...service,
    shipping_exception_type: 'restricted' as const,
  }));
  const upload = { fulfillment_nodes: [{ fulfillment_node_id: 'n', shipping_exceptions }] };
  SHIPPING_EXCEPTION.checkSettings?.(upload, account, new Names(NEUTRAL_NAMES), report);
  return report.problems.map(({ code }) => code);
}

const FREIGHT = { shipping_method: 'Freight' } as const;
const GROUND = { shipping_method: '<carrier_3> Ground' } as const;
const ALL_LEVELS = LEVELS.map((service_level) => ({ service_level }));

it('all methods of a node cannot be restricted, but all of its levels can', () => {
  const methods = [FREIGHT.shipping_method, GROUND.shipping_method];
  assert.deepEqual(codesOf(methods, [FREIGHT]), []);
  assert.deepEqual(codesOf(methods, [FREIGHT, ...ALL_LEVELS]), []);
  assert.deepEqual(codesOf(methods, [FREIGHT, GROUND]), ['all_restricted']);
  // An exception that names both a method and a level restricts the method too.
  assert.deepEqual(codesOf(methods, [FREIGHT, { ...GROUND, service_level: 'Standard' }]), ['all_restricted']);
});

it('a node without methods can have all its levels restricted', () => {
  assert.deepEqual(codesOf([], ALL_LEVELS), []);
  assert.deepEqual(codesOf([], [FREIGHT]), ['restricted_not_enabled']);
});
