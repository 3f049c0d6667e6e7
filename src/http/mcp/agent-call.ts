/** Makes calls of the API for a tool: with the key of the request and the checks of each call, but without requests of their own. */
import { Id, Text } from '../../domain/check/schema.ts';
import { type TSchema, Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { KeyRights } from '../../domain/setup/key-scopes.ts';
import { decodeSkuId } from '../../domain/sku-id.ts';
import { refuseKey } from '../admit.ts';
import {
  type Answer,
  type MarketplaceCall,
  type MarketplaceEndpoint,
  type MerchantCall,
  type MerchantEndpoint,
  SKU_PLACEHOLDER,
} from '../endpoint.ts';
import { NO_BODY } from '../read-body.ts';
import { ENDPOINTS } from '../routes.ts';

/** A call that a tool makes. */
export type ToolEndpoint = MerchantEndpoint | MarketplaceEndpoint;

export const MerchantSku = Text(LIMITS.sku_id_characters_max, {
  min: 1,
  description: 'Id of the SKU: `sku` in find_offers.',
});

/** Arguments for what the paths of calls name. */
const IN_PATH: Readonly<Record<string, readonly [name: string, schema: TSchema]>> = {
  user_defined_sku_id: ['merchant_sku', MerchantSku],
  node_id: ['category_id', Id({ description: 'Id of the category, from find_category.' })],
  plan_id: ['plan_id', Type.String({ description: 'Id of the plan, from make_plan.' })],
  file_id: ['file_id', Type.String({ description: 'Id of the file: `marketplace_file_id` in check_file.' })],
  report_id: ['report_id', Type.String({ description: 'Id of the report.' })],
};

/** Returns the argument that the path of a call needs; undefined if the path names nothing. */
export function argumentInPath({ path }: ToolEndpoint): readonly [name: string, schema: TSchema] | undefined {
  return IN_PATH[/\{(\w+)\}/.exec(path)?.[1] ?? ''];
}

/** Returns a call of the API by its id. */
export function api(id: string): ToolEndpoint {
  const found = ENDPOINTS.find((endpoint) => endpoint.id === id);
  if (found?.access !== 'merchant' && found?.access !== 'marketplace') throw new Error(`There is no call ${id}.`);
  return found;
}

export type Values = Readonly<Record<string, unknown>>;

/** The request of an agent, and so what every call needs that is made for it. */
export type AgentRequest = MarketplaceCall & Pick<MerchantCall, 'key'>;

export class AgentCall {
  readonly request: AgentRequest;

  constructor(request: AgentRequest) {
    this.request = request;
  }

  /** Values that are neither in the path nor in the query become the body. */
  async make(endpoint: ToolEndpoint, values: Values): Promise<Answer> {
    const { services, account, by, key, person, environment, newId, whenClosed } = this.request;
    const [name = ''] = argumentInPath(endpoint) ?? [];
    const { [name]: named = '', ...others } = values;
    const raw = encodeURIComponent(String(named));
    // Tools change offers only through plans, so keys that are bound to plans may use all of them.
    const refused = refuseKey(key as KeyRights, endpoint, { address: { value: raw }, isDryRun: true });
    if (refused !== undefined) return { problems: [refused] };
    const sku = endpoint.path.includes(SKU_PLACEHOLDER) ? decodeSkuId(raw) : { skuId: '' };
    if ('problem' in sku) return { problems: [sku.problem] };
    const isInQuery = ([field]: readonly [string, unknown]) => Object.hasOwn(endpoint.query ?? {}, field);
    const sent = Object.entries(others).filter(([, value]) => value !== undefined && value !== null);
    const query = sent.filter(isInQuery).map(([field, value]) => `${field}=${encodeURIComponent(String(value))}`);
    const body = Object.fromEntries(sent.filter((field) => !isInQuery(field)));
    return endpoint.handle({
      ...{ services, account, by, key, person, environment, newId, whenClosed, ...sku },
      ...{ targetId: String(named), changeId: '', query: query.join('&'), headers: {}, precondition: undefined },
      body: endpoint.requestBody === undefined ? NO_BODY : { value: body, problems: [] },
      ...{ firstRunNumber: undefined, keyed: undefined, sent: this.request.sent },
    });
  }
}
