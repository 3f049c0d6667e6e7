/** Builds what a storefront shows from a stored offer: the offer itself, and the product as this offer describes it. */
import type { Account, Merchant } from '../account.ts';
import type { NodeExceptions } from '../bodies/shipping-exception.ts';
import type { SkuUpload } from '../bodies/sku.ts';
import { type Int64, parseExactJson, readId } from '../int64.ts';
import type { Names } from '../names.ts';
import type { NodeQuantity, StoredPrice } from '../offers/part.ts';
import type { KnownProduct } from '../review/catalog.ts';
import { lineageOf } from '../review/category.ts';
import { categoryAttributes } from '../review/checks/category-attributes.ts';
import type { CategoryBook } from '../review/facts.ts';
import { type CatalogCode, catalogCodes } from '../review/product-code.ts';
import { NO_WARNING } from '../vocabulary/cautionary-statements.ts';
import type { PricePolicy } from '../vocabulary/price-policies.ts';
import type { Status } from '../vocabulary/statuses.ts';
import { amount } from './best-offer.ts';
import type { MemberSavings, ProductCode, StorefrontCategory, StorefrontOffer, StorefrontProduct } from './product.ts';
import { shippingAtLeast, shownException } from './shipping.ts';

/** The stored data of an offer. */
export interface OfferSource {
  readonly skuId: string;
  /** JSON text of the uploaded fields. */
  readonly document: string;
  readonly archived: boolean;
  /** The status of the last review, also while a new one is due; null before the first. */
  readonly status: Status | null;
  /** The category that the last review found, as digits. */
  readonly categoryId: string | null;
  readonly price: StoredPrice | null;
  readonly stock: readonly NodeQuantity[];
  /** JSON text; null: there are none. */
  readonly shippingExceptions: string | null;
  /** The group that it is in, as parent or child. */
  readonly group: { readonly parentSkuId: string; readonly title: string | null; readonly refinements: string } | null;
}

/** What a storefront shows of the merchant, and the marketplace's settings. */
export interface StorefrontSetup {
  readonly account: Pick<Account, 'merchantId' | 'nodes' | 'suspended' | 'timeToReturnDays'>;
  readonly merchant: Pick<Merchant, 'name'>;
  readonly taxonomy: CategoryBook;
  readonly names: Names;
}

export interface BuiltOffer {
  readonly skuId: string;
  readonly offer: StorefrontOffer;
  readonly product: StorefrontProduct;
}

type Document = SkuUpload & { readonly map_implementation?: PricePolicy };

const SAVINGS: Readonly<Record<PricePolicy, MemberSavings>> = { 101: 'allowed', 102: 'on_request', 103: 'never' };

/** Returns undefined unless the offer is live and in stock. */
export function buildOffer(source: OfferSource, setup: StorefrontSetup): BuiltOffer | undefined {
  const { skuId, archived, status, price, stock } = source;
  const { account } = setup;
  if (archived || status !== 'available' || price === null || account.suspended) return undefined;
  const quantity = stock.reduce((sum, node) => sum + node.quantity, 0);
  if (quantity === 0) return undefined;
  const document = parseExactJson(source.document) as Document;
  const { map_implementation: policy = '101', map_price } = document;
  const node = cheapestNode(source, price, setup);
  const isOnRequest = policy === '102';
  return {
    skuId,
    product: productIn(document, source, setup),
    offer: {
      merchant_id: account.merchantId,
      merchant_name: setup.merchant.name,
      merchant_sku: skuId,
      multipack_quantity: document.multipack_quantity,
      price: node.price,
      price_visibility: isOnRequest ? 'on_request' : 'public',
      display_price: isOnRequest ? (map_price ?? node.price) : node.price,
      price_policy: policy,
      member_savings: SAVINGS[policy],
      shipping_at_least: node.shipping,
      total: amount(node.price + node.shipping),
      quantity,
      msrp: document.msrp ?? null,
      shipping_exceptions: node.exceptions.map((exception) => shownException(exception, setup.names)),
      return_days: account.timeToReturnDays,
      tax_code: document.product_tax_code ?? null,
    },
  };
}

