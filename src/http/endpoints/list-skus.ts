/** GET /merchant-skus */
import { Text } from '../../domain/check/schema.ts';
import { Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import { SCOPE } from '../../domain/setup/key-scopes.ts';
import { skuIdFault } from '../../domain/sku-id.ts';
import { listSkus } from '../../operations/read-sku.ts';
import type { Answer, MerchantCall, MerchantEndpoint } from '../endpoint.ts';
import { PAGE_QUERY, type QueryReading, readListPage, readQuery } from '../query.ts';
import { SkuAnswer, skuAnswer } from './get-sku.ts';

const ListAnswer = Type.Object(
  {
    sku_urls: Type.Array(Type.String(), {
      description: 'Relative URL of each SKU: `merchant-skus/` and the percent-encoded SKU id.',
    }),
  },
  { title: 'SkuList', description: 'One page of uploaded SKUs.' },
);

export const listSkusEndpoint: MerchantEndpoint = {
  id: 'listSkus',
  method: 'GET',
  path: '/merchant-skus',
  access: 'merchant',
  needs: SCOPE.read,
  tag: 'SKUs',
  summary: 'List the uploaded SKUs, in the order of their first upload',
  description:
    'With `sku`, the response is that one SKU. Follow the `Link` header with `rel="next"` to get the next page.',
  query: {
    sku: { description: 'Id of one SKU to read.', schema: Text(LIMITS.sku_id_characters_max, { min: 1 }) },
    after: {
      description: 'Id of a SKU. The page starts with the SKU that was uploaded after it.',
      schema: Text(LIMITS.sku_id_characters_max, { min: 1 }),
    },
    offset: { ...PAGE_QUERY.offset, description: 'Number of SKUs to skip. Paging with `after` is faster.' },
    limit: PAGE_QUERY.limit,
  },
  answer: (names) => Type.Union([ListAnswer, SkuAnswer(names)]),
  failures: [404],
  async handle(call) {
    const asked = readQuery(call.query, (reading) => ({ skuId: readSkuId(reading, 'sku') }));
    if ('problems' in asked) return asked;
    return asked.skuId === undefined ? listAnswer(call) : skuAnswer(call, asked.skuId);
  },
};

async function listAnswer({ services, account, query }: MerchantCall): Promise<Answer> {
  const page = readQuery(query, (reading) => ({ after: readSkuId(reading, 'after'), ...readListPage(reading) }));
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

function readSkuId(reading: QueryReading, name: string): string | undefined {
  const skuId = reading.text(name);
  const fault = skuId === undefined ? undefined : skuIdFault(skuId);
  return fault === undefined ? skuId : reading.refuse(`${name}: ${fault}.`, 'sku_id_invalid');
}
