/** Tests google.ts: every line of a large feed against the rules of the format, and each value of one item. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Papa from 'papaparse';
import { hasCorrectCheckDigit } from '../../vocabulary/product-codes.ts';
import type { StorefrontOffer, StorefrontProduct } from '../product.ts';
import type { FeedFormat, FeedText, LeftOut } from './feed.ts';
import { googleTsv, googleXml } from './google.ts';
import { type GeneratedProduct, generatedProducts, SETUP } from './testing/generated-products.ts';

type Item = Readonly<Record<string, string[]>>;

const text = (max: number) => (value: string) =>
  value.length <= max && value.trim() === value && value !== '' && !/[\t\n\r\p{Cc}\p{Cs}\uFFFE\uFFFF]/u.test(value);
const URL_CHARACTERS =
  /^https?:\/\/[\w.-]+(?::\d+)?(?:[/?](?:[\w\-.~:/?@!$&'()*+,;=]|%[0-9A-F]{2})*)?(?:#[\w\-.~]*)?$/i;
const url = (value: string) => value.length <= 2000 && URL_CHARACTERS.test(value);
const image = (value: string) => url(value) && !/\.(?:svg|avif|heic|ico)$/.test(value);
const id = (value: string) => /^[\w-]{1,50}$/.test(value);

function isGtin(value: string): boolean {
  const gs1 = value.length === 8 ? value : value.padStart(14, '0').slice(1);
  return (
    /^(?:\d{8}|\d{12,14})$/.test(value) && hasCorrectCheckDigit('GTIN-14', value) && !/^(?:2|02|04|05|98|99)/.test(gs1)
  );
}

/** What the format says of each attribute: how often it may occur, and its values. */
const RULES: Readonly<Record<string, readonly [min: number, max: number, isValid: (value: string) => boolean]>> = {
  id: [1, 1, id],
  title: [1, 1, text(150)],
  description: [1, 1, text(5000)],
  link: [1, 1, url],
  image_link: [1, 1, image],
  additional_image_link: [0, 10, image],
  availability: [1, 1, (value) => ['in_stock', 'out_of_stock'].includes(value)],
  price: [1, 1, (value) => /^(?:0|[1-9]\d*)\.\d\d USD$/.test(value)],
  brand: [0, 1, text(70)],
  gtin: [0, 1, isGtin],
  mpn: [0, 1, text(70)],
  condition: [0, 1, (value) => ['new', 'used', 'refurbished'].includes(value)],
  product_type: [0, 1, (value) => text(750)(value) && !value.includes(',') && value.split(' > ').length <= 5],
  item_group_id: [0, 1, id],
  multipack: [0, 1, (value) => /^[1-9]\d*$/.test(value) && Number(value) > 1],
  external_seller_id: [1, 1, (value) => /^[0-9a-zA-Z.~_-]{1,50}$/.test(value)],
};

function faultsOf(item: Item): string[] {
  const unknown = Object.keys(item).filter((name) => !(name in RULES));
  const wrong = Object.entries(RULES).flatMap(([name, [min, max, isValid]]) => {
    const values = item[name] ?? [];
    if (values.length < min || values.length > max) return [`${name}: ${values.length} values`];
    return values.filter((value) => !isValid(value)).map((value) => `${name}: ${value}`);
  });
  return [...unknown, ...wrong];
}

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** Parses only what a feed may contain: elements with the prefix `g` and text in which all markup is escaped. */
function itemOfXml(line: string): Item {
  const inner = /^<item>((?:<g:(\w+)>[^<>]*<\/g:\2>)*)<\/item>$/u.exec(line)?.[1];
  assert.ok(inner !== undefined, line);
  assert.doesNotMatch(inner, /&(?!amp;|lt;|gt;)/);
  const item: Record<string, string[]> = {};
  for (const [, name = '', escaped = ''] of inner.matchAll(/<g:(\w+)>([^<>]*)<\/g:/gu)) {
    const value = escaped.replace(/&\w+;/g, (entity) => ENTITIES[entity] as string);
    item[name] = [...(item[name] ?? []), value];
  }
  return item;
}

