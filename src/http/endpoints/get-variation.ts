/** GET /merchant-skus/{user_defined_sku_id}/variation */
import { RELATIONSHIP, VariationBody } from '../../domain/bodies/variation.ts';
import { Type } from '../../domain/check/type.ts';
import type { GroupUpload } from '../../domain/offers/part.ts';
import { readVariation } from '../../operations/read-parts.ts';
import { groupTag } from '../../store/port/part-tags.ts';
import { foundAnswer } from '../answers/answers.ts';
import { spliceJson } from '../answers/stored-json.ts';
import type { MerchantEndpoint } from '../endpoint.ts';

export const getVariationEndpoint: MerchantEndpoint = {
  id: 'getVariation',
  method: 'GET',
  path: '/merchant-skus/{user_defined_sku_id}/variation',
  access: 'merchant',
  tag: 'Variation',
  summary: 'Read the variation group of a parent SKU',
  answer: Type.Object({
    ...VariationBody.properties,
    children_skus: Type.Array(Type.String(), { description: 'Ids of the other members.' }),
    excluded_skus: Type.Array(Type.String(), {
      description:
        'SKU ids excluded from the group because their values repeat those of an earlier member, or because they no longer match the parent.',
    }),
  }),
  failures: [404],
  versioned: true,
  async handle({ services, account, value: skuId }) {
    return foundAnswer(
      await readVariation(services.context, account, skuId),
      ({ group, excludedSkus }) =>
        spliceJson('{}', { ...groupMembersJson(group), excluded_skus: JSON.stringify(excludedSkus) }),
      ({ group }) => groupTag(group),
    );
  },
};

/** The fields of a group, shared with the SKU read. */
export function groupMembersJson(group: GroupUpload): Record<string, string | null> {
  return {
    relationship: JSON.stringify(RELATIONSHIP),
    variation_refinements: group.refinements,
    children_skus: JSON.stringify(group.childrenSkus),
    group_title: group.title === null ? null : JSON.stringify(group.title),
  };
}
