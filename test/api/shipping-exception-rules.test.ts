/**
 * Tests the rules of shipping exceptions: the four numbered rules, one exclusive per node, and charges only for what the node
 * has.
 */
import { problemAt } from '../harness/api-client.ts';
import { describeBodyRules } from '../harness/contract-cases.ts';
import { EAST, WEST } from './fixtures/merchant-setup.ts';
import {
  atEast,
  bodyOf,
  type Exception,
  exception,
  exceptionProblem,
  INCLUDE,
  METHOD,
  nodeWith,
  sendExceptions,
} from './fixtures/shipping-bodies.ts';

const method = (shipping_method: string): Exception => ({ shipping_method });
const level = (service_level: string): Exception => ({ service_level });

// Settings of the demo: east also has the levels Standard, Second Day, Expedited; west Standard, Scheduled (freight).
const EAST_METHODS = ['<carrier_2> Ground', '<carrier_2> 2 Day', '<carrier_4> Ground'];
const EAST_LEVELS = ['Standard', 'Second Day', 'Expedited'];

const restrictedAll = (services: readonly Exception[]) => services.map((service) => exception('restricted', service));
const notEnabled = (where: string, service: string) =>
  exceptionProblem('restricted_not_enabled', where, `${service} is not enabled at node ${EAST}`);
const noCharge = (where: string, service: string) =>
  exceptionProblem(
    'additional_charge_not_enabled',
    where,
    `node ${EAST} does not have ${service} enabled, so no charge can be added to it`,
  );
const allRestricted = (node = EAST, index = 0) =>
  problemAt(
    'all_restricted',
    `fulfillment_nodes[${index}].shipping_exceptions`,
    `node ${node} must not have all its methods restricted`,
  );
const withInclude = exceptionProblem(
  'exclusive_with_include',
  '',
  `node ${EAST} must not have exclusive and include exceptions`,
);
const withRestricted = exceptionProblem(
  'exclusive_with_restricted',
  '',
  `node ${EAST} must not have exclusive and restricted exceptions`,
);
const repeated = exceptionProblem(
  'exclusive_repeated',
  '',
  `node ${EAST} must not have more than one exclusive exception`,
);

