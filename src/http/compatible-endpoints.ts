/** Applies the profile `COMPATIBILITY=jet` to the endpoints of the API: see domain/compatibility.ts for the differences. */
import type { Account } from '../domain/account.ts';
import { whenThere } from '../domain/awaitable.ts';
import { type TObject, type TSchema, Type } from '../domain/check/type.ts';
import { JET } from '../domain/compatibility.ts';
import { parseExactJson, stringifyExactJson } from '../domain/int64.ts';
import type { Names } from '../domain/names.ts';
import { SCOPE } from '../domain/setup/key-scopes.ts';
import type { Answer, Endpoint, MerchantEndpoint } from './endpoint.ts';

/** This endpoint exists only in the compatibility profile. */
const nodesByMerchantId: MerchantEndpoint = {
  id: 'listNodesByMerchantId',
  method: 'GET',
  path: '/fulfillmentnodesbymerchantid',
  access: 'merchant',
  needs: SCOPE.read,
  concerns: 'no_offers',
  tag: 'Account settings',
  summary: 'List your fulfillment nodes (compatibility profile)',
  description: 'Nodes have no postal address, so the address fields are empty.',
  answer: JET.NodesByMerchantId,
  handle: ({ account }) => ({ status: 200, json: JSON.stringify(JET.nodesByMerchantId(account)) }),
};

export function compatibleEndpoints(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return [
    ...endpoints.map((endpoint) => (endpoint.access === 'merchant' ? compatible(endpoint) : endpoint)),
    nodesByMerchantId,
  ];
}

function compatible(endpoint: MerchantEndpoint): MerchantEndpoint {
  const { id, method, answer, handle } = endpoint;
  if (method !== 'GET') return endpoint;
  return {
    ...endpoint,
    ...(id in JET.answers && answer ? { answer: (names) => described(id, answer, names) } : {}),
    handle: (call) => whenThere(handle(call), (plain) => reshaped(id, plain, call.account)),
  };
}

/** Replaces the properties that differ. In a union, it changes the member that has them. */
function described(id: string, answer: NonNullable<MerchantEndpoint['answer']>, names: Names): TSchema {
  const { properties = {}, empty } = JET.answers[id] ?? {};
  const schema = typeof answer === 'function' ? answer(names) : answer;
  if (!Type.IsUnion(schema)) return changed(schema as TObject, properties, empty?.answer);
  const parts = (schema.anyOf as TObject[]).map((part) => {
    return 'children_skus' in part.properties ? changed(part, properties) : part;
  });
  return Type.Union(parts);
}

function changed(
  { properties: all, title, description }: TObject & Titled,
  own: Readonly<Record<string, TSchema>>,
  empty?: object,
): TSchema {
  const properties = Object.entries({ ...all, ...own }).map(([name, property]) => {
    return [name, empty === undefined || name in empty ? property : Type.Optional(property)];
  });
  return Type.Object(Object.fromEntries(properties), {
    ...(title && { title: `Compatible${title}` }),
    ...(description && { description }),
  });
}

interface Titled {
  readonly title?: string;
  readonly description?: string;
}

function reshaped(id: string, answer: Answer, account: Account): Answer {
  const { reshape, empty } = JET.answers[id] ?? {};
  if ('problems' in answer) {
    const isEmpty = answer.problems[0]?.code === empty?.insteadOf;
    return empty !== undefined && isEmpty ? { status: 200, json: JSON.stringify(empty.answer) } : answer;
  }
  if (reshape === undefined || answer.json === undefined) return answer;
  const json = parseExactJson(answer.json) as Readonly<Record<string, unknown>>;
  return { ...answer, json: stringifyExactJson(reshape(json, account)) };
}
