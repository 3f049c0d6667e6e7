/** Describes a plan: parts or archive flags of offers by SKU, or one change to the prices of the offers that match. */
import { isObject, isPresent } from '../check/compile.ts';
import { Amount, List, Text } from '../check/schema.ts';
import { type Static, Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';
import { type BodyCheck, createBodyCheck } from './body-check.ts';
import { FixesBody } from './fixes.ts';
import { OfferBody } from './offer.ts';

const PriceChange = Type.Object(
  {
    percent: Type.Optional(
      Type.Number({
        minimum: LIMITS.price_percent_min,
        maximum: LIMITS.price_percent_max,
        description: 'Percentage to add to each price. Send this or `amount`.',
      }),
    ),
    amount: Type.Optional(
      Type.Number({
        minimum: -LIMITS.amount_max,
        maximum: LIMITS.amount_max,
        description: 'Amount to add to each price. Send this or `percent`.',
      }),
    ),
    price_max: Type.Optional(
      Amount(LIMITS.amount_min, {
        description: 'Higher new prices become this price. Higher old prices do not change.',
      }),
    ),
    price_min: Type.Optional(
      Amount(LIMITS.amount_min, { description: 'Lower new prices become this price. Lower old prices do not change.' }),
    ),
    brand: Type.Optional(
      Text(LIMITS.brand_characters_max, { min: 1, description: 'Only offers of this brand, in any letter case.' }),
    ),
    q: Type.Optional(
      Text(LIMITS.offer_search_characters_max, {
        min: 1,
        description: 'Only offers that have all these words in title, brand, SKU id or product codes.',
      }),
    ),
  },
  {
    title: 'PriceChange',
    description: 'A change to the prices of all offers that match. Archived offers are left out.',
  },
);

const { fixes } = FixesBody.properties;
const is_archived = Type.Boolean({
  description:
    'Archives or unarchives the SKU, which sets all stock to zero. Send this instead of `offer` and `fixes`, for all offers of a plan or none.',
});
const merchant_sku = Text(LIMITS.sku_id_characters_max, { min: 1, description: 'Id of the SKU.' });

export const PlanBody = Type.Object({
  offers: Type.Optional(
    List(
      Type.Object({
        merchant_sku,
        offer: Type.Optional(
          Type.Object(OfferBody.properties, {
            description: 'The parts to write, as in `PUT …/offer`. Send this or `fixes`.',
          }),
        ),
        fixes: Type.Optional(fixes),
        is_archived: Type.Optional(is_archived),
      }),
      LIMITS.plan_offers_max,
      { min: 1, description: 'Changes by SKU, each SKU once. Send this or `price_change`.' },
    ),
  ),
  price_change: Type.Optional(PriceChange),
});

/** The parts of each offer are checked later, so that one wrong offer does not refuse the plan. */
const CheckedBody = Type.Object({
  offers: Type.Optional(
    List(
      Type.Object({ merchant_sku, fixes: Type.Optional(fixes), is_archived: Type.Optional(is_archived) }),
      LIMITS.plan_offers_max,
      { min: 1 },
    ),
  ),
  price_change: Type.Optional(PriceChange),
});

export type PriceChangeBody = Static<typeof PriceChange>;

/** `bodies` has the body of `PUT …/offer` for each of `offers`, as sent; undefined if there is none. */
export type SentPlan = Static<typeof CheckedBody> & { readonly bodies: readonly unknown[] };

export function createPlanCheck(names: Names): BodyCheck<SentPlan> {
  const check = createBodyCheck(CheckedBody, names, ({ offers, price_change: change }, sent, report) => {
    const given = ['offers', 'price_change'].filter((field) => isPresent(sent[field]));
    if (given.length === 0) report.add('required', 'is required when price_change is absent', 'offers');
    if (given.length === 2) report.add('not_allowed', 'must not be sent together with offers', 'price_change');
    const seen = new Set<string>();
    const isOfFlags = offers?.some((offer) => offer?.is_archived !== undefined);
    for (const [index, offer] of (offers ?? []).entries()) {
      if (isOfFlags && offer !== undefined && offer.is_archived === undefined) {
        report.add('required', 'is required, because another SKU of the plan has it', 'offers', index, 'is_archived');
      }
      const id = offer?.merchant_sku;
      if (id === undefined) continue;
      if (seen.has(id)) report.add('not_allowed', 'must not repeat a SKU', 'offers', index, 'merchant_sku');
      seen.add(id);
    }
    if (change === undefined || !isObject(sent.price_change)) return;
    const { percent, amount } = sent.price_change;
    if (isPresent(percent) === isPresent(amount)) {
      report.add('required', 'must have either percent or amount', 'price_change');
    }
    if ((change.price_min ?? 0) > (change.price_max ?? Number.POSITIVE_INFINITY)) {
      report.add('too_large', 'must be at most price_max', 'price_change', 'price_min');
    }
  });
  return ({ value, ...sent }) => {
    const offers = isObject(value) && Array.isArray(value.offers) ? value.offers : [];
    const bodies = offers.map((each: unknown) => (isObject(each) ? each.offer : undefined));
    const isListed = isObject(value) && Array.isArray(value.offers);
    const outer = isListed ? { ...value, offers: offers.map(withoutOffer) } : value;
    const checked = check({ ...sent, value: outer, text: undefined });
    return checked.ok ? { ...checked, value: { ...checked.value, bodies } } : checked;
  };
}

function withoutOffer(each: unknown): unknown {
  if (!isObject(each)) return each;
  const { offer: _, ...rest } = each;
  return rest;
}