describeBodyRules('rules of shipping exceptions', ({ bounds }) => {
  bounds('SHIP-25', {
    send: sendExceptions,
    accepted: {
      'to restrict a method of the node': atEast(exception('restricted', method('<carrier_4> Ground'))),
      'to restrict a level of the node': atEast(exception('restricted', level('Expedited'))),
      'to restrict both': atEast(exception('restricted', { ...METHOD, ...level('Standard') })),
    },
    refused: {
      'to restrict a method of another node': {
        body: atEast(exception('restricted', method('Freight'))),
        problems: [notEnabled('[0].shipping_method', 'Freight')],
      },
      'to restrict a method of another carrier': {
        body: atEast(exception('restricted', method('<carrier_3> Ground'))),
        problems: [notEnabled('[0].shipping_method', '<carrier_3> Ground')],
      },
      'to restrict a level of another node': {
        body: atEast(exception('restricted', level('Scheduled (freight)'))),
        problems: [notEnabled('[0].service_level', 'Scheduled (freight)')],
      },
      'either half of an exception, even if the other is valid': {
        body: atEast(
          exception('restricted', { ...METHOD, ...level('Priority') }),
          exception('restricted', { ...method('Freight'), ...level('Standard') }),
          exception('restricted', { ...method('Freight'), ...level('Priority') }),
        ),
        problems: [
          notEnabled('[0].service_level', 'Priority'),
          notEnabled('[1].shipping_method', 'Freight'),
          notEnabled('[2].shipping_method', 'Freight'),
          notEnabled('[2].service_level', 'Priority'),
        ],
      },
    },
  });

  bounds('SHIP-26', {
    send: sendExceptions,
    accepted: {
      'all methods but one': atEast(...restrictedAll(EAST_METHODS.slice(1).map(method))),
      'all levels': atEast(...restrictedAll(EAST_LEVELS.map(level))),
      'all levels, and all methods but one': atEast(
        ...restrictedAll([...EAST_METHODS.slice(1).map(method), ...EAST_LEVELS.map(level)]),
      ),
      'the methods of a node divided over types': atEast(
        ...restrictedAll(EAST_METHODS.slice(1).map(method)),
        exception('include', method('<carrier_2> Ground')),
      ),
      'one method many times': atEast(...restrictedAll(Array(3).fill(METHOD))),
    },
    refused: {
      'all methods': {
        body: atEast(...restrictedAll(EAST_METHODS.map(method))),
        problems: [allRestricted()],
      },
      'all methods and all levels': {
        body: atEast(
          ...restrictedAll(EAST_METHODS.map((name, i) => ({ ...method(name), service_level: EAST_LEVELS[i] }))),
        ),
        problems: [allRestricted()],
      },
      'all methods of a node in several elements': {
        body: bodyOf(
          nodeWith(EAST, INCLUDE),
          nodeWith(WEST, exception('restricted', method('<carrier_4> Ground'))),
          nodeWith(WEST, exception('restricted', method('Freight'))),
        ),
        problems: [allRestricted(WEST, 1)],
      },
    },
  });

  bounds('SHIP-27', {
    send: sendExceptions,
    accepted: {
      'an exclusive exception alone': atEast(exception('exclusive', METHOD)),
      'include exceptions alone': atEast(INCLUDE, exception('include', level('Standard'))),
    },
    refused: {
      'exclusive and include at one node': {
        body: atEast(INCLUDE, exception('exclusive', METHOD)),
        problems: [withInclude],
      },
    },
  });

  bounds('SHIP-28', {
    send: sendExceptions,
    accepted: { 'restricted and include at one node': atEast(exception('restricted', level('Standard')), INCLUDE) },
    refused: {
      'exclusive and restricted at one node': {
        body: atEast(exception('exclusive', METHOD), exception('restricted', level('Standard'))),
        problems: [withRestricted],
      },
    },
  });

  bounds('SHIP-29', {
    send: sendExceptions,
    accepted: {
      'one exclusive exception at each node': bodyOf(
        ...[EAST, WEST].map((node) => nodeWith(node, exception('exclusive', METHOD))),
      ),
    },
    refused: {
      'two exclusive exceptions at a node': {
        body: atEast(exception('exclusive', METHOD), exception('exclusive', level('Standard'))),
        problems: [repeated],
      },
      'the same exclusive exception twice': {
        body: atEast(exception('exclusive', METHOD), exception('exclusive', METHOD)),
        problems: [repeated],
      },
    },
  });

  bounds('SHIP-30', {
    send: sendExceptions,
    accepted: {
      'types at different nodes that exclude each other at one': bodyOf(
        nodeWith(EAST, exception('exclusive', METHOD)),
        nodeWith(WEST, INCLUDE, exception('restricted', method('Freight'))),
      ),
    },
    refused: {
      'them in different elements of one node': {
        body: bodyOf(
          nodeWith(EAST, exception('exclusive', METHOD)),
          nodeWith(WEST, INCLUDE),
          nodeWith(EAST, INCLUDE),
          nodeWith(EAST, exception('restricted', level('Standard'))),
          nodeWith(EAST, exception('exclusive', METHOD)),
        ),
        problems: [repeated, withInclude, withRestricted],
      },
    },
  });

  const adding = { override_type: 'Additional charge', shipping_charge_amount: 2 };
  bounds('SHIP-31', {
    send: sendExceptions,
    accepted: {
      'an additional charge on a method of the node': atEast(exception('include', METHOD, adding)),
      'an additional charge on a level of the node': atEast(exception('exclusive', level('Standard'), adding)),
      'an additional charge on both': atEast(exception('include', { ...METHOD, ...level('Standard') }, adding)),
    },
    refused: {
      'an additional charge on a method that the node lacks': {
        body: atEast(exception('include', method('Freight'), adding)),
        problems: [noCharge('[0].shipping_method', 'Freight')],
      },
      'an additional charge on a level that the node lacks': {
        body: atEast(exception('exclusive', level('Priority'), adding)),
        problems: [noCharge('[0].service_level', 'Priority')],
      },
      'an additional charge where the node lacks one of both': {
        body: atEast(
          exception('include', { ...METHOD, ...level('Priority') }, adding),
          exception('include', { ...method('<carrier_5> Media Mail'), ...level('Standard') }, adding),
        ),
        problems: [
          noCharge('[0].service_level', 'Priority'),
          noCharge('[1].shipping_method', '<carrier_5> Media Mail'),
        ],
      },
    },
  });

  const replacing = { override_type: 'Override charge', shipping_charge_amount: 2 };
  bounds('SHIP-32', {
    send: sendExceptions,
    accepted: {
      'to include what the node lacks': atEast(exception('include', { ...method('Freight'), ...level('Priority') })),
      'an exclusive exception for what the node lacks': atEast(exception('exclusive', method('Freight'))),
      'an override charge on what the node lacks': atEast(exception('include', level('Priority'), replacing)),
    },
    refused: {
      'to restrict what the node lacks': {
        body: atEast(exception('restricted', level('Priority'))),
        problems: [notEnabled('[0].service_level', 'Priority')],
      },
    },
  });

  bounds('SHIP-33', {
    send: sendExceptions,
    accepted: { 'a restricted exception without a charge': atEast(exception('restricted', METHOD)) },
    refused: {
      'a restricted exception with a charge': {
        body: atEast(
          exception('restricted', METHOD, replacing),
          exception('restricted', METHOD, { override_type: 'Additional charge' }),
          exception('restricted', METHOD, { shipping_charge_amount: 0 }),
        ),
        problems: [
          '[0].override_type',
          '[0].shipping_charge_amount',
          '[1].override_type',
          '[2].shipping_charge_amount',
        ].map((where) =>
          exceptionProblem(
            'charge_on_restricted',
            where,
            'must not be sent when shipping_exception_type is restricted',
          ),
        ),
      },
    },
  });

  bounds('SHIP-34', {
    send: sendExceptions,
    accepted: { 'a body that keeps every rule': bodyOf(nodeWith(EAST, exception('restricted', METHOD), INCLUDE)) },
    refused: {
      'a body that breaks rules at several nodes, each named with its node': {
        body: bodyOf(
          nodeWith('nowhere', exception('restricted', METHOD)),
          nodeWith(EAST, exception('restricted', method('Freight'))),
          nodeWith(WEST, ...restrictedAll([method('Freight'), method('<carrier_4> Ground')])),
        ),
        problems: [
          problemAt(
            'fulfillment_node_unknown',
            'fulfillment_nodes[0].fulfillment_node_id',
            'must be one of your fulfillment nodes: see GET /fulfillment-nodes',
          ),
          problemAt(
            'restricted_not_enabled',
            'fulfillment_nodes[1].shipping_exceptions[0].shipping_method',
            `Freight is not enabled at node ${EAST}`,
          ),
          allRestricted(WEST, 2),
        ],
      },
    },
  });
});
