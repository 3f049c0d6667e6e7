/** Describes what the storefront calls return (see domain/storefront/product.ts). */
import { OneOf } from '../../domain/check/schema.ts';
import { type TSchema, Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { RankReason } from '../../domain/storefront/product.ts';
import { PRICE_POLICIES } from '../../domain/vocabulary/price-policies.ts';
import { RANK_PART_NAMES } from '../../domain/vocabulary/rank-parts.ts';

const text = (description: string) => Type.String({ description });
const amount = (description: string) => Type.Number({ description });
const time = (description: string) => Type.String({ format: 'date-time', description });
const orNull = (type: 'string' | 'number' | 'integer', description: string) =>
  Type.Unsafe<unknown>({ type: [type, 'null'], description });
const objectOrNull = (fields: Record<string, TSchema>, description: string) =>
  Type.Union([Type.Object(fields), Type.Null()], { description });
const id = (description: string) => Type.Unsafe<unknown>({ type: 'integer', format: 'int64', description });

const REASONS: readonly RankReason[] = ['only', 'best', 'policy_103', ...RANK_PART_NAMES, 'tie'];

const code = text('Product code that names the product: `gtin:` with 14 digits, `asin:`, or `offer:` without a code.');

const Attribute = Type.Object({
  id: id('Id of the attribute.'),
  name: orNull('string', 'Name of the attribute; null if the category has no such attribute.'),
  value: text('Its value.'),
  unit: orNull('string', 'Unit of the value.'),
});

const Attributes = Type.Array(Attribute, { description: 'Attributes, such as the color.' });

export const rankFields = {
  rank: Type.Integer({ description: 'Place among the offers with the same multipack quantity. 1 is the best offer.' }),
  rank_of: Type.Integer({ description: 'Number of offers with the same multipack quantity.' }),
  rank_reason: OneOf(REASONS, {
    description: 'Why the offer has this rank. `only` and `best`: the offer has rank 1.',
  }),
  above_best: orNull('number', 'Difference of the totals; null at rank 1, and if it would tell a hidden price.'),
  why: text('The reason, for people.'),
};

const Offer = Type.Object(
  {
    merchant_id: text('Id of the merchant.'),
    merchant_name: text('Name of the merchant.'),
    merchant_sku: text("The merchant's id of the SKU."),
    multipack_quantity: Type.Integer({ description: 'Number of items in the offer.' }),
    price: amount('Price of the offer. Show it only as `price_visibility` says.'),
    price_visibility: OneOf(['public', 'on_request'], {
      description: 'on_request: show `price` only to signed-in customers who ask for it (policy 102).',
    }),
    display_price: amount('Price to show to everybody.'),
    price_policy: OneOf(PRICE_POLICIES, { description: 'Price policy of the merchant.' }),
    member_savings: OneOf(['allowed', 'on_request', 'never'], {
      description: 'Whether the price may be reduced for members: openly, only on request, or never.',
    }),
    shipping_at_least: amount('The least that the shipping exceptions make a customer pay, without the normal charge.'),
    total: amount('`price` and `shipping_at_least`.'),
    quantity: Type.Integer({ description: 'Stock of all nodes.' }),
    msrp: orNull('number', "Manufacturer's suggested retail price."),
    shipping_exceptions: Type.Array(
      Type.Object({
        rule: OneOf(['only', 'never', 'charge'], {
          description: 'Whether the item ships only this way, or never this way.',
        }),
        service_level: orNull('string', 'How quickly the item is delivered.'),
        shipping_method: orNull('string', 'The carrier service.'),
        charge: Type.Unsafe<unknown>({
          type: ['string', 'null'],
          enum: ['total', 'surcharge', null],
          description: 'Whether `amount` replaces the normal charge or is added to it; null: the normal charge.',
        }),
        amount: orNull('number', 'The charge.'),
      }),
      { description: 'Shipping exceptions at the node that the offer ships from.' },
    ),
    return_days: Type.Integer({ description: 'Return window in days.' }),
    tax_code: orNull('string', 'Tax category of the product.'),
    on_sale_since: time('When it last came on sale.'),
    ...rankFields,
  },
  { title: 'StorefrontOffer', description: 'A live offer in stock.' },
);

const productFields = {
  code,
  codes: Type.Array(Type.String(), { description: 'All product codes.' }),
  title: text('Title.'),
  brand: text('Brand.'),
  manufacturer: orNull('string', 'Manufacturer.'),
  mfr_part_number: orNull('string', 'Part number of the manufacturer.'),
  description: orNull('string', 'Description.'),
  bullets: Type.Array(Type.String(), { description: 'Features.' }),
  category: objectOrNull(
    {
      id: id('Id of the category.'),
      path: Type.Array(Type.Object({ id: id('Id of the category.'), name: text('Its name.') }), {
        description: 'Categories from the department down.',
      }),
    },
    'Category; null if there is none.',
  ),
  attributes: Attributes,
  images: Type.Array(Type.String(), { description: 'URLs of the images, the main image first.' }),
  group: objectOrNull(
    {
      id: text('Equal for all products of the group.'),
      title: orNull('string', 'Title of the group.'),
      attribute_ids: Type.Array(id('Id of an attribute.'), {
        description: 'Attributes in which the products differ.',
      }),
    },
    'Variation group; null if it is in none.',
  ),
  notices: Type.Object(
    {
      prop_65: Type.Boolean({ description: 'Whether Proposition 65 warnings apply.' }),
      prop_65_reasons: orNull('string', 'Ingredients of the warning.'),
      legal_disclaimer: orNull('string', 'Legal text.'),
      safety_warning: orNull('string', 'Safety warning.'),
      cautionary_statements: Type.Array(Type.String(), { description: 'Warnings for toys.' }),
      country_of_origin: orNull('string', 'Where the product was made.'),
    },
    { description: 'Texts to show with the product.' },
  ),
  updated: time('Last change to the product or one of its offers.'),
};

export const ProductAnswer = Type.Object(
  {
    ...productFields,
    offer_count: Type.Integer({ description: 'Number of all live offers in stock.' }),
    offers: Type.Array(Offer, {
      description:
        `Offers in order of multipack quantity and rank: at most ${LIMITS.storefront_offers_max}, those with the lowest totals, then the ` +
        'largest stocks.',
    }),
    variations: Type.Array(
      Type.Object({
        code,
        title: text('Title.'),
        image: orNull('string', 'URL of the main image.'),
        attributes: Attributes,
      }),
      { description: 'The other products of the variation group, with the attributes in which they differ.' },
    ),
  },
  { title: 'StorefrontProduct', description: 'A product with all its offers.' },
);

export const ProductsAnswer = Type.Object({
  products: Type.Array(
    Type.Object({
      ...productFields,
      best_offers: Type.Array(Offer, {
        description:
          `The best offer for each multipack quantity, among the ${LIMITS.storefront_listed_offers_max} offers of the product with the lowest ` +
          'totals, then the largest stocks. With another order of offers, the product itself may name another one.',
      }),
    }),
    { description: 'Products.' },
  ),
});

export const ShopEventsAnswer = Type.Object({
  events: Type.Array(
    Type.Object({
      id: text('Unique and stable. Send it as `after` to read the events that follow.'),
      at: time('Time of the change.'),
      code,
      change: Type.Object(
        {
          product: Type.Optional(
            Type.Unsafe<unknown>({
              type: ['object', 'null'],
              description: 'The product, if its description changed; null if it has no offers left.',
            }),
          ),
          offers_changed: Type.Array(Type.Object({}), {
            description: 'Offers that are new or changed, without their ranks.',
          }),
          offers_removed: Type.Array(
            Type.Object({ merchant_id: text('Id of the merchant.'), merchant_sku: text('Id of the SKU.') }),
            { description: 'Offers that are no longer shown for this product.' },
          ),
        },
        { description: 'What changed.' },
      ),
    }),
    { description: 'Changes, oldest first.' },
  ),
  next: text('Cursor for the next request: send it as `after`.'),
  more: Type.Boolean({ description: 'Whether more events are already available.' }),
});

const positionFields = {
  product_code: code,
  is_shown: Type.Boolean({ description: 'Whether the storefront shows the offer: it is live and in stock.' }),
  ...Type.Partial(Type.Object(rankFields)).properties,
  best_total: Type.Optional(
    orNull('number', 'What the best offer costs with shipping; null if the marketplace does not show it.'),
  ),
};

export const PositionAnswer = Type.Object(
  { merchant_sku: text('Id of the SKU.'), ...positionFields },
  { title: 'OfferPosition', description: 'The rank of an offer among the offers of its product.' },
);

export const TriedPosition = Type.Object(positionFields, {
  title: 'TriedPosition',
  description:
    'The rank that the offer would have among the offers of its product. Only if the call changes nothing but the price, and the ' +
    'storefront is on.',
});
