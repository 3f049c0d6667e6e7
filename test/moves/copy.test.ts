/** Tests copying a whole database: the copy is identical, whatever interrupts it, and other databases are not touched. */

import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { after, before, describe, it, type TestContext } from 'node:test';
import { readSettings } from '../../src/config/settings.ts';
import { ENVIRONMENTS } from '../../src/domain/account.ts';
import { type CopyReport, copyStore } from '../../src/operations/moves/copy-store.ts';
import { exportMerchants } from '../../src/operations/moves/export-merchants.ts';
import { putPrice } from '../../src/store/contract/put-parts.ts';
import { openCopyStore, openMoves, openStore } from '../../src/store/open-store.ts';
import type { CopyStore } from '../../src/store/port/copy.ts';
import type { Store } from '../../src/store/port.ts';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { AUTHOR, addFullMerchant, NOW_MS } from '../harness/moved-merchants.ts';
import { createPlace, type StoreKind, type StorePlace } from '../harness/store-place.ts';

const UNWATCHED = { copied: () => {}, compared: () => {} };
/** More than two slices. */
const SKUS_LIVE = 1100;

describe('a copy of a whole database', { skip: postgresSkipped(), concurrency: 2 }, () => {
  it('goes from SQLite to PostgreSQL and back, and is identical everywhere', async (t) => {
    const places = [await seededPlace(t), await newPlace(t, 'postgres'), await newPlace(t, 'sqlite')] as const;
    const reports = [await copied(places[0], places[1]), await copied(places[1], places[2])];
    assert.deepEqual(reports[0], reports[1]);
    assert.deepEqual(
      { ...reports[0], sha256: '' },
      { merchants: 2, skus: 2 * 5 + SKUS_LIVE + 3, skusBefore: 0, sha256: '' },
    );
    const [first, ...others] = await Promise.all(places.map(exported));
    for (const text of others) assert.equal(text, first);
    const [source, ...copies] = await Promise.all(places.map((place) => using(place, identities)));
    for (const copy of copies) assert.deepEqual(copy, source);
  });

  it('of an empty database is empty', async (t) => {
    const [from, to] = [await newPlace(t, 'postgres'), await newPlace(t, 'sqlite')];
    assert.deepEqual({ ...(await copied(from, to)), sha256: '' }, { merchants: 0, skus: 0, skusBefore: 0, sha256: '' });
    assert.deepEqual(await using(to, (store) => store.settings.listMerchants()), []);
  });

  for (const kind of ['postgres', 'sqlite'] as const) {
    it(`into ${kind} that is interrupted before and after each of its writes is completed`, async (t) => {
      const [from, to] = [await seededPlace(t), await newPlace(t, kind)];
      const whole = await copied(from, await newPlace(t, 'sqlite'));
      const [source, target] = [await openCopy(t, from), await openCopy(t, to)];
      let cuts = 0;
      for (const moment of beforeAndAfter()) {
        const cut = cutOff(target, moment);
        await assert.rejects(copyStore(source, cut.store, UNWATCHED), Cut);
        cuts++;
        // If the mark was removed, the copy is complete, even if the copying process did not learn of it.
        if (moment === 'after' && cut.wasLast) break;
      }
      // The copy writes its start, three slices of one account, one slice of each of three other accounts, and its end.
      assert.equal(cuts, 2 * (1 + 3 + 3 + 1));
      assert.equal(await exported(to), await exported(from));
      assert.deepEqual(await using(to, identities), await using(from, identities));
      const again = await newPlace(t, 'sqlite');
      assert.equal((await copied(to, again)).sha256, whole.sha256);
    });
  }

  it('continues after an earlier run, and says so', async (t) => {
    const [from, to] = [await seededPlace(t), await newPlace(t, 'postgres')];
    const [source, target] = [await openCopy(t, from), await openCopy(t, to)];
    const shown: number[] = [];
    const stopping = { ...UNWATCHED, copied: (skus: number) => stopBehind(skus, 500) };
    await assert.rejects(copyStore(source, target, stopping), Cut);
    const outcome = await copyStore(source, target, { ...UNWATCHED, copied: (skus) => shown.push(skus) });
    assert.ok(outcome.ok);
    assert.ok(outcome.value.skusBefore >= 500 && outcome.value.skusBefore < outcome.value.skus);
    assert.equal(shown[0], outcome.value.skusBefore);
  });

  it('is refused if the target has data, is half of another copy, or the source changed', async (t) => {
    const [from, other, to] = [await seededPlace(t), await newPlace(t, 'sqlite'), await newPlace(t, 'postgres')];
    await seed(other, 1);
    const [source, stranger, target] = [await openCopy(t, from), await openCopy(t, other), await openCopy(t, to)];
    await assertRefused(stranger, source, 'copy_target_used', /is not empty\. Nothing was changed/);
    await assert.rejects(copyStore(source, cutOff(target, 'after').store, UNWATCHED), Cut);
    const mark = await target.readMark();
    await assertRefused(stranger, target, 'copy_target_used', /unfinished copy from sqlite:/);
    await assertRefused(target, stranger, 'copy_unfinished', /is not finished/);
    await using(from, (store) => store.settings.setSuspended('zeta', false));
    await assertRefused(source, target, 'copy_source_changed', /has changed since/);
    await using(from, (store) => store.settings.setSuspended('zeta', true));
    await using(from, async (store) => {
      const { accounts } = (await store.settings.readMerchant('acme')) ?? assert.fail();
      await putPrice(
        store.offers,
        { accountId: accounts.test, skuId: 'a', by: AUTHOR },
        { price: 2, nodes: [] },
        NOW_MS,
      );
    });
    await assertRefused(source, target, 'copy_source_changed', /has changed since/);
    assert.deepEqual(await target.readMark(), mark, 'nothing was changed');
  });

  it('is refused while another copy runs, which continues', async (t) => {
    const [from, to] = [await seededPlace(t), await newPlace(t, 'postgres')];
    const [source, target, second] = [await openCopy(t, from), await openCopy(t, to), await openCopy(t, to)];
    // The other copy runs when this one is about to write.
    let other: Promise<unknown> | undefined;
    const late: CopyStore = passingOn(target, {
      writeOffers: async (...slice) => {
        other ??= copyStore(source, second, UNWATCHED);
        assert.ok(((await other) as { ok: boolean }).ok);
        return target.writeOffers(...slice);
      },
    });
    await assertRefused(source, late, 'copy_overtaken', /Another copy/);
    assert.equal(await exported(to), await exported(from));
  });

  it('that differs from the source is reported, and stays closed', async (t) => {
    const [from, to] = [await seededPlace(t), await newPlace(t, 'postgres')];
    const [source, target] = [await openCopy(t, from), await openCopy(t, to)];
    const careless = passingOn(target, {
      writeOffers: (place, accountId, offers) => {
        const changed = offers.map((offer) => {
          const inventory = { ...offer.record.inventory, stampMs: 1 };
          return offer.record.skuId === '😀' ? { ...offer, record: { ...offer.record, inventory } } : offer;
        });
        return target.writeOffers(place, accountId, changed);
      },
    });
    const differs = /differ in account 1 \(5 and 5 SKUs\), account 3 \(5 and 5 SKUs\)\. The target cannot be used/;
    await assertRefused(source, careless, 'copy_differs', differs);
    await assert.rejects(
      using(to, async () => {}),
      /is not finished/,
    );
    // The database stays closed after another start.
    await assertRefused(source, target, 'copy_differs', differs);
  });
});

