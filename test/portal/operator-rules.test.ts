/** Tests operator rules for offers: policies, placeholder images, taxonomy, catalog; on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { demoImage } from '../../src/demo/images/demo-image.ts';
import { sampleFile } from '../../src/review/images/testing/marked-images.ts';
import { PortalClient } from '../harness/portal-client.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { VARIANTS_BY_SCOPE } from '../harness/variants.ts';

const NOTHING = { brand: null, category: null, code: null, merchants: [], order: null };
const NO_IMPACT = { offers: 0, live: 0, merchants: 0, off_sale: 0, exact: true };
const IMAGE_BYTES_MAX = 10_485_760;
const TAXONOMY_BYTES_MAX = 16_777_216;

interface Tree {
  readonly taxonomy: { tag: string; source: string; imported: string | null; nodes: number; leaves: number };
  readonly node: Record<string, unknown> | null;
  readonly children: readonly (Record<string, unknown> & { id: number; children: number; below: number })[];
}

for (const { store: kind, skip } of VARIANTS_BY_SCOPE) {
  describe(`portal: operator rules (${kind})`, { skip }, () => {
    let server: TestServer;
    let operator: PortalClient;

    before(async () => {
      server = await startTestServer({}, kind);
      operator = await PortalClient.signIn(server, 'operator');
    });
    after(() => server.close());

    /** Sends a change, asserts that it applies at once without impact, and returns the rest of the response. */
    async function changed(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
      const {
        impact,
        enforced_from = null,
        ...rest
      } = await operator.found<Record<string, unknown>>(method, path, body);
      assert.equal(enforced_from, null);
      const { examined, ...shown } = impact as Record<string, unknown>;
      assert.deepEqual([shown, typeof examined], [NO_IMPACT, 'number']);
      return rest;
    }

    it('policies: added, listed, extended to more merchants, removed', async () => {
      const brand = { ...NOTHING, kind: 'excluded_brand', brand: 'Copycat' };
      const category = {
        ...NOTHING,
        kind: 'excluded_category',
        category: { id: 9_223_372_036_854_775_807n, path: null },
      };
      const code = { ...NOTHING, kind: 'excluded_code', code: 'gtin:00012345678905' };
      assert.deepEqual(await changed('POST', '/policies', { kind: 'excluded_brand', brand: 'Copycat' }), brand);
      const large = { kind: 'excluded_category', category: 9_223_372_036_854_775_807n };
      assert.deepEqual(await changed('POST', '/policies', large), category);
      assert.deepEqual(await changed('POST', '/policies', { kind: 'excluded_code', code: '012345678905' }), code);
      await operator.found('POST', '/policies', { kind: 'restricted_brand', brand: 'Potter & Sons' });
      const grant = { kind: 'restricted_brand', brand: 'POTTER sons', merchants: ['demo'] };
      await operator.found('POST', '/policies', grant);
      const restricted = { ...NOTHING, kind: 'restricted_brand', brand: 'Potter & Sons', merchants: ['demo'] };
      assert.deepEqual(await operator.found('GET', '/policies'), { policies: [brand, category, code, restricted] });

      await operator.found('POST', '/policies/remove', grant);
      await operator.found('POST', '/policies/remove', { kind: 'excluded_brand', brand: 'copycat' });
      await operator.found('POST', '/policies/remove', large);
      assert.deepEqual(await operator.found('GET', '/policies'), {
        policies: [code, { ...restricted, merchants: [] }],
      });
    });

    it('policies: an excluded category is shown by its path, in the policy and in the list of changes', async () => {
      const policy = { kind: 'excluded_category', category: 1_010_100 };
      const unknown = { kind: 'excluded_category', category: 7 };
      const { category } = await operator.found<{ category: { path: string } }>('POST', '/policies', policy);
      assert.match(category.path, /^[^>]+( > [^>]+)+$/);
      await operator.found('POST', '/policies', unknown);
      const { changes } = await operator.found<{ changes: { subject: string }[] }>('GET', '/rule-changes');
      assert.deepEqual(
        changes.slice(0, 2).map(({ subject }) => subject),
        ['Excluded category: 7', `Excluded category: ${category.path} (1010100)`],
      );
      for (const body of [unknown, policy]) await operator.found('POST', '/policies/remove', body);
    });

    it('policies: refusals name the field', async () => {
      await operator.refused('POST', '/policies', { kind: 'excluded_brand', code: '1' }, [
        ['required', '/brand', 'brand: is required for excluded_brand'],
        ['not_allowed', '/code', 'code: must not be given for excluded_brand'],
        ['product_code_invalid', '/code', 'code: invalid product code'],
      ]);
      await operator.refused(
        'POST',
        '/policies',
        { kind: 'restricted_brand', brand: 'Acme', merchants: ['demo', 'nobody'] },
        [['merchant_unknown', '/merchants/1', 'merchants[1]: no such merchant']],
        404,
      );
      await operator.refused(
        'POST',
        '/policies/remove',
        { kind: 'excluded_brand', brand: 'Unheard' },
        [['policy_unknown', '', 'No such policy.']],
        404,
      );
    });

    it('placeholders: added by image and by hash, listed, removed', async () => {
      const image = await demoImage('mug');
      const mug = await changed('POST', '/placeholders?note=a+mug%20%E2%98%95', image);
      assert.match(String(mug.hash), /^[0-9a-f]{128}$/);
      assert.deepEqual([mug.note, mug.kind], ['a mug ☕', 'placeholder']);
      await operator.refused('POST', '/placeholders?note=again', image, [
        ['placeholder_exists', '', 'This placeholder already exists.'],
      ]);
      assert.deepEqual(await operator.found('GET', '/placeholders'), { placeholders: [mug] });
      assert.deepEqual(await changed('DELETE', `/placeholders/${mug.hash}`), { hash: mug.hash });
      await operator.refused(
        'DELETE',
        `/placeholders/${mug.hash}`,
        undefined,
        [['placeholder_unknown', '', `No placeholder with the hash ${mug.hash}.`]],
        404,
      );
      assert.deepEqual(await changed('POST', `/placeholders?note=back&hash=${mug.hash}`), {
        hash: mug.hash,
        note: 'back',
        kind: 'placeholder',
      });
      await changed('DELETE', `/placeholders/${String(mug.hash).toUpperCase()}`);
    });

    it('placeholders: a logo and a watermark of the same image, also undone; a hash is not enough', async () => {
      const image = await sampleFile(1);
      const logo = await changed('POST', '/placeholders?note=ACME&kind=logo', image);
      const watermark = await changed('POST', '/placeholders?note=ACME&kind=watermark', image);
      assert.deepEqual([logo.kind, watermark.kind], ['logo', 'watermark']);
      await operator.refused('POST', '/placeholders?note=again&kind=logo', image, [
        ['placeholder_exists', '', 'This placeholder already exists.'],
      ]);
      await operator.refused('POST', `/placeholders?note=x&kind=logo&hash=${'ab'.repeat(64)}`, undefined, [
        ['placeholder_unusable', '', 'Send the image of the logo. A hash is not enough.'],
      ]);
      await changed('DELETE', `/placeholders/${logo.hash}`);
      assert.deepEqual(await operator.found('GET', '/placeholders'), { placeholders: [watermark] });
      await changed('DELETE', `/placeholders/${watermark.hash}`);
      const { changes } = await operator.found<{ changes: { id: number }[] }>('GET', '/rule-changes');
      await changed('POST', `/rule-changes/${changes[0]?.id}/undo`);
      assert.deepEqual(await operator.found('GET', '/placeholders'), { placeholders: [watermark] });
      await changed('DELETE', `/placeholders/${watermark.hash}`);
    });

    it('placeholders: files that are not images, too large, or without a note are refused', async () => {
      await operator.refused('POST', '/placeholders?note=x', Buffer.from('text'), [
        [
          'placeholder_unusable',
          '',
          'Unsupported or damaged image, or too small. Use a JPEG or PNG of at least 40,000 pixels.',
        ],
      ]);
      await operator.refused('POST', '/placeholders?note=x', new Uint8Array(IMAGE_BYTES_MAX + 1), [
        ['file_too_large', '', 'The image must have at most 10485760 bytes.'],
      ]);
      await operator.refused('POST', `/placeholders?note=x&hash=${'0'.repeat(128)}`, undefined, [
        ['placeholder_unusable', '', 'The image is too plain to be told apart from others.'],
      ]);
      await operator.refused('POST', '/placeholders', Buffer.from('text'), [
        ['required', '/note', 'note: is required'],
      ]);
      await operator.refused('POST', '/placeholders?note=%FF', Buffer.from('text'), [
        ['query_invalid', '', 'note: must be percent-encoded UTF-8.'],
      ]);
      assert.deepEqual(await operator.found('GET', '/placeholders'), { placeholders: [] });
    });

    it('catalog: a product is added, corrected and read, per environment', async () => {
      const asked = { environment: 'live', code: '4006381333931' };
      const address = '/catalog?environment=live&code=4006381333931';
      await operator.refused(
        'GET',
        address,
        undefined,
        [['product_unknown', '', 'The live catalog has no product gtin:04006381333931.']],
        404,
      );
      const named = { code: 'gtin:04006381333931', brand: 'Penner', title: 'A pen', category: null };
      const pen = { ...named, origin: 'operator', same_as: null };
      const stored = { ...pen, offers: 0, merge: null };
      assert.deepEqual(await changed('PUT', '/catalog', { ...asked, brand: 'Penner', title: 'A pen' }), stored);
      assert.deepEqual(await operator.found('GET', address), { ...pen, merged: [] });
      await operator.found('PUT', '/catalog', { ...asked, category: 1_010_100 });
      const { category } = await operator.found<{ category: { id: number; path: string } }>('GET', address);
      assert.equal(category.id, 1_010_100);
      assert.match(category.path, / > /);
      assert.deepEqual(await changed('PUT', '/catalog', { ...asked, category: null }), stored);
      assert.deepEqual(await operator.found('GET', address), { ...pen, merged: [] });
      assert.equal((await operator.send('GET', '/catalog?environment=test&code=4006381333931')).status, 404);
    });

    it('catalog: a merchant finds a product by its code, without its origin', async () => {
      const merchant = await PortalClient.signIn(server, 'merchant-viewer', 'demo');
      const lamp = { environment: 'test', code: '5901234123457', brand: 'Lumen', title: 'A lamp', category: 1_010_100 };
      await operator.found('PUT', '/catalog', lamp);
      const find = (environment: string, query: string) =>
        merchant.found<{ product: Record<string, unknown> | null }>('GET', `/${environment}/catalog${query}`);
      const { category, ...product } = (await find('test', '?code=5901234123457')).product ?? assert.fail();
      assert.deepEqual(product, { brand: 'Lumen', title: 'A lamp' });
      assert.equal((category as { id: number }).id, 1_010_100);
      assert.deepEqual(await find('live', '?code=5901234123457'), { product: null });
      const fault = [['product_code_invalid', '/code', 'code: invalid product code']] as const;
      await merchant.refused('GET', '/test/catalog?code=5901234123458', undefined, fault);
    });

    it('catalog: a product is corrected, and previewed, only in the version that was read', async () => {
      const address = '/catalog?environment=test&code=9780306406157';
      const save = (brand: string, headers: Record<string, string>, query = '') => {
        const product = { environment: 'test', code: '9780306406157', brand, title: 'A book' };
        return operator.send('PUT', `/catalog${query}`, product, headers);
      };
      assert.equal((await save('First', { 'if-match': '*' })).status, 412);
      assert.equal((await save('First', { 'if-none-match': '*' })).status, 200);
      const tag = (await operator.send('GET', address)).headers.get('etag') ?? '';
      assert.equal((await save('Second', { 'if-match': tag }, '?preview=true')).status, 200);
      assert.equal((await save('Second', { 'if-match': tag })).status, 200);
      for (const query of ['', '?preview=true', '?confirmed=true']) {
        const late = await save('Third', { 'if-match': tag }, query);
        assert.equal(late.status, 412);
        assert.match(late.text, /precondition_failed.*gtin:09780306406157 has changed since you read it/);
        assert.equal(late.headers.get('etag'), (await operator.send('GET', address)).headers.get('etag'));
      }
      assert.equal((await operator.found('GET', address)).brand, 'Second');
      assert.equal((await save('Third', { 'if-match': 'no quotes' })).status, 400);
    });

    it('catalog: invalid input is refused', async () => {
      await operator.refused('GET', '/catalog?code=123', undefined, [
        ['required', '/environment', 'environment: is required'],
        ['product_code_invalid', '/code', 'code: invalid product code'],
      ]);
      await operator.refused('PUT', '/catalog', { environment: 'live', code: '4006381333931', title: ' ' }, [
        ['bad_format', '/title', 'title: must not be blank'],
      ]);
    });

    it('taxonomy: browsed by branch, and searched', async () => {
      const top = await operator.found<Tree>('GET', '/taxonomy/tree');
      assert.equal(top.node, null);
      const { tag, nodes, ...head } = top.taxonomy;
      assert.deepEqual(head, { source: 'starter', imported: null, leaves: head.leaves });
      assert.ok(tag !== '' && head.leaves < nodes);
      assert.equal(
        top.children.reduce((sum, { below }) => sum + 1 + below, 0),
        nodes,
      );
      const [department] = top.children;
      assert.ok(department);
      const branch = await operator.found<Tree>('GET', `/taxonomy/tree?parent=${department.id}`);
      assert.equal(branch.node?.id, department.id);
      assert.ok(Array.isArray(branch.node?.attributes));
      assert.equal(branch.children.length, department.children);
      const leaf = await operator.found<Tree>('GET', '/taxonomy/tree?parent=1010100');
      assert.deepEqual([leaf.node?.is_leaf, leaf.children], [true, []]);
      const found = await operator.found<{ nodes: { id: number }[] }>('GET', '/taxonomy/search?q=cook&limit=1');
      assert.equal(found.nodes.length, 1);
    });

    it('taxonomy: unknown nodes and empty searches are refused', async () => {
      await operator.refused(
        'GET',
        '/taxonomy/tree?parent=9',
        undefined,
        [['taxonomy_node_not_found', '', 'The taxonomy has no node 9.']],
        404,
      );
      await operator.refused('GET', '/taxonomy/search?q=%20', undefined, [
        ['query_invalid', '', 'q: must have 1 to 10 words in at most 200 characters.'],
      ]);
    });

    it('taxonomy: an import is previewed, atomic, and active immediately', async () => {
      const file = Buffer.from(
        '{"offerbook_taxonomy":1}\n{"node":1,"name":"Home"}\n{"node":2,"parent":1,"name":"Pots"}\n',
      );
      const preview = await changed('POST', '/taxonomy/preview', file);
      const before = await operator.found<Tree>('GET', '/taxonomy/tree');
      assert.deepEqual(
        { ...preview, samples: undefined },
        {
          problems: [],
          problems_total: 0,
          format: 'offerbook',
          nodes: 2,
          added: 2,
          removed: before.taxonomy.nodes,
          changed: 0,
          samples: undefined,
        },
      );
      const { added, removed } = preview.samples as Record<string, unknown[]>;
      assert.deepEqual(added, [
        { id: 1, path: 'Home' },
        { id: 2, path: 'Home > Pots' },
      ]);
      assert.equal(removed?.length, 50);

      const head = await changed('POST', '/taxonomy/import?source=own.ndjson', file);
      assert.deepEqual({ source: head.source, nodes: head.nodes }, { source: 'own.ndjson', nodes: 2 });
      const tree = await operator.found<Tree>('GET', '/taxonomy/tree');
      assert.deepEqual(tree.taxonomy, { ...head, leaves: 1 });
      assert.deepEqual(tree.children, [
        { id: 1, name: 'Home', path: 'Home', is_leaf: false, active: true, children: 1, below: 1 },
      ]);

      const renamed = Buffer.from('1 - Home\n2 - Home > Pots & Pans\n');
      const second = await operator.found<Record<string, unknown>>('POST', '/taxonomy/preview', renamed);
      assert.equal(second.format, 'google');
      assert.deepEqual((second.samples as Record<string, unknown>).changed, [
        { id: 2, path: 'Home > Pots & Pans', path_before: 'Home > Pots', what: ['name'] },
      ]);
    });

    it('taxonomy: problems of a file are listed by line, and nothing changes', async () => {
      const before = await operator.found<Tree>('GET', '/taxonomy/tree');
      const bad = Buffer.from('1 - Home\nnonsense\n');
      const message = 'must have the form "id - name > name", with an id from 1 to 9223372036854775807';
      const preview = await operator.found<Record<string, unknown>>('POST', '/taxonomy/preview', bad);
      assert.deepEqual(preview, {
        problems: [{ line: 2, message }],
        problems_total: 1,
        format: 'google',
        nodes: 0,
        added: 0,
        removed: 0,
        changed: 0,
        samples: { added: [], removed: [], changed: [] },
        impact: null,
      });
      await operator.refused('POST', '/taxonomy/import?source=bad.txt', bad, [
        ['taxonomy_unreadable', '', `Line 2: ${message}.`],
      ]);
      const large = new Uint8Array(TAXONOMY_BYTES_MAX + 1);
      const tooLarge = [['taxonomy_too_large', '', 'The file has more than 16777216 bytes.']] as const;
      await operator.refused('POST', '/taxonomy/preview', large, tooLarge);
      await operator.refused('POST', '/taxonomy/import', large, tooLarge);
      await operator.refused('POST', `/taxonomy/import?source=${'s'.repeat(256)}`, Buffer.from('1 - Home\n'), [
        ['query_invalid', '', 'source: must have 1 to 255 characters and must not be blank.'],
      ]);
      await operator.refused('POST', '/taxonomy/import?source=a%00b', Buffer.from('1 - Home\n'), [
        ['query_invalid', '', 'source: must not contain NUL characters.'],
      ]);
      assert.deepEqual(await operator.found('GET', '/taxonomy/tree'), before);
    });

    it('activity log: has changes by name, and no reads', async () => {
      const own = Buffer.from('1 - Home\n');
      await operator.found('POST', '/taxonomy/preview', own);
      await operator.found('POST', '/taxonomy/import?source=second.txt', own);
      const { hash } = await operator.found<{ hash: string }>('POST', '/placeholders?note=mug', await demoImage('mug'));
      await operator.found('DELETE', `/placeholders/${hash}`);
      type Acts = { acts: { act: string; subject: string }[] };
      const { acts } = await operator.found<Acts>('GET', '/acts?limit=3');
      assert.deepEqual(
        acts.map(({ act, subject }) => [act, subject]),
        [
          ['removePlaceholder', hash],
          ['addPlaceholder', 'mug'],
          ['importTaxonomy', 'second.txt'],
        ],
      );
    });

    it('merchants are refused all of these calls', async () => {
      const admin = await PortalClient.signIn(server, 'merchant-admin', 'demo');
      for (const [method, path] of [
        ['GET', '/policies'],
        ['POST', '/policies'],
        ['POST', '/policies/remove'],
        ['GET', '/placeholders'],
        ['POST', '/placeholders?note=x'],
        ['DELETE', `/placeholders/${'0'.repeat(128)}`],
        ['GET', '/catalog?environment=live&code=4006381333931'],
        ['PUT', '/catalog'],
        ['GET', '/taxonomy/search?q=pots'],
        ['POST', '/taxonomy/preview'],
        ['POST', '/taxonomy/import'],
      ] as const) {
        const answer = await admin.send(method, path, ['POST', 'PUT'].includes(method) ? {} : undefined);
        assert.equal(answer.status, 403, path);
      }
    });
  });
}
