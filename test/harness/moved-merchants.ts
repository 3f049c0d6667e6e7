/** Merchants for tests of export, import and removal: small, but with everything that can be stored. */

import type { TestContext } from 'node:test';
import type { Author } from '../../src/domain/author.ts';
import { SCOPE } from '../../src/domain/setup/key-scopes.ts';
import type { MoveContext } from '../../src/operations/moves/pace.ts';
import { createPace } from '../../src/operations/moves/pace.ts';
import {
  patchInventory,
  putGroup,
  putPrice,
  putReturnLocations,
  putShippingExceptions,
  putSku,
  setArchived,
} from '../../src/store/contract/put-parts.ts';
import type { Store } from '../../src/store/port.ts';
import { openSqliteMoves, openSqliteStore } from '../../src/store/sqlite/open.ts';
import { merchant } from './setup-context.ts';
import { tempFolder } from './temp-folder.ts';

/** Author in the history. */
export const AUTHOR: Author = 'key:mover';
export const NOW_MS = Date.UTC(2026, 0, 31, 9, 30);

export interface MoveFolder extends MoveContext {
  readonly dataDir: string;
  readonly store: Store;
}

/** Creates a folder with open stores. */
export async function openMoveFolder(t: Pick<TestContext, 'after'>): Promise<MoveFolder> {
  const dataDir = await tempFolder();
  const onFatal = (error: Error) => {
    throw error;
  };
  const store = await openSqliteStore({ dataDir, onFatal });
  const moves = await openSqliteMoves({ dataDir });
  t.after(async () => {
    await moves.close();
    await store.close();
  });
  return { dataDir, store, setup: store, moves, pace: createPace(false) };
}

/** Adds the merchant with both environments, and with offers that have and lack each of their parts. */
export async function addFullMerchant(store: Store, merchantId: string, skusLive = 3): Promise<void> {
  await store.settings.addMerchant(merchant(merchantId), NOW_MS);
  const { accounts } = (await store.settings.readMerchant(merchantId)) ?? { accounts: { test: 0, live: 0 } };
  for (const accountId of [accounts.test, accounts.live]) {
    await store.settings.putNode(accountId, {
      id: 'é 1',
      rateKind: 'flat',
      methods: ['<carrier_2> Ground'],
      levels: ['Standard'],
    });
    await store.settings.addReturnLocation(accountId, 'dock');
  }
  await store.settings.rollCredential(
    accounts.live,
    null,
    { user: `${merchantId}-next`, salt: Uint8Array.of(0, 1, 255), secretHash: new Uint8Array(32).fill(7) },
    NOW_MS + 5,
    NOW_MS + 1000,
  );
  const erp = { user: `${merchantId}-erp`, salt: Uint8Array.of(2), secretHash: new Uint8Array(32), name: 'ERP "é"' };
  const limits = { scopes: SCOPE.read | SCOPE.price, skuPrefix: 'é "' };
  await store.settings.addCredential(accounts.test, { ...erp, ...limits }, NOW_MS + 6, 9);
  for (let n = 0; n < skusLive; n++) {
    await putSku(
      store.offers,
      { accountId: accounts.live, skuId: `live-${skusLive - n}`, by: AUTHOR },
      documentOf(n),
      NOW_MS + n,
    );
  }
  const key = (skuId: string) => ({ accountId: accounts.test, skuId, by: AUTHOR });
  for (const skuId of ['b/"\n', 'a', '😀', 'archived', 'shoe']) {
    await putSku(store.offers, key(skuId), documentOf(skuId === 'shoe' ? 'shoe' : 1), NOW_MS + 7);
  }
  const nodes = [{ fulfillment_node_id: 'é 1', fulfillment_node_price: 0.1 + 0.2 }];
  await putPrice(store.offers, key('a'), { price: 1e9, nodes }, NOW_MS + 8);
  await putPrice(store.offers, key('b/"\n'), { price: 0.01, nodes: [] }, NOW_MS + 8);
  await patchInventory(store.offers, key('a'), [{ fulfillment_node_id: 'é 1', quantity: 2_147_483_647 }], NOW_MS + 9);
  await putShippingExceptions(
    store.offers,
    key('a'),
    '[{"fulfillment_node_id":"é 1","shipping_exceptions":[{"service_level":"Standard","shipping_exception_type":"exclusive"}]}]',
    NOW_MS,
  );
  await putReturnLocations(store.offers, key('a'), ['dock'], NOW_MS);
  await patchInventory(store.offers, key('archived'), [{ fulfillment_node_id: 'é 1', quantity: 4 }], NOW_MS + 9);
  await setArchived(store.offers, key('archived'), true, NOW_MS + 10);
  const group = { refinements: '[9223372036854775807]', title: 'A "group"', childrenSkus: ['😀', 'a'] };
  await putGroup(store.offers, key('shoe'), group, NOW_MS);
}

/** Returns a document as uploads store it, with integers beyond 2^53 and the default of `prop_65`. */
export function documentOf(variant: number | 'shoe'): string {
  const type = variant === 'shoe' ? '"product_type_id":37005005000,' : '';
  return `{${type}"product_title":"Title ${variant} 😀","multipack_quantity":1,"ASIN":"B000000000","brand":"Ää","main_image_url":"https://images.example/a.jpg","attributes_node_specific":[{"attribute_id":9223372036854775807,"attribute_value":"x"}],"map_implementation":"101","prop_65":false}`;
}
