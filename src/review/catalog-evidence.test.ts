/** Tests which products an offer adds to the catalog, with an in-memory catalog that never replaces a product. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KnownProduct } from '../domain/review/catalog.ts';
import {
  BOOK,
  GARLIC,
  GOOD_FACTS,
  KNOWLEDGE,
  POT_PRODUCT,
  UPC_CODE,
  without,
} from '../domain/review/testing/good-offer.ts';
import { lookUpCatalog } from './catalog-evidence.ts';

const ASIN = 'B00ABCDEF1';
const PAN: KnownProduct = { ...POT_PRODUCT, code: `asin:${ASIN}`, title: 'A pan' };

/** Returns the products that were submitted, call by call, and those that the offer finds, as "code title". */
async function lookedUp(
  document: object,
  products: readonly KnownProduct[] = [],
  { archived = false, newProductData = KNOWLEDGE.newProductData } = {},
) {
  const known = new Map(products.map((product) => [product.code, product]));
  const shown = (some: readonly KnownProduct[]) => some.map(({ code, title }) => `${code} ${title}`);
  const submitted: (readonly string[])[] = [];
  const store: Parameters<typeof lookUpCatalog>[0] = {
    readProducts: async (_environment, codes) => codes.flatMap((code) => known.get(code) ?? []),
    async addProducts(_environment, added) {
      submitted.push(shown(added));
      for (const product of added) if (!known.has(product.code)) known.set(product.code, product);
      return added.flatMap(({ code }) => known.get(code) ?? []);
    },
    async noteCatalogUsers() {},
    async settleCatalogNews(_environment, codes) {
      submitted.push(codes.map((code) => `settled ${code}`));
    },
  };
  const facts = { ...GOOD_FACTS, document: { ...GOOD_FACTS.document, ...document }, archived };
  const offer = { skuId: 'a', mark: 1, facts, evidence: {} };
  const [found] = await lookUpCatalog(
    store,
    { accountId: 7, environment: 'live' },
    { taxonomy: BOOK, newProductData },
    [offer],
  );
  return { submitted, found: shown(found?.products ?? []) };
}

describe('the catalog', () => {
  it('gets no product of an ASIN alone, unless the category asks for no other code', async () => {
    const alone = { ...without('standard_product_codes'), standard_product_codes: [], ASIN };
    assert.deepEqual(await lookedUp(alone), { submitted: [], found: [] });
    const added = `asin:${ASIN} ${GOOD_FACTS.document.product_title}`;
    assert.deepEqual(await lookedUp({ ...alone, marketplace_browse_node_id: GARLIC }), {
      submitted: [[added], [`settled asin:${ASIN}`]],
      found: [added],
    });
  });

  it('gets no new product without the data that the marketplace requires, and new codes of a known one', async () => {
    const rule = { newProductData: ['manufacturer', 'bullets'] } as const;
    assert.deepEqual(await lookedUp({ manufacturer: 'Potter' }, [], rule), { submitted: [], found: [] });
    const title = GOOD_FACTS.document.product_title;
    const { found } = await lookedUp({ manufacturer: 'Potter', bullets: ['Iron'] }, [], rule);
    assert.deepEqual(found, [`${UPC_CODE} ${title}`]);
    assert.equal((await lookedUp({ ASIN }, [POT_PRODUCT], rule)).found.length, 2);
  });

  it('gets the other codes of a known product under its title, so that they are one product', async () => {
    const { found } = await lookedUp({ ASIN }, [POT_PRODUCT]);
    assert.deepEqual(found, [`${UPC_CODE} ${POT_PRODUCT.title}`, `asin:${ASIN} ${POT_PRODUCT.title}`]);
  });

  it('may join several products of an offer, from either side, and the database decides', async () => {
    const { submitted } = await lookedUp({ ASIN }, [POT_PRODUCT, PAN]);
    assert.deepEqual(submitted, [[`${PAN.code} ${POT_PRODUCT.title}`], [`${UPC_CODE} ${PAN.title}`]]);
  });

  it('joins nothing for an archived offer, for products of the operator or of another brand', async () => {
    assert.deepEqual((await lookedUp({ ASIN }, [POT_PRODUCT, PAN], { archived: true })).submitted, []);
    assert.deepEqual((await lookedUp({ ASIN }, [POT_PRODUCT, { ...PAN, origin: 'operator' }])).submitted, []);
    const others = await lookedUp({ ASIN, brand: 'Other' }, [POT_PRODUCT, PAN]);
    const own = GOOD_FACTS.document.product_title;
    assert.deepEqual(others.submitted, [[`${UPC_CODE} ${own}`, `${PAN.code} ${own}`]], 'only its own product');
  });
});
