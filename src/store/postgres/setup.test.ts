/** Tests concurrent settings changes and moves: of two conflicting changes one wins, and nothing is left half done. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { bareOffer, LATER_MS, NOW_MS, newMerchant, newRecord } from '../contract/subject.ts';
import { openPostgresMoves, openPostgresSetupStore } from './open.ts';
import { postgresSkipped } from './testing/availability.ts';
import { WAITING } from './testing/held-rows.ts';
import { createReadyDatabase, PATIENCE } from './testing/test-database.ts';

const TURNS = 10;

describe('setup on PostgreSQL', { skip: postgresSkipped() }, () => {
  test('of two processes that add the same merchant, one adds it, and the version moves once', async (t) => {
    const { stores } = await open(t);
    for (let turn = 0; turn < TURNS; turn++) {
      const merchant = newMerchant();
      const before = await stores[0].settings.readSetupVersion();
      const outcomes = await Promise.all(stores.map((store) => store.settings.addMerchant(merchant, NOW_MS)));
      assert.deepEqual(outcomes.toSorted(), ['exists', 'stored']);
      assert.equal(await stores[1].settings.readSetupVersion(), before + 1);
    }
  });

  test('of two merchants that want the same user, one is added, and no data of the other is stored', async (t) => {
    const { stores } = await open(t);
    for (let turn = 0; turn < TURNS; turn++) {
      const first = newMerchant();
      const second = { ...newMerchant(), credentials: first.credentials };
      const outcomes = await Promise.all([
        stores[0].settings.addMerchant(first, NOW_MS),
        stores[1].settings.addMerchant(second, NOW_MS),
      ]);
      assert.deepEqual(outcomes.toSorted(), ['exists', 'stored']);
      const refused = outcomes[0] === 'exists' ? first : second;
      assert.equal(await stores[0].settings.readMerchant(refused.merchantId), undefined);
    }
  });

  test('a change waits for a concurrent one, and sees its result', async (t) => {
    const { url, stores } = await open(t);
    const merchant = newMerchant();
    const other = await connect(t, url);
    await other.query('BEGIN');
    await other.query('UPDATE setup_version SET version = version + 1');
    const values = [merchant.merchantId, 'Other', NOW_MS, 14, '[]'];
    await other.query(
      `INSERT INTO merchant (merchant_id, name, created_ms, time_to_return_days, return_shipping_methods)
       VALUES ($1, $2, $3, $4, $5)`,
      values,
    );
    const adding = stores[0].settings.addMerchant(merchant, NOW_MS);
    await untilSessionsWait(t, url);
    await other.query('COMMIT');
    assert.equal(await adding, 'exists');
  });

  test('two processes add the same portal user, roll the same keys and add first signing keys: none is lost', async (t) => {
    const { stores } = await open(t);
    const merchant = newMerchant();
    await stores[0].settings.addMerchant(merchant, NOW_MS);
    const { accounts } = (await stores[0].settings.readMerchant(merchant.merchantId)) ?? assert.fail();
    const user = { email: 'a@b.example', role: 'operator', merchantId: null, createdMs: NOW_MS } as const;
    const added = await Promise.all(
      stores.map((store, number) =>
        store.people.addPortalUser(user, { tokenHash: Uint8Array.of(number), endsMs: LATER_MS }),
      ),
    );
    assert.deepEqual(added.toSorted(), ['exists', 'stored']);

    const next = [newMerchant().credentials.live, newMerchant().credentials.live];
    await Promise.all(
      stores.map((store, number) =>
        store.settings.rollCredential(accounts.live, null, next[number] ?? assert.fail(), NOW_MS, LATER_MS),
      ),
    );
    const ends = (await stores[0].settings.listCredentials(accounts.live, NOW_MS)).map(({ endsMs }) => endsMs);
    assert.deepEqual(ends, [LATER_MS, LATER_MS, null], 'the second roll also replaced the set of the first');

    await Promise.all(
      stores.map((store, number) =>
        store.settings.addFirstSigningKey({ keyId: `k${number}`, secret: new Uint8Array(1) }, 1),
      ),
    );
    assert.equal((await stores[1].settings.listSigningKeys()).length, 1);
  });
});

describe('moves on PostgreSQL', { skip: postgresSkipped() }, () => {
  test('of two imports of the same merchant, one begins', async (t) => {
    const { moves } = await open(t);
    const merchant = newRecord();
    const begun = await Promise.all(moves.map((one) => one.beginImport(merchant)));
    assert.equal(begun.filter((outcome) => outcome === 'unfinished').length, 1, JSON.stringify(begun));
  });

  test('a merchant is not erased under an import that is storing offers', async (t) => {
    const { url, moves } = await open(t);
    const merchant = newRecord();
    const accounts = await moves[0].beginImport(merchant);
    assert.ok(typeof accounts === 'object');
    // Does the first half of importOffers, and stays open.
    const other = await connect(t, url);
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM account WHERE account_id = $1 FOR KEY SHARE', [accounts.live]);
    const erasing = moves[0].eraseMerchant(merchant.merchantId);
    await untilSessionsWait(t, url);
    await other.query(
      `INSERT INTO offer (account_id, sku_id, upload_order, first_upload_ms, document_tag, document, document_updated_ms,
         document_number, inventory_stamp_ms) VALUES ($1, 'a', 1, 1, 'tag', '{}', 1, 1, 1)`,
      [accounts.live],
    );
    await other.query('COMMIT');
    assert.equal(await erasing, 'has_offers');
    assert.equal(await moves[1].beginImport(merchant), 'unfinished', 'none of its data is erased');
  });

  test('a merchant is not resumed while its removal begins', async (t) => {
    const { url, stores, moves } = await open(t);
    const merchant = newMerchant();
    const { merchantId } = merchant;
    await stores[0].settings.addMerchant(merchant, NOW_MS);
    assert.equal(await moves[0].beginRemoval(merchantId), 'begun');
    const other = await connect(t, url);
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM pending_removal WHERE merchant_id = $1 FOR UPDATE', [merchantId]);
    const erasing = moves[0].beginErasing(merchantId, '/exports/a');
    await untilSessionsWait(t, url);
    const lettingIn = stores[0].settings.setSuspended(merchantId, false);
    await untilSessionsWait(t, url, 2);
    await other.query('COMMIT');
    assert.deepEqual(await Promise.all([erasing, lettingIn]), ['begun', 'unfinished']);
    assert.equal((await stores[0].settings.readMerchant(merchantId))?.unfinished, 'removal');
  });

  test('an import finds no account that is being erased', async (t) => {
    const { url, moves } = await open(t);
    const merchant = newRecord();
    const accounts = await moves[0].beginImport(merchant);
    assert.ok(typeof accounts === 'object');
    const other = await connect(t, url);
    await other.query('BEGIN');
    await other.query('DELETE FROM account WHERE account_id = $1', [accounts.live]);
    // Attach the handler now: the import may reject before COMMIT returns, which would be an unhandled rejection.
    const refused = assert.rejects(moves[0].importOffers(accounts.live, [bareOffer('a')]), /does not exist/);
    await untilSessionsWait(t, url);
    await other.query('COMMIT');
    await refused;
  });

  test('more offers than one statement takes are imported in order; a duplicate rolls back all', async (t) => {
    const { moves } = await open(t);
    const accounts = await moves[0].beginImport(newRecord());
    assert.ok(typeof accounts === 'object');
    const offers = Array.from({ length: 2500 }, (_, number) => bareOffer(`sku-${2500 - number}`));
    const [first = bareOffer('')] = offers;
    assert.deepEqual(await moves[0].importOffers(accounts.live, [...offers, first]), { repeated: first.skuId });
    assert.equal(await moves[0].readLastOffer(accounts.live), 0);
    assert.equal(await moves[0].importOffers(accounts.live, offers), 'stored');
    const snapshot = await moves[1].openSnapshot();
    t.after(() => snapshot.close());
    const skuIds: string[] = [];
    for (let after = 0; skuIds.length < offers.length; ) {
      const page = await snapshot.readOffers(accounts.live, after);
      assert.ok(page.length > 0);
      skuIds.push(...page.map(({ record }) => record.skuId));
      after = page.at(-1)?.order ?? after;
    }
    assert.deepEqual(
      skuIds,
      offers.map(({ skuId }) => skuId),
    );
  });

  test('the group of an erased parent ends, and its members may be grouped again', async (t) => {
    const { moves } = await open(t);
    const accounts = await moves[0].beginImport(newRecord());
    assert.ok(typeof accounts === 'object');
    const accountId = accounts.live;
    const group = (skuId: string, childrenSkus: string[]) => ({ skuId, childrenSkus, refinements: '[1]', title: null });
    await moves[0].importOffers(accountId, [bareOffer('parent')]);
    const upTo = await moves[0].readLastOffer(accountId);
    await moves[0].importOffers(accountId, [bareOffer('child'), bareOffer('other')]);
    assert.equal(await moves[0].importGroups(accountId, [group('parent', ['child'])]), 'stored');
    assert.deepEqual(await moves[0].eraseOffers(accountId, upTo, 1000), { skus: 1, more: false });
    assert.equal(await moves[0].importGroups(accountId, [group('other', ['child'])]), 'stored');
  });
});

async function open(t: TestContext) {
  const { url } = await createReadyDatabase();
  const stores = await Promise.all([
    openPostgresSetupStore({ url, ...PATIENCE }),
    openPostgresSetupStore({ url, ...PATIENCE }),
  ]);
  const moves = await Promise.all([openPostgresMoves({ url, ...PATIENCE }), openPostgresMoves({ url, ...PATIENCE })]);
  t.after(() => Promise.all([...stores, ...moves].map((one) => one.close())));
  return { url, stores, moves };
}

async function connect(t: TestContext, url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  t.after(() => client.end());
  return client;
}

/** Waits until `count` sessions wait for a lock. */
async function untilSessionsWait(t: TestContext, url: string, count = 1): Promise<void> {
  const client = await connect(t, url);
  while (((await client.query(WAITING.text)).rowCount ?? 0) < count)
    await setTimeout(5, undefined, { signal: t.signal });
}
