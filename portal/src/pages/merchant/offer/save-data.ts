/** Saves the product data of an offer. */
import { api, ask, type onlyIf } from '../../../api/client.ts';
import type { Offer, pathOf } from '../../../api/offer.ts';
import { bodyOf, type DataValues } from './data-values.ts';

interface SavedAt {
  readonly path: ReturnType<typeof pathOf>;
  readonly header: ReturnType<typeof onlyIf>;
}

/** Shoes have their own call, which also takes the product type. */
export function saveData(params: SavedAt, offer: Offer, values: DataValues): Promise<unknown> {
  const body = bodyOf(values, offer);
  const { product_type_id } = offer;
  return product_type_id === undefined
    ? ask(api.PUT('/{environment}/merchant-skus/{user_defined_sku_id}', { params, body }))
    : ask(
        api.PUT('/{environment}/merchant-skus/{user_defined_sku_id}/v2', {
          params,
          body: { ...body, product_type_id },
        }),
      );
}