function itemsOfTsv(tsv: string): Item[] {
  const { data, errors } = Papa.parse<Record<string, string>>(tsv, { delimiter: '\t', header: true, newline: '\n' });
  assert.deepEqual(errors, []);
  return data.map((row) => {
    const filled = Object.entries(row).filter(([, value]) => value !== '');
    return Object.fromEntries(
      filled.map(([name, value]) => [name, name === 'additional_image_link' ? value.split(',') : [value]]),
    );
  });
}

function writeAll(format: FeedFormat, products: readonly GeneratedProduct[]): FeedText {
  const parts = products.map(({ product, offers }) => format.write(product, offers));
  return {
    text: `${format.head}${parts.map((part) => part.text).join('')}${format.tail}`,
    offers: parts.reduce((sum, part) => sum + part.offers, 0),
    leftOut: parts.flatMap((part) => part.leftOut),
  };
}

/** Escaped in lists of tab-separated values only. */
function withoutCommas(item: Item): Item {
  const { additional_image_link: images, ...rest } = item;
  return images === undefined
    ? rest
    : { ...rest, additional_image_link: images.map((one) => one.replaceAll(',', '%2C')) };
}

describe('a Google feed of 10,000 products', () => {
  const products = [...generatedProducts(10_000)];
  const xml = writeAll(googleXml(SETUP), products);
  const tsv = writeAll(googleTsv(SETUP), products);
  const [declaration, rss, channel, ...lines] = xml.text.split('\n');
  const items = lines.slice(0, -3).map(itemOfXml);

  it('is RSS with one item per line', () => {
    assert.equal(declaration, '<?xml version="1.0" encoding="UTF-8"?>');
    assert.equal(rss, '<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">');
    const head = '<title>shop.example</title><link>https://shop.example</link><description>Offers</description>';
    assert.equal(channel, `<channel>${head}`);
    assert.deepEqual(lines.slice(-3), ['</channel>', '</rss>', '']);
    assert.ok(xml.text.isWellFormed());
  });

  it('has only items that obey the format, with unique ids', () => {
    for (const item of items) assert.deepEqual(faultsOf(item), [], JSON.stringify(item));
    assert.equal(new Set(items.map((item) => item.id?.[0])).size, items.length);
  });

  it('has every offer, or a reason why not', () => {
    assert.equal(items.length, xml.offers);
    const all = products.reduce((sum, { offers }) => sum + offers.length, 0);
    assert.equal(xml.offers + xml.leftOut.length, all);
    assert.ok(xml.offers > 10_000, String(xml.offers));
    const reasons: LeftOut[] = ['image', 'price_decimals', 'price_on_request'];
    assert.deepEqual([...new Set(xml.leftOut)].sort(), reasons);
  });

  it('has the same items as tab-separated values', () => {
    assert.deepEqual([tsv.offers, tsv.leftOut.join()], [xml.offers, xml.leftOut.join()]);
    const rows = itemsOfTsv(tsv.text.trimEnd());
    assert.equal(rows.length, items.length);
    assert.equal(tsv.text.split('\n').length, tsv.offers + 2);
    // One by one, because a difference of long lists takes minutes to print.
    for (const [index, item] of items.entries()) assert.deepEqual(rows[index], withoutCommas(item));
  });
});

