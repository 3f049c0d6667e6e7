/** Tests acp.ts: every line of a large feed against the schema of the format, and each value of one product. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Compile } from 'typebox/schema';
import type { StorefrontOffer, StorefrontProduct } from '../product.ts';
import { acpMetadata, acpProducts } from './acp.ts';
import { type GeneratedProduct, generatedProducts, SETUP } from './testing/generated-products.ts';

/** An object without other fields than these. */
function closed(properties: object, ...required: string[]) {
  return { type: 'object', properties, required, additionalProperties: false };
}

const list = (items: object) => ({ type: 'array', items });
const STRING = { type: 'string' };
const URI = { type: 'string', pattern: "^https?://[^/?#]+(?:[\\w\\-.~:/?@!$&'()*+,;=]|%[0-9A-F]{2})*$" };
const COUNT = { type: 'integer', minimum: 0 };
const PRICE = closed({ amount: COUNT, currency: { type: 'string', pattern: '^[A-Z]{3}$' } }, 'amount', 'currency');
const DESCRIPTION = {
  ...closed({ plain: STRING, html: STRING, markdown: STRING }),
  anyOf: ['plain', 'html', 'markdown'].map((form) => ({ required: [form] })),
};
const MEDIA = closed({ type: STRING, url: URI, alt_text: STRING, width: COUNT, height: COUNT }, 'type', 'url');
const SELLER = closed({
  name: STRING,
  links: list(closed({ type: STRING, url: URI, title: STRING }, 'type', 'url')),
});
const VARIANT = closed(
  {
    id: STRING,
    title: STRING,
    description: DESCRIPTION,
    url: URI,
    barcodes: list(closed({ type: STRING, value: STRING }, 'type', 'value')),
    price: PRICE,
    list_price: PRICE,
    availability: closed({ available: { type: 'boolean' }, status: STRING }),
    categories: list(closed({ value: STRING, taxonomy: STRING }, 'value')),
    condition: list(STRING),
    variant_options: list(closed({ name: STRING, value: STRING }, 'name', 'value')),
    media: list(MEDIA),
    seller: SELLER,
    marketplace: SELLER,
  },
  'id',
  'title',
);
const PRODUCT = closed(
  { id: STRING, title: STRING, description: DESCRIPTION, url: URI, media: list(MEDIA), variants: list(VARIANT) },
  'id',
  'variants',
);
const METADATA = closed(
  {
    id: STRING,
    target_country: { type: 'string', pattern: '^[A-Z]{2}$' },
    updated_at: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z$' },
  },
  'id',
);

interface Variant {
  readonly id: string;
  readonly price?: { readonly amount: number };
  readonly list_price?: object;
}

describe('an ACP feed of 10,000 products', () => {
  const products = [...generatedProducts(10_000)];
  const parts = products.map(({ product, offers }) => acpProducts(SETUP).write(product, offers));
  const lines = parts.filter(({ text }) => text !== '').map(({ text }) => text);
  const schema = Compile(PRODUCT);

  it('has only lines that obey the schema', () => {
    for (const line of lines) {
      assert.equal(line.indexOf('\n'), line.length - 1);
      assert.ok(schema.Check(JSON.parse(line)), line);
    }
  });

  it('is refused by the schema if a field is unknown, missing or wrong', () => {
    const product = JSON.parse(lines[1] ?? '') as { variants: object[] };
    const [variant] = product.variants;
    const changed = (fields: object) => ({ ...product, variants: [{ ...variant, ...fields }] });
    assert.ok(schema.Check(changed({})));
    const wrong = [
      { ...product, brand: 'B' },
      { ...product, id: undefined },
      changed({ stock: 5 }),
      changed({ price: { amount: 1.5, currency: 'USD' } }),
      changed({ price: { amount: 1 } }),
      changed({ url: 'https://shop.example/a b' }),
      { ...product, description: {} },
    ];
    for (const one of wrong) assert.ok(!schema.Check(JSON.parse(JSON.stringify(one))), JSON.stringify(one));
  });

  it('has every offer once, or a reason why not', () => {
    const variants = lines.flatMap((line) => (JSON.parse(line) as { variants: Variant[] }).variants);
    const leftOut = parts.flatMap((part) => part.leftOut);
    const all = products.flatMap(({ offers }) => offers);
    assert.equal(variants.length + leftOut.length, all.length);
    assert.equal(
      parts.reduce((sum, { offers }) => sum + offers, 0),
      variants.length,
    );
    assert.equal(new Set(variants.map(({ id }) => id)).size, variants.length);
    assert.deepEqual([...new Set(leftOut)], ['price_decimals']);
    const prices = new Map(all.map((offer) => [`offer:${offer.merchant_id}:${offer.merchant_sku}`, offer]));
    for (const { id, price } of variants) {
      const offer = prices.get(id);
      const shown = offer?.price_visibility === 'public' ? offer.price.toFixed(2) : undefined;
      assert.equal(price === undefined ? undefined : (price.amount / 100).toFixed(2), shown);
    }
  });
});

