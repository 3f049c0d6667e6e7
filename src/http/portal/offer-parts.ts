/** Portal: GET /{env}/offers/{sku}/parts */
import { OneOf } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import { MERCHANT_ROLES } from '../../domain/vocabulary/portal-roles.ts';
import { OPTIONAL_PARTS, readSetParts } from '../../operations/offers/read.ts';
import { foundAnswer } from '../answers/answers.ts';
import type { AccountEndpoint } from '../endpoint.ts';

const SetParts = Type.Object({
  parts: Type.Array(OneOf(OPTIONAL_PARTS.map(({ name }) => name)), {
    description: 'The parts that are set. Reading any other part returns 404.',
  }),
});

/** Browsers log every 404 as an error, so pages read this list first. */
export const offerPartsEndpoints: readonly AccountEndpoint[] = [
  {
    id: 'readSetParts',
    method: 'GET',
    path: '/offers/{user_defined_sku_id}/parts',
    access: 'account',
    tag: 'Offers',
    roles: MERCHANT_ROLES,
    summary: 'Read which optional parts of an offer are set',
    answer: SetParts,
    failures: [400, 404],
    async handle({ services, account, value: skuId }) {
      const found = await readSetParts(services.context, account, skuId);
      return foundAnswer(found, (parts) => JSON.stringify({ parts: [...parts] } satisfies Static<typeof SetParts>));
    },
  },
];
