/** Tests that an export imported elsewhere is identical, to the byte of its next export. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ENVIRONMENTS, type Environment } from '../../src/domain/account.ts';
import { readBodyText } from '../../src/domain/body-text.ts';
import type { OfferRecord } from '../../src/domain/export/records.ts';
import { skuLine } from '../../src/operations/moves/export-lines.ts';
import { exportMerchants } from '../../src/operations/moves/export-merchants.ts';
import { readLine } from '../../src/operations/moves/import-lines.ts';
import { importMerchants } from '../../src/operations/moves/import-merchants.ts';
import { clearableOf } from '../../src/store/contract/put-parts.ts';
import { readGroup } from '../../src/store/contract/read-parts.ts';
import type { SkuPage } from '../../src/store/port/offers.ts';
import { addFullMerchant, documentOf, type MoveFolder, openMoveFolder } from '../harness/moved-merchants.ts';

describe('export and import', () => {
  it('of everything is identical in another folder, and exports to the same bytes', async (t) => {
    const [from, to] = [await openMoveFolder(t), await openMoveFolder(t)];
    await addFullMerchant(from.store, 'acme', 600);
    await addFullMerchant(from.store, 'zeta');
    await from.store.settings.setSuspended('zeta', true);
    const text = await exported(from, undefined, ENVIRONMENTS);
    const outcome = await imported(to, text);
    assert.ok(outcome.ok, JSON.stringify(outcome));
    assert.deepEqual(outcome.value, {
      merchantIds: ['acme', 'zeta'],
      counts: { merchants: 2, skus: 613, lines: text.split('\n').length - 1 },
    });
    assert.equal(await exported(to, undefined, ENVIRONMENTS), text);

    const { accounts } = (await to.store.settings.readMerchant('acme')) ?? assert.fail();
    assert.equal((await to.store.settings.readMerchant('zeta'))?.suspended, true);
    assert.equal((await to.store.offers.readOffer({ accountId: accounts.test, skuId: 'a' }))?.document, documentOf(1));
    const page = await to.store.offers.listSkus(accounts.live, { after: undefined, offset: 0, limit: 2 });
    assert.deepEqual(page, { skuIds: ['live-600', 'live-599'], more: true }, 'the order of first upload');
    const group = await readGroup(to.store.offers, { accountId: accounts.test, skuId: 'shoe' });
    assert.deepEqual(group, {
      refinements: '[9223372036854775807]',
      title: 'A "group"',
      childrenSkus: ['😀', 'a'],
    });
    const original = await from.store.settings.readCredentialOfUser('acme-next');
    const copy = await to.store.settings.readCredentialOfUser('acme-next');
    assert.deepEqual([copy?.salt, copy?.secretHash], [original?.salt, original?.secretHash], 'keys still work');
    assert.deepEqual((await to.store.settings.listSigningKeys()).length, 0, 'keys that sign tokens are not exported');
  });

  it('of one environment leaves the other empty', async (t) => {
    const [from, to] = [await openMoveFolder(t), await openMoveFolder(t)];
    await addFullMerchant(from.store, 'acme');
    const text = await exported(from, 'acme', ['live']);
    assert.doesNotMatch(text, /"environment":"test"/);
    assert.ok((await imported(to, text)).ok);
    const { accounts } = (await to.store.settings.readMerchant('acme')) ?? assert.fail();
    const skus = async (accountId: number) =>
      (await to.store.offers.listSkus(accountId, { after: undefined, offset: 0, limit: 10 })) as SkuPage;
    assert.deepEqual((await skus(accounts.test)).skuIds, []);
    assert.deepEqual((await skus(accounts.live)).skuIds, ['live-3', 'live-2', 'live-1']);
    assert.equal(await exported(to, 'acme', ['live']), text);
  });

  it('of a SKU with as many nodes and exceptions as the API accepts is whole', () => {
    const nodeIds = Array.from({ length: 1000 }, (_, place) => `n${place}`);
    const exception = { service_level: 'Priority', shipping_exception_type: 'restricted' };
    const exceptions = JSON.stringify(
      nodeIds.map((fulfillment_node_id) => ({ fulfillment_node_id, shipping_exceptions: Array(14).fill(exception) })),
    );
    assert.ok('value' in readBodyText(`{"fulfillment_nodes":${exceptions}}`) && exceptions.length < 1_048_000);
    const offer: OfferRecord = {
      skuId: 'a',
      archived: false,
      firstUploadMs: 0,
      document: documentOf(1),
      documentUpdatedMs: 0,
      price: {
        price: 1,
        nodes: nodeIds.map((fulfillment_node_id) => ({ fulfillment_node_id, fulfillment_node_price: 2 })),
        updatedMs: 0,
      },
      inventory: {
        stampMs: 0,
        nodes: nodeIds.map((fulfillment_node_id) => ({ fulfillment_node_id, quantity: 3, updatedMs: 0 })),
      },
      clearable: clearableOf({ shipping_exception: exceptions }),
    };
    assert.deepEqual(readLine(skuLine(offer)), { kind: 'sku', offer });
  });

  it('of an empty database is two lines', async (t) => {
    const [from, to] = [await openMoveFolder(t), await openMoveFolder(t)];
    const text = await exported(from, undefined, ENVIRONMENTS);
    assert.equal(text, '{"kind":"offerbook_export","version":1}\n{"kind":"end","merchants":0,"skus":0,"lines":2}\n');
    assert.ok((await imported(to, text)).ok);
  });

  it('of an unknown merchant is refused', async (t) => {
    const from = await openMoveFolder(t);
    const snapshot = await from.moves.openSnapshot();
    t.after(() => snapshot.close());
    const outcome = await exportMerchants(snapshot, { merchantId: 'nobody', environments: ENVIRONMENTS });
    assert.equal(outcome.ok ? undefined : outcome.problems[0]?.code, 'merchant_unknown');
  });
});

async function exported(
  from: MoveFolder,
  merchantId: string | undefined,
  environments: readonly Environment[],
): Promise<string> {
  const snapshot = await from.moves.openSnapshot();
  const outcome = await exportMerchants(snapshot, { merchantId, environments });
  assert.ok(outcome.ok);
  let text = '';
  for await (const part of outcome.value.texts) text += part;
  await snapshot.close();
  return text;
}

function imported(to: MoveFolder, text: string) {
  const lines = text.trimEnd().split('\n');
  return importMerchants(
    to,
    (async function* () {
      yield lines;
    })(),
  );
}
