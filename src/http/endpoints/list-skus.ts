/** GET /merchant-skus */
import Type from 'typebox';
import { Text, Whole } from '../../domain/check/schema.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Problem } from '../../domain/problem.ts';
import { requestProblem } from '../../domain/problem.ts';
import { skuIdFault } from '../../domain/sku-id.ts';
import { listSkus } from '../../operations/list-skus.ts';
import type { SkuPageRequest } from '../../store/port.ts';
import type { Answer, MerchantCall, MerchantEndpoint } from '../endpoint.ts';
import { textParameter, wholeNumberParameter } from '../query.ts';
import { SkuAnswer, skuAnswer } from './get-sku.ts';

const OFFSET = { min: 0, max: LIMITS.count_max, fallback: 0 };
const LIMIT = { min: 1, max: LIMITS.list_limit_max, fallback: LIMITS.list_limit_default };

const ListAnswer = Type.Object({
  sku_urls: Type.Array(Type.String({ description: '`merchant-skus/` and the percent-encoded SKU id' })),
});

export const listSkusEndpoint: MerchantEndpoint = {
  id: 'listSkus',
  method: 'GET',
  path: '/merchant-skus',
  access: 'merchant',
  tag: 'SKUs',
  summary: 'List the uploaded SKUs, in the order of their first upload',
  description: 'With `sku` it answers like the read of that one SKU. Follow `Link: rel="next"` to page on.',
  query: {
    sku: { description: 'Read this one SKU.', schema: Text(LIMITS.sku_id_characters_max, { min: 1 }) },
    after: { description: 'List from behind this SKU.', schema: Text(LIMITS.sku_id_characters_max, { min: 1 }) },
    offset: { description: 'How many to pass over; `after` is quicker.', schema: Whole(OFFSET.min, OFFSET.max) },
    limit: { description: `How many to list; ${LIMIT.fallback} when absent.`, schema: Whole(LIMIT.min, LIMIT.max) },
  },
  answer: (names) => Type.Union([ListAnswer, SkuAnswer(names)]),
  failures: [400, 404],
  async handle(call) {
    const sku = skuIdParameter(call.query, 'sku');
    if ('problem' in sku) return { problems: [sku.problem] };
    return sku.value === undefined ? listAnswer(call) : skuAnswer(call, sku.value);
  },
};

function skuIdParameter(query: string, name: string): ReturnType<typeof textParameter> {
  const read = textParameter(query, name);
  if ('problem' in read || read.value === undefined) return read;
  const fault = skuIdFault(read.value);
  return fault === undefined ? read : { problem: requestProblem('sku_id_invalid', `${name}: ${fault}.`) };
}

async function listAnswer({ services, account, query }: MerchantCall): Promise<Answer> {
  const page = readPage(query);
  if ('problems' in page) return page;
  const outcome = await listSkus(services.context, account, page);
  if (!outcome.ok) return outcome;
  const { skuIds, more } = outcome.value;
  const last = skuIds.at(-1);
  const next = `${services.publicUrl()}/merchant-skus?after=${encodeURIComponent(last ?? '')}&limit=${page.limit}`;
  return {
    status: 200,
    json: JSON.stringify({ sku_urls: skuIds.map((skuId) => `merchant-skus/${encodeURIComponent(skuId)}`) }),
    headers: more && last !== undefined ? { link: `<${next}>; rel="next"` } : {},
  };
}

function readPage(query: string): SkuPageRequest | { problems: Problem[] } {
  const after = skuIdParameter(query, 'after');
  const offset = wholeNumberParameter(query, 'offset', OFFSET);
  const limit = wholeNumberParameter(query, 'limit', LIMIT);
  const problems = [after, offset, limit].flatMap((read) => ('problem' in read ? [read.problem] : []));
  if ('problem' in after || 'problem' in offset || 'problem' in limit) return { problems };
  return { after: after.value, offset: offset.value, limit: limit.value };
}
