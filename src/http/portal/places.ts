/**
 * GET, PUT and DELETE /{environment}/nodes/{node_id}, PUT and DELETE /{environment}/return-locations/{location_id}, GET and PUT /merchant:
 * settings that a merchant's users can change. Lists of nodes and locations are read through the mirrored API.
 */
import { RATE_KINDS } from '../../domain/account.ts';
import { readBodyValue, type SentBody } from '../../domain/body-text.ts';
import { isObject } from '../../domain/check/compile.ts';
import { OneOf } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import type { Names } from '../../domain/names.ts';
import { MerchantReturnsBody } from '../../domain/setup/merchant.ts';
import { NodeSetupBody, nodeJson } from '../../domain/setup/node.ts';
import { MERCHANT_ROLES } from '../../domain/vocabulary/portal-roles.ts';
import { SERVICE_LEVELS } from '../../domain/vocabulary/service-levels.ts';
import { RETURN_SHIPPING_METHODS, SHIPPING_METHODS } from '../../domain/vocabulary/shipping-methods.ts';
import { addReturnLocation } from '../../operations/setup/add-return-location.ts';
import { targetOf } from '../../operations/setup/merchant-accounts.ts';
import {
  type MerchantReturns,
  readMerchantReturns,
  setMerchantReturns,
} from '../../operations/setup/merchant-returns.ts';
import { addOrSetNode, readNode } from '../../operations/setup/put-node.ts';
import { removeNode, removeReturnLocation } from '../../operations/setup/remove-place.ts';
import { nodeTag, returnSettingsTag } from '../../store/port/part-tags.ts';
import { changedAnswer, foundAnswer } from '../answers/answers.ts';
import { endpointsOf } from '../endpoint.ts';
import { NodeAnswer } from '../endpoints/account-settings.ts';

const carriers = { 'x-carrier-names': true } as const;

const MerchantAnswer = Type.Object({
  id: Type.String(),
  name: Type.String(),
  ...MerchantReturnsBody.properties,
  choices: Type.Object(
    {
      methods: Type.Array(OneOf(SHIPPING_METHODS, carriers)),
      levels: Type.Array(OneOf(SERVICE_LEVELS)),
      rate_kinds: Type.Array(OneOf(RATE_KINDS)),
      return_shipping_methods: Type.Array(OneOf(RETURN_SHIPPING_METHODS, carriers)),
    },
    { description: 'Options for the settings forms.' },
  ),
});

const ofAccount = { access: 'account', tag: 'Setup' } as const;

export const placesEndpoints = endpointsOf(ofAccount, {
  'GET /nodes/{node_id}': {
    id: 'getNode',
    summary: 'Read a fulfillment node with its version',
    answer: NodeAnswer,
    failures: [404],
    versioned: true,
    async handle({ services, account, targetId: nodeId }) {
      const read = await readNode(services.setup, targetOf(account), nodeId);
      return foundAnswer(read, (node) => JSON.stringify(nodeJson(node, services.context.names)), nodeTag);
    },
  },
  'PUT /nodes/{node_id}': {
    id: 'putNode',
    summary: 'Add a fulfillment node, or replace its settings',
    requestBody: NodeSetupBody,
    versioned: true,
    async handle({ services, account, targetId: nodeId, body, precondition }) {
      const sent = withNodeId(body, nodeId);
      return changedAnswer(services, await addOrSetNode(services.setup, targetOf(account), sent, precondition));
    },
  },
  'DELETE /nodes/{node_id}': {
    id: 'removeNode',
    summary: 'Remove a fulfillment node',
    description: 'Refused if any offer has stock, a price or shipping exceptions at this node. Takes 2 seconds.',
    failures: [404],
    handle: async ({ services, account, targetId: nodeId }) =>
      changedAnswer(services, await removeNode(services.setup, targetOf(account), nodeId)),
  },
  'DELETE /return-locations/{location_id}': {
    id: 'removeReturnLocation',
    summary: 'Remove a return location',
    description: 'Refused if any offer uses this location in its returns exception. Takes 2 seconds.',
    failures: [404],
    handle: async ({ services, account, targetId: locationId }) =>
      changedAnswer(services, await removeReturnLocation(services.setup, targetOf(account), locationId)),
  },
  'PUT /return-locations/{location_id}': {
    id: 'putReturnLocation',
    summary: 'Add a return location',
    description: 'Refused if it already exists.',
    async handle({ services, account, targetId: locationId }) {
      const sent = readBodyValue({ return_location_id: locationId });
      return changedAnswer(services, await addReturnLocation(services.setup, targetOf(account), sent));
    },
  },
});

const ofMerchant = { access: 'person', tag: 'Setup' } as const;

export const merchantSettingsEndpoints = endpointsOf(ofMerchant, {
  'GET /merchant': {
    id: 'getMerchant',
    roles: MERCHANT_ROLES,
    summary: 'Read the settings of your merchant for both environments',
    answer: MerchantAnswer,
    versioned: true,
    async handle({ services, person }) {
      const read = await readMerchantReturns(services.setup, person.merchantId ?? '');
      const toJson = (merchant: MerchantReturns) => JSON.stringify(merchantJson(merchant, services.context.names));
      return foundAnswer(read, toJson, returnSettingsTag);
    },
  },
  'PUT /merchant': {
    id: 'putMerchant',
    roles: ['merchant-admin'],
    summary: 'Change the return settings, in both environments',
    requestBody: MerchantReturnsBody,
    versioned: true,
    async handle({ services, person, body, precondition }) {
      const set = await setMerchantReturns(services.setup, person.merchantId ?? '', body, precondition);
      return changedAnswer(services, set);
    },
  },
});

/** The URL takes precedence over the body. A body that is not an object stays unchanged and is refused later. */
function withNodeId(body: SentBody, fulfillment_node_id: string): SentBody {
  if (!isObject(body.value)) return body;
  const { problems } = readBodyValue({ fulfillment_node_id });
  return { value: { ...body.value, fulfillment_node_id }, problems: [...problems, ...body.problems] };
}

function merchantJson(
  { merchantId, name, timeToReturnDays, returnShippingMethods }: MerchantReturns,
  names: Names,
): Record<keyof Static<typeof MerchantAnswer>, unknown> {
  const spelled = (methods: readonly string[]) => methods.map((method) => names.method(method));
  return {
    id: merchantId,
    name,
    time_to_return_days: timeToReturnDays,
    return_shipping_methods: spelled(returnShippingMethods),
    choices: {
      methods: spelled(SHIPPING_METHODS),
      levels: SERVICE_LEVELS,
      rate_kinds: RATE_KINDS,
      return_shipping_methods: spelled(RETURN_SHIPPING_METHODS),
    },
  };
}