describe('an ACP product', () => {
  const [plain] = [...generatedProducts(2)].slice(1) as [GeneratedProduct];
  const [plainOffer] = plain.offers as [StorefrontOffer];
  const group = { id: 'acme:pots', title: null, attribute_ids: [1, 2] };
  const attributes = [
    { id: 1, name: 'Size', value: '3', unit: 'l' },
    { id: 2, name: null, value: 'x', unit: null },
    { id: 3, name: 'Color', value: 'Red', unit: null },
  ];

  function written(product: Partial<StorefrontProduct>, ...offers: Partial<StorefrontOffer>[]) {
    const all = offers.map((offer) => ({ ...plainOffer, ...offer }));
    const { text } = acpProducts(SETUP).write({ ...plain.product, ...product }, all);
    return text === '' ? undefined : (JSON.parse(text) as { variants: Variant[] });
  }

  it('shows the product with its offers', () => {
    const product: Partial<StorefrontProduct> = {
      code: 'gtin:00012345678905',
      codes: ['gtin:00012345678905', 'asin:B000000001'],
      title: 'A pot',
      description: 'A\npot.',
      bullets: ['Red'],
      images: ['https://img.example/1.jpg'],
      group,
      attributes,
      category: { id: 2, path: ['Home', 'Pots, Pans'].map((name, id) => ({ id, name })) },
    };
    const offer = { merchant_id: 'acme', merchant_name: 'Acme Ltd', merchant_sku: 'p/1', price: 9.99, msrp: 12 };
    const shared = {
      barcodes: [{ type: 'GTIN', value: '00012345678905' }],
      availability: { available: true, status: 'in_stock' },
      categories: [{ value: 'Home > Pots, Pans', taxonomy: 'merchant' }],
      condition: ['new'],
      variant_options: [{ name: 'Size', value: '3 l' }],
    };
    const url = 'https://shop.example/p/gtin%3A00012345678905';
    assert.deepEqual(written(product, offer, { ...offer, merchant_sku: 'p 2', msrp: 9.99, multipack_quantity: 2 }), {
      id: 'gtin:00012345678905',
      title: 'A pot',
      description: { plain: 'A\npot.\nRed' },
      media: [{ type: 'image', url: 'https://img.example/1.jpg' }],
      variants: [
        {
          id: 'offer:acme:p/1',
          title: 'A pot',
          url: `${url}?sku=p%2F1&by=acme`,
          price: { amount: 999, currency: 'USD' },
          list_price: { amount: 1200, currency: 'USD' },
          seller: { name: 'Acme Ltd' },
          ...shared,
        },
        {
          id: 'offer:acme:p 2',
          title: 'A pot (pack of 2)',
          url: `${url}?sku=p%202&by=acme`,
          price: { amount: 999, currency: 'USD' },
          seller: { name: 'Acme Ltd' },
          ...shared,
        },
      ],
    });
  });

  it('has no price that may only be shown on request, but the reference price', () => {
    const hidden = { price: 9.99, msrp: 11, display_price: 15, price_visibility: 'on_request' } as const;
    const pricesOf = (offer: Partial<StorefrontOffer>) => {
      const variant = written({}, offer)?.variants[0];
      return [variant?.price, variant?.list_price];
    };
    assert.deepEqual(pricesOf(hidden), [undefined, { amount: 1500, currency: 'USD' }]);
    assert.deepEqual(pricesOf({ ...hidden, display_price: 9.99 }), [undefined, undefined]);
  });

  it('is left out without offers, and has no description without one', () => {
    assert.equal(written({}, { price: 9.999 }), undefined);
    assert.equal('description' in (written({ description: null, bullets: [] }, {}) ?? {}), false);
  });
});

describe('the metadata of an ACP feed', () => {
  it('has the id and the time', () => {
    const metadata = JSON.parse(acpMetadata('f1', 1_800_000_000_000)) as object;
    assert.deepEqual(metadata, { id: 'f1', updated_at: '2027-01-15T08:00:00.000Z' });
    assert.ok(Compile(METADATA).Check(metadata));
  });
});
