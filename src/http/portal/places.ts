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
import { NodeSetupBody } from '../../domain/setup/node.ts';
import { MERCHANT_ROLES } from '../../domain/vocabulary/portal-roles.ts';
import { SERVICE_LEVELS } from '../../domain/vocabulary/service-levels.ts';
import { RETURN_SHIPPING_METHODS, SHIPPING_METHODS } from '../../domain/vocabulary/shipping-methods.ts';
import { addReturnLocation } from '../../operations/setup/add-return-location.ts';
import {
  type MerchantReturns,
  readMerchantReturns,
  setMerchantReturns,
} from '../../operations/setup/merchant-returns.ts';
import { addOrSetNode, readNode } from '../../operations/setup/put-node.ts';
import { removeNode, removeReturnLocation } from '../../operations/setup/remove-place.ts';
import { nodeTag, returnSettingsTag } from '../../store/port/part-tags.ts';
import { foundAnswer } from '../answers/answers.ts';
import type { AccountCall, Answer, PersonCall, PortalEndpoint } from '../endpoint.ts';
import { NodeAnswer, nodeJson } from '../endpoints/account-settings.ts';
import { changedAnswer } from './answers.ts';

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

export const placesEndpoints: readonly PortalEndpoint[] = [
  {
    id: 'getNode',
    method: 'GET',
    path: '/nodes/{node_id}',
    access: 'account',
    roles: MERCHANT_ROLES,
    tag: 'Setup',
    summary: 'Read a fulfillment node with its version',
    answer: NodeAnswer,
    failures: [400, 404],
    versioned: true,
    handle: getNodeAnswer,
  },
  {
    id: 'putNode',
    method: 'PUT',
    path: '/nodes/{node_id}',
    access: 'account',
    roles: ['merchant-admin'],
    tag: 'Setup',
    summary: 'Add a fulfillment node, or replace its settings',
    requestBody: NodeSetupBody,
    failures: [400],
    versioned: true,
    handle: putNodeAnswer,
  },
  {
    id: 'removeNode',
    method: 'DELETE',
    path: '/nodes/{node_id}',
    access: 'account',
    roles: ['merchant-admin'],
    tag: 'Setup',
    summary: 'Remove a fulfillment node',
    description: 'Refused if any offer has stock, a price or shipping exceptions at this node. Takes 2 seconds.',
    failures: [400, 404],
    handle: (call) => removeAnswer(call, removeNode),
  },
  {
    id: 'removeReturnLocation',
    method: 'DELETE',
    path: '/return-locations/{location_id}',
    access: 'account',
    roles: ['merchant-admin'],
    tag: 'Setup',
    summary: 'Remove a return location',
    description: 'Refused if any offer uses this location in its returns exception. Takes 2 seconds.',
    failures: [400, 404],
    handle: (call) => removeAnswer(call, removeReturnLocation),
  },
  {
    id: 'putReturnLocation',
    method: 'PUT',
    path: '/return-locations/{location_id}',
    access: 'account',
    roles: ['merchant-admin'],
    tag: 'Setup',
    summary: 'Add a return location',
    description: 'Refused if it already exists.',
    failures: [400],
    handle: putLocationAnswer,
  },
  {
    id: 'getMerchant',
    method: 'GET',
    path: '/merchant',
    access: 'person',
    roles: MERCHANT_ROLES,
    tag: 'Setup',
    summary: 'Read the settings of your merchant for both environments',
    answer: MerchantAnswer,
    versioned: true,
    handle: merchantAnswer,
  },
  {
    id: 'putMerchant',
    method: 'PUT',
    path: '/merchant',
    access: 'person',
    roles: ['merchant-admin'],
    tag: 'Setup',
    summary: 'Change the return settings, in both environments',
    requestBody: MerchantReturnsBody,
    failures: [400],
    versioned: true,
    handle: putMerchantAnswer,
  },
];

async function getNodeAnswer({ services, account, value: nodeId }: AccountCall): Promise<Answer> {
  const { merchantId, environment } = account;
  const read = await readNode(services.setup, { merchantId, environments: [environment] }, nodeId);
  return foundAnswer(read, (node) => JSON.stringify(nodeJson(node, services.context.names)), nodeTag);
}

async function putNodeAnswer({ services, account, value: nodeId, body, precondition }: AccountCall): Promise<Answer> {
  const { merchantId, environment } = account;
  const sent = withNodeId(body, nodeId);
  const put = await addOrSetNode(services.setup, { merchantId, environments: [environment] }, sent, precondition);
  return changedAnswer(services, put);
}

/** The URL takes precedence over the body. A body that is not an object stays unchanged and is refused later. */
function withNodeId(body: SentBody, fulfillment_node_id: string): SentBody {
  if (!isObject(body.value)) return body;
  const { problems } = readBodyValue({ fulfillment_node_id });
  return { value: { ...body.value, fulfillment_node_id }, problems: [...problems, ...body.problems] };
}

async function putLocationAnswer({ services, account, value: locationId }: AccountCall): Promise<Answer> {
  const { merchantId, environment } = account;
  const sent = readBodyValue({ return_location_id: locationId });
  const added = await addReturnLocation(services.setup, { merchantId, environments: [environment] }, sent);
  return changedAnswer(services, added);
}

async function removeAnswer(
  { services, account: { merchantId, environment }, value: id }: AccountCall,
  remove: typeof removeNode,
): Promise<Answer> {
  return changedAnswer(services, await remove(services.setup, { merchantId, environments: [environment] }, id));
}

async function merchantAnswer({ services, person }: PersonCall): Promise<Answer> {
  const read = await readMerchantReturns(services.setup, person.merchantId ?? '');
  const toJson = (merchant: MerchantReturns) => JSON.stringify(merchantJson(merchant, services.context.names));
  return foundAnswer(read, toJson, returnSettingsTag);
}

async function putMerchantAnswer({ services, person, body, precondition }: PersonCall): Promise<Answer> {
  return changedAnswer(services, await setMerchantReturns(services.setup, person.merchantId ?? '', body, precondition));
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