async function newPlace(t: Pick<TestContext, 'after'>, kind: StoreKind): Promise<StorePlace> {
  const { place, remove } = await createPlace(kind);
  t.after(remove);
  return place;
}

async function openCopy(t: Pick<TestContext, 'after'>, place: StorePlace): Promise<CopyStore> {
  const copy = await openCopyStore(readSettings(place));
  t.after(() => copy.close());
  return copy;
}

async function using<T>(place: StorePlace, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(readSettings(place), (error) => assert.fail(error));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** A SQLite database that each test copies: filling it takes a second or two. */
let seeded: Awaited<ReturnType<typeof createPlace>>;

before(async () => {
  seeded = await createPlace('sqlite');
  await seed(seeded.place, SKUS_LIVE);
});
after(() => seeded.remove());

async function seededPlace(t: Pick<TestContext, 'after'>): Promise<StorePlace> {
  const place = await newPlace(t, 'sqlite');
  await cp(seeded.place.DATA_DIR, place.DATA_DIR, { recursive: true });
  return place;
}

async function seed(place: StorePlace, skusLive: number): Promise<void> {
  await using(place, async (store) => {
    await store.settings.addFirstSigningKey(
      { keyId: `key of ${place.DATA_DIR}`, secret: Uint8Array.of(0, 255) },
      NOW_MS,
    );
    await addFullMerchant(store, 'acme', skusLive);
    await addFullMerchant(store, 'zeta');
    await store.settings.setSuspended('zeta', true);
    const link = { tokenHash: Uint8Array.of(1, 2), endsMs: NOW_MS * 2 };
    await store.people.addPortalUser(
      { email: 'op@copied.example', role: 'operator', merchantId: null, createdMs: 1 },
      link,
    );
  });
}

async function copied(from: StorePlace, to: StorePlace): Promise<CopyReport> {
  const [source, target] = [await openCopyStore(readSettings(from)), await openCopyStore(readSettings(to))];
  try {
    const outcome = await copyStore(source, target, UNWATCHED);
    assert.ok(outcome.ok, JSON.stringify(outcome));
    return outcome.value;
  } finally {
    await source.close();
    await target.close();
  }
}

async function assertRefused(source: CopyStore, target: CopyStore, code: string, text: RegExp): Promise<void> {
  const outcome = await copyStore(source, target, UNWATCHED);
  assert.ok(!outcome.ok, 'it was not refused');
  assert.deepEqual(
    outcome.problems.map((problem) => problem.code),
    [code],
  );
  assert.match(outcome.problems[0]?.message ?? '', text);
}

async function exported(place: StorePlace): Promise<string> {
  const moves = await openMoves(readSettings(place));
  const snapshot = await moves.openSnapshot();
  try {
    const outcome = await exportMerchants(snapshot, { merchantId: undefined, environments: ENVIRONMENTS });
    assert.ok(outcome.ok);
    return (await Array.fromAsync(outcome.value.texts)).join('');
  } finally {
    await snapshot.close();
    await moves.close();
  }
}

/** Data that an export does not contain: ids, keys, users, sequence numbers. */
async function identities(store: Store): Promise<unknown> {
  const merchants = await store.settings.listMerchants();
  const accountIds = merchants.flatMap(({ accounts }) => [accounts.test, accounts.live]);
  const testSkus = merchants.flatMap(({ accounts }) =>
    ['a', '😀', 'archived', 'shoe'].map((skuId) => ({ accountId: accounts.test, skuId })),
  );
  return {
    merchants,
    credentials: await Promise.all(accountIds.map((accountId) => store.settings.listCredentials(accountId, NOW_MS))),
    keys: await store.settings.listSigningKeys(),
    users: await store.people.listPortalUsers(),
    linked: await store.people.readLink(Uint8Array.of(1, 2), NOW_MS),
    numbers: await Promise.all(testSkus.map((key) => store.offers.readNumbers(key))),
  };
}

/** Thrown in place of the end of the process. */
class Cut extends Error {}

function stopBehind(skus: number, skus_max: number): void {
  if (skus >= skus_max) throw new Cut();
}

function* beforeAndAfter(): Generator<'before' | 'after'> {
  for (;;) yield* ['before', 'after'] as const;
}

function passingOn(store: CopyStore, own: Partial<CopyStore>): CopyStore {
  return {
    name: store.name,
    openSnapshot: () => store.openSnapshot(),
    readMark: () => store.readMark(),
    beginCopy: (...begin) => store.beginCopy(...begin),
    writeOffers: (...slice) => store.writeOffers(...slice),
    finishCopy: () => store.finishCopy(),
    close: () => store.close(),
    ...own,
  };
}

/** A store whose first write fails, either before or after it was done. */
function cutOff(
  store: CopyStore,
  moment: 'before' | 'after',
): { readonly store: CopyStore; readonly wasLast: boolean } {
  let wasLast = false;
  const cut = async <T>(write: () => Promise<T>): Promise<T> => {
    if (moment === 'after') await write();
    throw new Cut();
  };
  const cutStore = passingOn(store, {
    beginCopy: (...begin) => cut(() => store.beginCopy(...begin)),
    writeOffers: (...slice) => cut(() => store.writeOffers(...slice)),
    finishCopy: () => {
      wasLast = true;
      return cut(() => store.finishCopy());
    },
  });
  return {
    store: cutStore,
    get wasLast() {
      return wasLast;
    },
  };
}