/** Prices and exceptions may differ between nodes. The customer gets the item from the node in stock with the lowest total. */
function cheapestNode({ stock, shippingExceptions }: OfferSource, price: StoredPrice, { account }: StorefrontSetup) {
  const all = shippingExceptions === null ? [] : (JSON.parse(shippingExceptions) as NodeExceptions[]);
  const nodes = stock
    .filter(({ quantity }) => quantity > 0)
    .map(({ fulfillment_node_id: id }) => {
      const exceptions = all.find((each) => each.fulfillment_node_id === id)?.shipping_exceptions ?? [];
      const own = price.nodes.find((each) => each.fulfillment_node_id === id)?.fulfillment_node_price;
      const shipping = shippingAtLeast(exceptions, account.nodes.get(id));
      return { price: own ?? price.price, shipping, exceptions };
    });
  return nodes.reduce((best, each) => {
    return amount(each.price + each.shipping) < amount(best.price + best.shipping) ? each : best;
  });
}

function productIn(document: Document, source: OfferSource, { account, taxonomy }: StorefrontSetup): StorefrontProduct {
  const codes = catalogCodes(document);
  const category = categoryIn(source.categoryId, taxonomy);
  const { group } = source;
  const { alternate_images: others = [], cpsia_cautionary_statements: cautions = [] } = document;
  const inOrder = others.toSorted((a, b) => a.image_slot_id - b.image_slot_id).map(({ image_url }) => image_url);
  return {
    code: codes[0] ?? ownCode(account.merchantId, source.skuId),
    codes,
    title: document.product_title,
    brand: document.brand,
    manufacturer: document.manufacturer ?? null,
    mfr_part_number: document.mfr_part_number ?? null,
    description: document.product_description ?? null,
    bullets: document.bullets ?? [],
    category,
    attributes: attributesIn(document, category, taxonomy),
    images: [...new Set([document.main_image_url, ...inOrder])],
    group: group && {
      id: `${account.merchantId}:${group.parentSkuId}`,
      title: group.title,
      attribute_ids: parseExactJson(group.refinements) as Int64[],
    },
    notices: {
      prop_65: document.prop_65 ?? false,
      prop_65_reasons: document.prop_65_reasons ?? null,
      legal_disclaimer: document.legal_disclaimer_description ?? null,
      safety_warning: document.safety_warning ?? null,
      cautionary_statements: cautions.filter((caution) => caution !== NO_WARNING),
      country_of_origin: document.country_of_origin ?? null,
    },
  };
}

function categoryIn(digits: string | null, taxonomy: StorefrontSetup['taxonomy']): StorefrontCategory | null {
  const id = digits === null ? undefined : readId(digits);
  if (id === undefined) return null;
  const lineage = lineageOf(taxonomy.node(id), taxonomy).toReversed();
  return { id, path: lineage.map((node) => ({ id: node.id, name: node.name })) };
}

function attributesIn(
  { attributes_node_specific: sent = [] }: Document,
  category: StorefrontCategory | null,
  taxonomy: StorefrontSetup['taxonomy'],
): StorefrontProduct['attributes'] {
  const isKnown = category !== null && taxonomy.node(category.id) !== undefined;
  const described = isKnown && sent.length > 0 ? categoryAttributes(taxonomy, category.id) : [];
  const names = new Map(described.map(({ attribute }) => [attribute.id, attribute.description]));
  return sent.map(({ attribute_id: id, attribute_value: value, attribute_value_unit: unit }) => {
    return { id, name: names.get(id) ?? null, value, unit: unit ?? null };
  });
}

/** Returns the product with the operator's correction. A correction without a category leaves the category as it is. */
export function correctedProduct(
  product: StorefrontProduct,
  correction: Omit<KnownProduct, 'code' | 'origin'> | undefined,
  taxonomy: StorefrontSetup['taxonomy'],
): StorefrontProduct {
  if (correction === undefined) return product;
  const { brand, title, categoryId, sameAs } = correction;
  const category = categoryId === null ? product.category : categoryIn(String(categoryId), taxonomy);
  const corrected = { ...product, brand, title, category };
  if (sameAs === undefined) return corrected;
  return { ...corrected, code: sameAs, codes: [sameAs, ...product.codes.filter((code) => code !== sameAs)] };
}

/** The other codes by which a product is found. */
export function aliasesOf({ code, codes }: StorefrontProduct): readonly CatalogCode[] {
  return codes.filter((each) => each !== code);
}

export function ownCode(merchantId: string, skuId: string): ProductCode {
  return `offer:${merchantId}:${skuId}`;
}

const OWN_CODE = /^offer:[a-z][a-z0-9-]*:./s;

/** Returns whether the text may be the code of an offer without a product code. */
export function isOwnCode(text: string): text is ProductCode {
  return OWN_CODE.test(text);
}
