/** GET /merchant-skus */
import Type from 'typebox';
import { Text } from '../../domain/check/schema.ts';
import { LIMITS } from '../../domain/limits.ts';
import { skuIdFault } from '../../domain/sku-id.ts';
import { listSkus } from '../../operations/list-skus.ts';
import { PAGE_QUERY, readListPage } from '../answers/list-page.ts';
import type { Answer, MerchantCall, MerchantEndpoint } from '../endpoint.ts';
import { QueryReading } from '../query.ts';
import { SkuAnswer, skuAnswer } from './get-sku.ts';

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
    offset: { ...PAGE_QUERY.offset, description: 'How many to pass over; `after` is quicker.' },
    limit: PAGE_QUERY.limit,
  },
  answer: (names) => Type.Union([ListAnswer, SkuAnswer(names)]),
  failures: [400, 404],
  async handle(call) {
    const reading = new QueryReading(call.query);
    const skuId = readSkuId(reading, 'sku');
    if (reading.problems.length > 0) return { problems: reading.problems };
    return skuId === undefined ? listAnswer(call) : skuAnswer(call, skuId);
  },
};

async function listAnswer({ services, account, query }: MerchantCall): Promise<Answer> {
  const reading = new QueryReading(query);
  const page = { after: readSkuId(reading, 'after'), ...readListPage(reading) };
  if (reading.problems.length > 0) return { problems: reading.problems };
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

function readSkuId(reading: QueryReading, name: string): string | undefined {
  const skuId = reading.text(name);
  const fault = skuId === undefined ? undefined : skuIdFault(skuId);
  return fault === undefined ? skuId : reading.refuse(`${name}: ${fault}.`, 'sku_id_invalid');
}
