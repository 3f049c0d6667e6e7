/** Tests offerbook policy, catalog and placeholder: what they change and refuse, on both databases. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import sharp from 'sharp';
import { demoImage } from '../../src/demo/images/demo-image.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { createReadyDatabase } from '../../src/store/postgres/testing/test-database.ts';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { offerbookHere, offerbookJson, runHere, runOfferbook } from '../harness/command-line.ts';
import { withOfferbook, withSetupStore } from '../harness/own-server.ts';
import { createPlace, type StoreKind, type StorePlace } from '../harness/store-place.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { STORE_VARIANTS } from '../harness/variants.ts';

const DAY_MS = 86_400_000;
const NO_IMPACT = { offers: 0, live: 0, merchants: 0, off_sale: 0, exact: true };

async function placeFor(t: TestContext, store: StoreKind): Promise<StorePlace> {
  const { place, remove } = await createPlace(store, createReadyDatabase);
  t.after(remove);
  await withSetupStore(place, async () => {});
  return place;
}

/** Returns the code of the refusal. */
async function refusedBy(place: StorePlace, ...args: string[]): Promise<string> {
  const { exitCode, stderr } = await runHere(place, ...args, '--json');
  assert.notEqual(exitCode, 0, args.join(' '));
  return (JSON.parse(stderr) as { details: { code: string }[] }).details[0]?.code ?? '';
}