describe('a Google item', () => {
  const [plain] = [...generatedProducts(2)].slice(1) as [GeneratedProduct];
  const [plainOffer] = plain.offers as [StorefrontOffer];

  function itemOf(product: Partial<StorefrontProduct>, offer: Partial<StorefrontOffer> = {}, setup = SETUP): Item {
    const { text } = googleXml(setup).write({ ...plain.product, ...product }, [{ ...plainOffer, ...offer }]);
    return itemOfXml(text.trimEnd());
  }

  it('shows product and offer', () => {
    const { title, description, brand } = plain.product;
    assert.deepEqual(itemOf({ images: ['https://img.example/1.jpg', 'http://img.example/a,b.png'] }), {
      id: [SETUP.digest(`offer:b-2:${plainOffer.merchant_sku}`)],
      title: [title],
      description: [description],
      link: [
        `https://shop.example/p/${encodeURIComponent(plain.product.code)}?sku=${encodeURIComponent(plainOffer.merchant_sku)}&by=b-2`,
      ],
      image_link: ['https://img.example/1.jpg'],
      additional_image_link: ['http://img.example/a,b.png'],
      availability: ['in_stock'],
      price: [`${plainOffer.price.toFixed(2)} USD`],
      brand: [brand],
      gtin: [plain.product.code.slice('gtin:00'.length)],
      mpn: [plain.product.mfr_part_number],
      condition: ['new'],
      product_type: [plain.product.category?.path.map(({ name }) => name).join(' > ')],
      item_group_id: [SETUP.digest(plain.product.group?.id ?? '')],
      external_seller_id: ['b-2'],
    });
  });

  it('has the shortest GTIN that is unique in the world', () => {
    const gtinOf = (...codes: string[]) => itemOf({ codes: codes.map((code) => `gtin:${code}` as const) }).gtin;
    assert.deepEqual(gtinOf('00012345678905'), ['012345678905']);
    assert.deepEqual(gtinOf('09780306406157'), ['9780306406157']);
    assert.deepEqual(gtinOf('00000096385074'), ['96385074']);
    assert.deepEqual(gtinOf('10012345678902'), ['10012345678902']);
    for (const prefix of ['002', '004', '005', '02', '098', '099', '102', '12', '0000002']) {
      assert.equal(gtinOf(prefix.padEnd(14, '1')), undefined, prefix);
    }
    assert.deepEqual(gtinOf('02111111111111', '09780306406157'), ['9780306406157']);
    assert.equal(itemOf({ codes: ['asin:B000000001'] }).gtin, undefined);
  });

  it('has an amount with the decimals of the currency, or is left out', () => {
    const priceIn = (currency: string, price: number) => {
      const { text, leftOut } = googleXml({ ...SETUP, currency }).write(plain.product, [{ ...plainOffer, price }]);
      return leftOut[0] ?? itemOfXml(text.trimEnd()).price?.[0];
    };
    assert.equal(priceIn('USD', 0.07), '0.07 USD');
    assert.equal(priceIn('USD', 1_000_000_000), '1000000000.00 USD');
    assert.equal(priceIn('USD', 9.999), 'price_decimals');
    assert.equal(priceIn('JPY', 900), '900 JPY');
    assert.equal(priceIn('JPY', 900.5), 'price_decimals');
    assert.equal(priceIn('KWD', 1.005), '1.005 KWD');
    assert.equal(priceIn('KWD', 1.0005), 'price_decimals');
  });

  it('is left out without an image, and if the price may only be shown on request', () => {
    const google = googleTsv(SETUP);
    const without = {
      ...plain.product,
      images: ['https://img.example/a.avif', `https://img.example/${'a'.repeat(2000)}`],
    };
    assert.deepEqual(google.write(without, [plainOffer]), { text: '', offers: 0, leftOut: ['image'] });
    const hidden = { ...plainOffer, price_visibility: 'on_request' } as const;
    const { offers, leftOut } = google.write(plain.product, [hidden, plainOffer]);
    assert.deepEqual([offers, leftOut], [1, ['price_on_request']]);
  });

  it('has at most 10 additional images, and multipacks only of several items', () => {
    const images = Array.from({ length: 12 }, (_, index) => `https://img.example/${index}.jpg`);
    assert.deepEqual(itemOf({ images }).additional_image_link, images.slice(1, 11));
    assert.deepEqual(itemOf({}, { multipack_quantity: 2 }).multipack, ['2']);
    assert.equal(itemOf({}, { multipack_quantity: 1 }).multipack, undefined);
  });

  it('takes the bullets, and then the title, as description', () => {
    assert.deepEqual(itemOf({ description: null, bullets: ['Red.', 'Round.'] }).description, ['Red. Round.']);
    assert.deepEqual(itemOf({ description: null, bullets: [], title: 'A pot' }).description, ['A pot']);
  });

  it('has at most 5 levels of categories, without characters that separate them', () => {
    const path = ['Home, Garden', 'A > B', 'c', 'd', 'e', 'f'].map((name, id) => ({ id, name }));
    assert.deepEqual(itemOf({ category: { id: 5, path } }).product_type, ['Home & Garden > A & B > c > d > e']);
    assert.equal(itemOf({ category: { id: 5, path: [] } }).product_type, undefined);
  });
});
