/** Tests offerbook policy, catalog and placeholder: what they change and refuse, on both databases. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import sharp from 'sharp';
import { demoImage } from '../../src/demo/images/demo-image.ts';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { createReadyDatabase } from '../../src/store/postgres/testing/test-database.ts';
import { offerbookHere, offerbookJson, runHere, runOfferbook } from '../harness/command-line.ts';
import { withSetupStore } from '../harness/own-server.ts';
import { createPlace, type StoreKind, type StorePlace } from '../harness/store-place.ts';
import { tempFolder } from '../harness/temp-folder.ts';

async function placeFor(t: TestContext, store: StoreKind): Promise<StorePlace> {
  const { place, remove } = await createPlace(store, createReadyDatabase);
  t.after(remove);
  await withSetupStore(place, async () => {});
  return place;
}

/** The code of the refusal. */
async function refusedBy(place: StorePlace, ...args: string[]): Promise<string> {
  const { exitCode, stderr } = await runHere(place, ...args, '--json');
  assert.notEqual(exitCode, 0, args.join(' '));
  return (JSON.parse(stderr) as { details: { code: string }[] }).details[0]?.code ?? '';
}

for (const store of ['sqlite', 'postgres'] as const) {
  const skip = store === 'postgres' ? postgresSkipped() : false;
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

    it('each as an operator runs it: a process that prints a result, or refuses and exits with 1', async (t) => {
      const place = await placeFor(t, store);
      assert.deepEqual(await offerbookJson(place, 'policy', 'restrict', 'Potter & Sons'), {
        policy: { policy: 'restricted_brand', brand: 'Potter & Sons', merchants: [] },
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
      const product = { code: 'gtin:00012345678905', brand: 'Potter', title: 'A pot', origin: 'operator' };
      assert.deepEqual(added, { ...product, category: null, offers: 0 });
      await offerbookHere(place, 'catalog', 'set', 'gtin:00012345678905', '--category', '1010100');
      assert.deepEqual(await offerbookHere(place, 'catalog', 'show', '012345678905'), {
        ...product,
        category: 1010100,
      });
      const cleared = await offerbookHere(place, 'catalog', 'set', '012345678905', '--category', 'none');
      assert.deepEqual(cleared, { ...product, category: null, offers: 0 });
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
        ['1010000', 'Node 1010000 is not a leaf and cannot have offers.'],
      ] as const) {
        const set = await runHere(place, ...product, id);
        assert.deepEqual([set.exitCode, set.stderr], [0, `${said}\nWarning: ${warning}\n`]);
        assert.deepEqual((await offerbookHere(place, ...product, id)).warnings, [warning]);
      }
      assert.equal((await offerbookHere(place, ...product, '1010100')).warnings, undefined);
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
      const { hash, note } = await offerbookHere(place, 'placeholder', 'add', image);
      assert.match(String(hash), /^[0-9a-f]{128}$/);
      assert.equal(note, 'mug.jpg');
      assert.equal(await refusedBy(place, 'placeholder', 'add', image), 'placeholder_exists');
      assert.equal(await refusedBy(place, 'placeholder', 'add', text), 'placeholder_unusable');
      assert.equal(await refusedBy(place, 'placeholder', 'add', plain), 'placeholder_unusable');
      assert.equal(await refusedBy(place, 'placeholder', 'add', path.join(folder, 'none')), 'file_unreadable');
      assert.deepEqual(await offerbookHere(place, 'placeholder', 'list'), { placeholders: [{ hash, note }] });
      await offerbookHere(place, 'placeholder', 'remove', String(hash));
      assert.equal(await refusedBy(place, 'placeholder', 'remove', String(hash)), 'placeholder_unknown');
    });
  });
}