for (const { store, skip } of STORE_VARIANTS) {
  describe(`review commands (${store})`, { skip }, () => {
    it('policy: exclude, restrict, grant, list and remove', async (t) => {
      const place = await placeFor(t, store);
      await offerbookHere(place, 'merchant', 'add', 'acme', '--name', 'Acme');
      assert.deepEqual(await offerbookHere(place, 'policy', 'list'), { policies: [] });
      await offerbookHere(place, 'policy', 'exclude', '--brand', 'Copycat');
      await offerbookHere(place, 'policy', 'exclude', '--category', '9223372036854775807');
      await offerbookHere(place, 'policy', 'exclude', '--code', '0-12345-67890-5');
      await offerbookHere(place, 'policy', 'restrict', 'Potter & Sons');
      await offerbookHere(place, 'policy', 'grant', 'POTTER sons', '--merchant', 'acme');
      const listed = await runHere(place, 'policy', 'list', '--json');
      assert.equal(
        listed.stdout.trim(),
        '{"policies":[{"policy":"excluded_brand","brand":"Copycat"},' +
          '{"policy":"excluded_category","category":9223372036854775807},' +
          '{"policy":"excluded_code","code":"gtin:00012345678905"},' +
          '{"policy":"restricted_brand","brand":"Potter & Sons","merchants":["acme"]}]}',
      );
      assert.equal(await refusedBy(place, 'policy', 'exclude', '--brand', 'COPYCAT'), 'policy_exists');
      assert.equal(await refusedBy(place, 'policy', 'grant', 'Unheard', '--merchant', 'acme'), 'policy_unknown');
      assert.equal(await refusedBy(place, 'policy', 'grant', 'Potter & Sons', '--merchant', 'x'), 'merchant_unknown');
      assert.equal(await refusedBy(place, 'policy', 'exclude'), 'usage_wrong');
      assert.equal(await refusedBy(place, 'policy', 'exclude', '--code', '012345678906'), 'usage_wrong');
      assert.equal(await refusedBy(place, 'policy', 'remove', '--brand', 'Unheard'), 'policy_unknown');
      await offerbookHere(place, 'policy', 'remove', '--restriction', 'potter sons', '--merchant', 'acme');
      await offerbookHere(place, 'policy', 'remove', '--restriction', 'potter sons');
      await offerbookHere(place, 'policy', 'remove', '--brand', 'copycat');
      const { policies } = await offerbookHere(place, 'policy', 'list');
      assert.equal((policies as unknown[]).length, 2);
    });

    it('policy order: --preview counts products, and no offer is re-reviewed', async (t) => {
      const place = await placeFor(t, store);
      await offerbookHere(place, 'merchant', 'add', 'acme', '--name', 'Acme');
      const order = ['policy', 'order', 'price,stock'];
      const text = 'Products in test and live that change their best offer: 0 (ranks of 0 offers change).';
      const preview = await runHere(place, ...order, '--preview');
      assert.equal(preview.stdout, `Preview: nothing was changed.\n${text}\n`);
      assert.deepEqual(await offerbookHere(place, 'policy', 'list'), { policies: [] });
      const { stdout } = await runHere(place, ...order);
      assert.ok(stdout.startsWith(`The order of offers price, stock was set. A running server`), stdout);
      assert.ok(stdout.includes(`within 2 seconds.\n${text}\n`), stdout);
      assert.deepEqual(await offerbookHere(place, 'policy', 'list'), {
        policies: [{ policy: 'rank_order', order: ['price', 'stock'] }],
      });
    });

    it('policy, catalog and placeholder: --preview shows the impact, and a large one needs --yes', async (t) => {
      const place = await placeFor(t, store);
      const count = LIMITS.unconfirmed_offers_max + 1;
      await withOfferbook(place, { demo: true }, async (url) => {
        const headers = { authorization: `Bearer ${await requestToken(url, 'test')}` };
        const body = JSON.stringify(minimalSku());
        for (let n = 0; n < count; n++) {
          const { status } = await fetch(`${url}${skuPath(`s${n}`)}`, { method: 'PUT', headers, body });
          assert.equal(status, 202);
        }
        const impact = { offers: count, live: 0, merchants: 1, off_sale: 0, exact: true };
        const exclude = ['policy', 'exclude', '--brand', 'potter sons'];
        const { preview, impact: seen } = await offerbookHere(place, ...exclude, '--preview');
        assert.deepEqual([preview, seen], [true, impact]);
        assert.deepEqual(await offerbookHere(place, 'policy', 'list'), { policies: [] });
        const refused = await runHere(place, ...exclude);
        assert.equal(refused.exitCode, 1);
        const text = `Offers in test and live that change their status: ${count} (1 merchant). No longer for sale in live: 0.`;
        assert.ok(refused.stderr.endsWith(`offerbook: ${text} Add --yes to confirm.\n`), refused.stderr);
        assert.deepEqual(await offerbookHere(place, 'policy', 'list'), { policies: [] });
        const done = await runHere(place, ...exclude, '--yes');
        assert.equal(done.exitCode, 0, done.stderr);
        assert.match(
          done.stdout,
          /was added\. .*\nOffers in test and live that change their status: .*\nUndo: .* portal for 7 days\.\n$/,
        );
        const other = ['policy', 'exclude', '--brand', 'Unheard'];
        assert.deepEqual((await offerbookHere(place, ...other)).impact, { ...impact, offers: 0, merchants: 0 });
      });
      const set = [
        'catalog',
        'set',
        '012345678912',
        '--env',
        'test',
        '--brand',
        'Potter',
        '--title',
        'A pot',
        '--preview',
      ];
      assert.equal((await offerbookHere(place, ...set)).preview, true);
      assert.equal(await refusedBy(place, 'catalog', 'show', '012345678912', '--env', 'test'), 'product_unknown');
      const image = path.join(await tempFolder(), 'mug.jpg');
      await writeFile(image, await demoImage('mug'));
      assert.equal((await offerbookHere(place, 'placeholder', 'add', image, '--preview')).preview, true);
      assert.deepEqual(await offerbookHere(place, 'placeholder', 'list'), { placeholders: [] });
    });

    it('each as an operator runs it: a process that prints a result, or refuses and exits with 1', async (t) => {
      const place = await placeFor(t, store);
      assert.deepEqual(await offerbookJson(place, 'policy', 'restrict', 'Potter & Sons'), {
        policy: { policy: 'restricted_brand', brand: 'Potter & Sons', merchants: [] },
        impact: NO_IMPACT,
      });
      assert.equal((await runOfferbook(place, 'catalog', 'show', '012345678905')).exitCode, 1);
      assert.equal(
        (await runOfferbook(place, 'placeholder', 'add', path.join(place.DATA_DIR ?? '', 'none'))).exitCode,
        1,
      );
    });

    it('catalog: set adds and corrects, show shows, per environment', async (t) => {
      const place = await placeFor(t, store);
      assert.equal(await refusedBy(place, 'catalog', 'show', '012345678905'), 'product_unknown');
      assert.equal(await refusedBy(place, 'catalog', 'show', '012345678906'), 'product_code_invalid');
      assert.equal(await refusedBy(place, 'catalog', 'set', '012345678905', '--brand', 'Potter'), 'product_unknown');
      const added = await offerbookHere(
        place,
        'catalog',
        'set',
        '012345678905',
        '--brand',
        'Potter',
        '--title',
        'A pot',
      );
      const product = {
        code: 'gtin:00012345678905',
        brand: 'Potter',
        title: 'A pot',
        origin: 'operator',
        same_as: null,
      };
      assert.deepEqual(added, { ...product, category: null, offers: 0, impact: NO_IMPACT });
      await offerbookHere(place, 'catalog', 'set', 'gtin:00012345678905', '--category', '1010100');
      assert.deepEqual(await offerbookHere(place, 'catalog', 'show', '012345678905'), {
        ...product,
        category: 1010100,
      });
      const cleared = await offerbookHere(place, 'catalog', 'set', '012345678905', '--category', 'none');
      assert.deepEqual(cleared, { ...product, category: null, offers: 0, impact: NO_IMPACT });
      assert.equal(await refusedBy(place, 'catalog', 'show', '012345678905', '--env', 'test'), 'product_unknown');
    });

    it('a category that is not in the taxonomy is accepted, with a warning', async (t) => {
      const place = await placeFor(t, store);
      const unknown = await runHere(place, 'policy', 'exclude', '--category', '999');
      assert.equal(unknown.exitCode, 0);
      const said = unknown.stderr.split('\n')[0];
      assert.match(said ?? '', /^Database: (?:sqlite|postgres):/);
      assert.equal(unknown.stderr, `${said}\nWarning: The taxonomy has no node 999.\n`);
      const { warnings } = await offerbookHere(place, 'policy', 'exclude', '--category', '998');
      assert.deepEqual(warnings, ['The taxonomy has no node 998.']);
      const known = await runHere(place, 'policy', 'exclude', '--category', '1010000');
      assert.deepEqual([known.exitCode, known.stderr], [0, `${said}\n`], 'a category with others below it');
      const product = ['catalog', 'set', '012345678905', '--brand', 'Potter', '--title', 'A pot', '--category'];
      for (const [id, warning] of [
        ['999', 'The taxonomy has no node 999.'],
        ['1010000', 'Node 1010000 is not a leaf, so its offers cannot be live.'],
      ] as const) {
        const set = await runHere(place, ...product, id);
        assert.deepEqual([set.exitCode, set.stderr], [0, `${said}\nWarning: ${warning}\n`]);
        assert.deepEqual((await offerbookHere(place, ...product, id)).warnings, [warning]);
      }
      assert.equal((await offerbookHere(place, ...product, '1010100')).warnings, undefined);
    });

    it('changes: list, move and cancel', async (t) => {
      const place = await placeFor(t, store);
      assert.deepEqual(await offerbookHere(place, 'changes', 'list'), { changes: [] });
      const dateIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
      const subject = 'Excluded brand: Copycat';
      const id = await withSetupStore(place, async ({ policies }) => {
        const note = { atMs: Date.now(), by: 'ann', act: 'addPolicy', subject, impact: null };
        const enforcedFromMs = Date.parse(dateIn(10));
        await policies.addPolicy({ kind: 'excluded_brand', brand: 'Copycat' }, { ...note, enforcedFromMs });
        return (await policies.listAnnouncedChanges(1))[0]?.announcedId ?? assert.fail();
      });
      const later = dateIn(20);
      const moved = { id, subject, state: 'announced', enforced_from: later };
      assert.deepEqual(await offerbookHere(place, 'changes', 'move', String(id), later), moved);
      assert.deepEqual(await offerbookHere(place, 'changes', 'list'), { changes: [moved] });
      assert.equal(await refusedBy(place, 'changes', 'move', String(id), dateIn(0)), 'usage_wrong');
      assert.equal(await refusedBy(place, 'changes', 'move', String(id), 'tomorrow'), 'usage_wrong');
      assert.equal(await refusedBy(place, 'changes', 'cancel', String(id + 1)), 'change_unknown');
      const cancelled = await runHere(place, 'changes', 'cancel', String(id));
      assert.match(cancelled.stdout, /^The change Excluded brand: Copycat was cancelled\. A running server /);
      assert.equal(await refusedBy(place, 'changes', 'cancel', String(id)), 'change_settled');
      assert.equal(await refusedBy(place, 'changes', 'move', String(id), later), 'change_settled');
      assert.deepEqual(await offerbookHere(place, 'changes', 'restore', String(id)), moved);
      assert.equal(await refusedBy(place, 'changes', 'restore', String(id)), 'change_settled');
      await offerbookHere(place, 'changes', 'cancel', String(id));
      const { stdout } = await runHere(place, 'changes', 'list');
      assert.match(stdout, /^ID +STATE +APPLIES FROM +CHANGE\n\d+ +cancelled +\S+ +Excluded brand: Copycat\n$/);
    });

    it('placeholder: add, list and remove; files that are not images are refused', async (t) => {
      const place = await placeFor(t, store);
      const folder = await tempFolder();
      const [image, text, plain] = ['mug.jpg', 'text.png', 'plain.png'].map((name) => path.join(folder, name)) as [
        string,
        string,
        string,
      ];
      await writeFile(image, await demoImage('mug'));
      await writeFile(text, 'no image');
      const white = { width: 300, height: 300, channels: 3, background: '#ffffff' } as const;
      await writeFile(plain, await sharp({ create: white }).png().toBuffer());
      const { hash, note, kind } = await offerbookHere(place, 'placeholder', 'add', image);
      assert.match(String(hash), /^[0-9a-f]{128}$/);
      assert.deepEqual([note, kind], ['mug.jpg', 'placeholder']);
      assert.equal(await refusedBy(place, 'placeholder', 'add', image), 'placeholder_exists');
      assert.equal(await refusedBy(place, 'placeholder', 'add', text), 'placeholder_unusable');
      assert.equal(await refusedBy(place, 'placeholder', 'add', plain), 'placeholder_unusable');
      assert.equal(await refusedBy(place, 'placeholder', 'add', path.join(folder, 'none')), 'file_unreadable');
      assert.deepEqual(await offerbookHere(place, 'placeholder', 'list'), {
        placeholders: [{ hash, note, kind }],
      });
      await offerbookHere(place, 'placeholder', 'remove', String(hash));
      const added = await offerbookHere(place, 'placeholder', 'add', image, '--kind', 'watermark', '--note', 'ACME');
      assert.deepEqual([added.kind, added.note], ['watermark', 'ACME']);
      await offerbookHere(place, 'placeholder', 'remove', String(added.hash));
      assert.equal(await refusedBy(place, 'placeholder', 'remove', String(hash)), 'placeholder_unknown');
    });
  });
}
