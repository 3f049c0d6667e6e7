/** Tests corrections of a product by an operator: every limit, and that other fields stay unchanged. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { tempFolder } from '../../../test/harness/temp-folder.ts';
import { readBodyValue } from '../../domain/body-text.ts';
import { Names, NEUTRAL_NAMES } from '../../domain/names.ts';
import type { Precondition } from '../../domain/precondition.ts';
import { createSetupChecks } from '../../domain/setup/all-setup.ts';
import { productTag } from '../../store/port/part-tags.ts';
import { openSqliteSetupStore } from '../../store/sqlite/open.ts';
import { type CatalogCorrections, correctProduct, showProduct } from './correct-catalog.ts';

const ASKED = { environment: 'live', code: '012345678905' } as const;
const POT = { code: 'gtin:00012345678905', brand: 'Potter', title: 'A pot', categoryId: null, origin: 'operator' };
const UNKNOWN = 'The live catalog has no product gtin:00012345678905';

async function openCatalog(t: TestContext): Promise<CatalogCorrections> {
  const store = await openSqliteSetupStore({ dataDir: await tempFolder() });
  t.after(() => store.close());
  return { store: store.catalog, checks: createSetupChecks(new Names(NEUTRAL_NAMES)) };
}

function refused(code: string, field: string, message: string) {
  return { ok: false, problems: [{ code, field, message }], ignored: [] };
}

describe('correct-catalog', () => {
  it('adds a product, shows it, and corrects the fields that are sent, in one environment', async (t) => {
    const catalog = await openCatalog(t);
    assert.deepEqual(await showProduct(catalog, readBodyValue(ASKED)), refused('product_unknown', '', `${UNKNOWN}.`));
    const added = await correctProduct(catalog, readBodyValue({ ...ASKED, brand: 'Potter', title: 'A pot' }));
    assert.deepEqual(added, { ok: true, value: { product: POT, offers: 0 }, ignored: [] });
    const corrected = { ...POT, categoryId: 1_010_100 };
    assert.deepEqual(await correctProduct(catalog, readBodyValue({ ...ASKED, category: 1_010_100 })), {
      ok: true,
      value: { product: corrected, offers: 0 },
      ignored: [],
    });
    assert.deepEqual(await showProduct(catalog, readBodyValue(ASKED)), { ok: true, value: corrected, ignored: [] });
    assert.ok(!(await showProduct(catalog, readBodyValue({ ...ASKED, environment: 'test' }))).ok);
  });

  it('merges a product into another one, and separates them again', async (t) => {
    const catalog = await openCatalog(t);
    const correct = (fields: object) => correctProduct(catalog, readBodyValue({ ...ASKED, ...fields }));
    const refusedMerge = async (fields: object) => {
      const answer = await correct(fields);
      return answer.ok
        ? undefined
        : answer.problems.map(({ code, field, message }) => [code, field, message].join(' | '));
    };
    const [second, third] = ['9780306406157', 'B00ABCD123'];
    await correct({ brand: 'Potter', title: 'A pot' });
    assert.deepEqual(await refusedMerge({ same_as: second }), [
      'product_unknown |  | The live catalog has no product gtin:09780306406157.',
    ]);
    await correct({ code: second, brand: 'Potter', title: 'The pot' });
    await correct({ code: third, brand: 'Potter', title: 'Pot' });
    assert.deepEqual(await refusedMerge({ same_as: '00012345678905', title: 'A', brand: 'B', category: 7 }), [
      'not_allowed | /same_as | same_as: must be another product',
      'not_allowed | /brand | brand: must not be sent together with same_as',
      'not_allowed | /title | title: must not be sent together with same_as',
      'not_allowed | /category | category: must not be sent together with same_as',
    ]);
    assert.deepEqual(await refusedMerge({ same_as: '1' }), [
      'product_code_invalid | /same_as | same_as: invalid product code',
    ]);
    const merged = { ...POT, title: 'The pot', sameAs: 'gtin:09780306406157' };
    assert.deepEqual(await correct({ same_as: second }), {
      ok: true,
      value: { product: merged, offers: 0 },
      ignored: [],
    });
    assert.deepEqual(await showProduct(catalog, readBodyValue(ASKED)), { ok: true, value: merged, ignored: [] });
    assert.deepEqual(await refusedMerge({ title: 'Other' }), [
      `product_merged |  | ${POT.code} was merged into gtin:09780306406157. Correct that product, or separate them with same_as null.`,
    ]);
    assert.deepEqual(await refusedMerge({ code: third, same_as: ASKED.code }), [
      `product_merged |  | ${POT.code} was merged into gtin:09780306406157. Merge into that product instead.`,
    ]);
    assert.deepEqual(await refusedMerge({ code: second, same_as: third }), [
      `product_merged |  | ${POT.code} was merged into this product. Separate it first, or merge the other way round.`,
    ]);
    const separated = { ok: true, value: { product: POT, offers: 0 }, ignored: [] };
    assert.deepEqual(await correct({ same_as: null }), separated);
    assert.deepEqual(await correct({ same_as: null }), separated, 'again');
  });

  it('keeps what another operator changed meanwhile, unless the operator sent the state that they read', async (t) => {
    const { store, checks } = await openCatalog(t);
    await correctProduct({ store, checks }, readBodyValue({ ...ASKED, brand: 'Potter', title: 'A pot' }));
    let others = ['The pot', 'Our pot'];
    /** Another correction is stored between the read and the write. */
    const busy: CatalogCorrections['store'] = {
      ...store,
      async setProduct(environment, product, note, precondition) {
        const [title] = others.splice(0, 1);
        if (title !== undefined) await store.setProduct(environment, { ...product, brand: 'Potter', title });
        return store.setProduct(environment, product, note, precondition);
      },
    };
    const correct = (precondition?: Precondition) =>
      correctProduct({ store: busy, checks }, readBodyValue({ ...ASKED, brand: 'Pottery' }), undefined, precondition);
    const corrected = await correct();
    assert.deepEqual(corrected.ok && corrected.value.product, { ...POT, brand: 'Pottery', title: 'Our pot' });
    others = ['New pot'];
    const refusal = await correct({ ifMatch: '*' });
    assert.ok(refusal.ok, 'any state was allowed');
    const [before = assert.fail()] = await store.readProducts('live', [refusal.value.product.code]);
    others = ['Best pot'];
    const refused = await correct({ ifMatch: [productTag(before)] });
    assert.ok(!refused.ok && refused.currentTag !== undefined);
  });

  it('takes the longest brand and title', async (t) => {
    const catalog = await openCatalog(t);
    const longest = { ...ASKED, brand: 'B'.repeat(100), title: 'T'.repeat(500) };
    assert.ok((await correctProduct(catalog, readBodyValue(longest))).ok);
  });

  for (const [what, sent, code, field, text] of [
    ['a wrong code', { code: '012345678906' }, 'product_code_invalid', 'code', 'invalid product code'],
    ['no environment', { environment: null }, 'required', 'environment', 'is required'],
    ['another environment', { environment: 'prod' }, 'not_allowed', 'environment', 'must be one of: test, live'],
    ['a brand of 101 characters', { brand: 'B'.repeat(101) }, 'too_long', 'brand', 'must have 1 to 100 characters'],
    ['a title of 501 characters', { title: 'T'.repeat(501) }, 'too_long', 'title', 'must have 1 to 500 characters'],
    ['a blank title', { title: ' ' }, 'bad_format', 'title', 'must not be blank'],
    [
      'a category that is not an id',
      { category: 'pots' },
      'wrong_type',
      'category',
      'must be a whole number from 1 to 9223372036854775807, in plain digits, not a string',
    ],
  ] as const) {
    it(`refuses ${what}`, async (t) => {
      const catalog = await openCatalog(t);
      const body = readBodyValue({ ...ASKED, brand: 'Potter', title: 'A pot', ...sent });
      assert.deepEqual(await correctProduct(catalog, body), refused(code, `/${field}`, `${field}: ${text}`));
    });
  }

  it('refuses a new product without brand or title', async (t) => {
    const catalog = await openCatalog(t);
    assert.deepEqual(
      await correctProduct(catalog, readBodyValue({ ...ASKED, brand: 'Potter' })),
      refused('product_unknown', '', `${UNKNOWN}. Send its brand and title to add it.`),
    );
  });
});
