/**
 * Generates the page on statuses. Codes, next actors and remedies come from reviewing an offer that fails the check; only the causes of
 * failures are written here.
 */

import { ADVICE_CODES, type AdviceCode } from '../src/domain/review/advice.ts';
import { isDecisive } from '../src/domain/review/check.ts';
import { CHECKS } from '../src/domain/review/checks.ts';
import type { Evidence, OfferFacts } from '../src/domain/review/facts.ts';
import { compilePolicies } from '../src/domain/review/policies.ts';
import { reviewOffer } from '../src/domain/review/review-offer.ts';
import {
  BAD_IMAGE,
  GOOD_DOCUMENT,
  GOOD_EVIDENCE,
  GOOD_FACTS,
  HOME,
  KNOWLEDGE,
  MAIN_IMAGE,
  NAMES,
  PER_POUND_NODE,
  POT_PRODUCT,
  SHIRTS,
  UPC_CODE,
  without,
} from '../src/domain/review/testing/good-offer.ts';
import { IMAGE_FAILURES } from '../src/domain/vocabulary/image-failures.ts';
import { STATUSES, type Status, SUB_STATUSES, type SubStatus } from '../src/domain/vocabulary/statuses.ts';
import { page, table } from './markdown.ts';

const ADVICE_TEXTS: Readonly<Record<AdviceCode, string>> = {
  title_in_capitals: 'The title has at least 10 letters, all of them capitals.',
  bullets_missing: 'The offer has no `bullets`.',
  alternate_image_small: 'The shorter side of an alternate image has less than 500 pixels.',
  image_below_recommended:
    'The shorter side of the main image or an alternate image has less than the recommended 1,500 pixels.',
  freight_without_exception:
    'The offer has no shipping exception, but always ships as freight: it weighs more than 150 pounds, its package is longer than 108 inches, ' +
    'or its length and girth (twice the sum of the other sides) are more than 165 inches.',
};

const STATUS_TEXTS: Readonly<Record<Status, readonly [meaning: string, todo: string]>> = {
  available: [
    'The offer passed its review and is for sale while it has stock. The status does not depend on stock.',
    'Nothing.',
  ],
  missing: [
    'The offer is stored but not for sale: at least one check failed.',
    'The merchant fixes what `sub_status` and the review name.',
  ],
  review: [
    'A check is still pending, usually because the image is being fetched. Known issues are listed in `sub_status` already.',
    'Wait and read again. If the image cannot be fetched, the review says so, and the merchant must act.',
  ],
  unauthorized: [
    'The brand is restricted to certain merchants, and this merchant is not one of them.',
    'The merchant asks the marketplace for permission to sell the brand.',
  ],
  excluded: [
    'The marketplace does not sell this brand, category or product.',
    'Nothing, unless the marketplace changes its policy.',
  ],
  archived: [
    'The merchant took the SKU off sale. All updates except to the archive flag are refused with 400.',
    'To sell it again: unarchive it, then send its inventory again.',
  ],
};

const SUB_STATUS_TEXTS: Readonly<Record<SubStatus, string>> = {
  'Missing variation information': 'Clothing is in no variation group, or is excluded from its group.',
  'Missing title': 'The title has no visible character.',
  'Missing shipping weight':
    'The SKU has no shipping weight. All fulfillment nodes have rates per pound, or a quantity was sent, even 0, for one that does.',
  'Missing price': 'No price was sent.',
  'Missing image': 'The main image, an alternate image or the swatch image cannot be shown.',
  'Missing category':
    'The offer names no category, and the catalog has none for the product. Also known as the error `MissingCategory`.',
  'Missing brand': 'The brand has no visible character.',
  'Missing attribute value':
    'An attribute that the category requires is missing, or a value is not allowed. Or the catalog does not know the product, and data ' +
    'that is then required is missing.',
  'Invalid SKU identifier': 'A product code has a wrong check digit, or has only zeros.',
  'Invalid category': 'The category is not in the taxonomy, is inactive, or has more specific categories below it.',
  'Incorrect multipack quantity': 'The number of items in the title is not `multipack_quantity`.',
  'Additional SKU ID needed':
    'The product codes do not identify the product: they belong to another brand or to several products, or only an ASIN was sent, and the ' +
    'catalog does not know it.',
};

interface Example {
  /** When the check fails. */
  readonly when: string;
  /** What to do, beyond the remedy. */
  readonly more?: string;
  readonly facts?: Partial<OfferFacts>;
  readonly evidence?: Evidence;
  readonly knowledge?: Partial<typeof KNOWLEDGE>;
}

const POLICIES = compilePolicies([
  { kind: 'excluded_brand', brand: 'Copycat' },
  { kind: 'restricted_brand', brand: 'Noble', merchantIds: [] },
]);
const offer = (document: Partial<typeof GOOD_DOCUMENT>) => ({ document: { ...GOOD_DOCUMENT, ...document } });
const unknownProduct: Evidence = { ...GOOD_EVIDENCE, catalog: { codes: [UPC_CODE], products: [] } };
const blankImage: Evidence = { ...GOOD_EVIDENCE, images: { [MAIN_IMAGE]: BAD_IMAGE } };

/** For each code, an offer that fails only this check. */
const EXAMPLES: Readonly<Record<string, Example>> = {
  archived: { when: 'The merchant archived the SKU.', facts: { archived: true } },
  excluded: {
    when: 'A marketplace policy excludes the brand, the product code, the category, or a category above it.',
    facts: offer({ brand: 'Copycat' }),
    evidence: unknownProduct,
  },
  unauthorized: {
    when: 'A marketplace policy restricts the brand to certain merchants, and this merchant is not one of them.',
    more: 'Letter case, spacing and punctuation of the brand do not matter.',
    facts: offer({ brand: 'Noble' }),
    evidence: unknownProduct,
  },
  missing_title: {
    when: '`product_title` contains only spaces and invisible characters.',
    facts: offer({ product_title: '     ' }),
  },
  missing_brand: {
    when: '`brand` contains only spaces and invisible characters.',
    facts: offer({ brand: ' ' }),
  },
  invalid_sku_identifier: {
    when: 'A code in `standard_product_codes` has a wrong check digit, or has only zeros.',
    more: 'Check for lost leading zeros, as spreadsheets drop them. Send an ISBN-10 that ends in X as its ISBN-13.',
    facts: offer({
      standard_product_codes: [{ standard_product_code_type: 'UPC', standard_product_code: '012345678906' }],
    }),
  },
  additional_sku_id_needed: {
    when:
      'The catalog has a product code of the offer under another brand, or its product codes belong to several products. The exception is a ' +
      'product that came from an offer and whose code no other offer has. Or the offer has only an ASIN, the catalog does not know it, and ' +
      'the category asks for a code (`needs_code`).',
    more:
      'Codes belong to several products if the catalog has different titles for them; letter case, spacing and punctuation do not matter. ' +
      'Most categories ask for a code: a UPC, EAN, GTIN-14 or ISBN.',
    evidence: {
      ...GOOD_EVIDENCE,
      catalog: { codes: [UPC_CODE], products: [{ ...POT_PRODUCT, brand: 'Tinker' }] },
    },
  },
  missing_category: {
    when: 'The upload has no `marketplace_browse_node_id` (or `product_type_id`, for a shoe), and the catalog has no category for the product code.',
    more:
      'The original API calls this the error `MissingCategory`. Send a category with every upload to avoid it. The upload itself is accepted, ' +
      'and a [dry run](../guides/dry-run.md) shows the sub-status.',
    facts: { document: without('marketplace_browse_node_id') },
    evidence: unknownProduct,
  },
  invalid_category: {
    when: 'The category is not in the taxonomy, is inactive, or has more specific categories below it.',
    more: 'If the category comes from the catalog, the marketplace must correct it; the merchant can also send another category.',
    facts: offer({ marketplace_browse_node_id: HOME }),
  },
  missing_attribute_value: {
    when:
      'An attribute that the category requires is missing. Or an attribute, required or not, has a wrong value: not listed, not a number, ' +
      'out of range, or without an allowed unit.',
    more: '`GET /taxonomy/nodes/{id}/attributes` lists the attributes of the category.',
    facts: { ...offer({ marketplace_browse_node_id: SHIRTS }), inGroup: true },
    evidence: { ...GOOD_EVIDENCE, group: { parent: 'SHIRT-RED-M', leftOut: null } },
  },
  missing_product_data: {
    when:
      'The catalog does not know the product, and a field that is then required is missing: `manufacturer`, `product_description`, ' +
      '`mfr_part_number` or `bullets`. The category (`new_product_data`) or the marketplace (`NEW_PRODUCT_DATA`) says which.',
    more: 'Once one offer has sent the data, the catalog knows the product, and other offers of the product need none.',
    knowledge: { newProductData: ['manufacturer'] },
    evidence: unknownProduct,
  },
  missing_variation_information: {
    when:
      'The category needs variation groups (as clothing does), and the SKU is not in one. Or the SKU is excluded from its group: it repeats ' +
      'the values of another SKU, has another brand than the parent, or has no value for a refinement. Shoes need no group.',
    more: '[Variations](../guides/variations.md) shows how.',
    facts: offer({
      marketplace_browse_node_id: SHIRTS,
      attributes_node_specific: [{ attribute_id: 120, attribute_value: 'M' }],
    }),
  },
  incorrect_multipack_quantity: {
    when: 'The title names a number of items, as in "pack of 6" or "12-pack", and `multipack_quantity` is different.',
    facts: offer({ product_title: 'Pots with lids, pack of 6' }),
  },
  missing_image: {
    when: 'The image at `main_image_url` cannot be fetched, is not a supported image, is too small, or shows nothing. See the reasons below.',
    evidence: blankImage,
  },
  missing_alternate_image: {
    when: 'An image in `alternate_images`, or at `swatch_image_url`, has one of the same problems. A swatch may be small and of one color.',
    facts: offer({ alternate_images: [{ image_slot_id: 3, image_url: 'https://img.example/side.jpg' }] }),
    evidence: {
      ...GOOD_EVIDENCE,
      images: { ...GOOD_EVIDENCE.images, 'https://img.example/side.jpg': BAD_IMAGE },
    },
  },
  missing_price: { when: 'No price was ever sent for the SKU.', facts: { priced: false } },
  missing_shipping_weight: {
    when:
      'The SKU has no `shipping_weight_pounds`, and all fulfillment nodes of the merchant have rates per pound. Or some have other rates, but a ' +
      'quantity was sent, even 0, for one with rates per pound.',
    facts: { stockNodeIds: [PER_POUND_NODE] },
  },
};

function failureOf(code: string) {
  const example = EXAMPLES[code];
  if (example === undefined) throw new Error(`scripts/statuses-page.ts has no example of the review code ${code}`);
  const { checks } = reviewOffer(
    { ...GOOD_FACTS, ...example.facts },
    { ...KNOWLEDGE, policies: POLICIES, ...example.knowledge },
    example.evidence ?? GOOD_EVIDENCE,
    NAMES,
  );
  const failed = checks.filter(({ state }) => state === 'failed');
  const [failure] = failed;
  if (failed.length !== 1 || failure?.code !== code) {
    throw new Error(`the example of ${code} fails ${failed.map((one) => one.code).join(', ') || 'no check'}`);
  }
  return { ...failure, ...example };
}

function codeSection({ id, code, effect }: (typeof CHECKS)[number]): string {
  const { when, more, next, remedy } = failureOf(code);
  const gives = isDecisive(effect) ? `status \`${STATUSES[effect]}\`` : `sub-status \`${effect}\``;
  return [
    `### \`${code}\``,
    `Check \`${id}\`, ${gives}. Action needed from the ${next}.`,
    `**Triggered when:** ${when}`,
    `**The review says**, for example: ${remedy}${more === undefined ? '' : `\n\n${more}`}`,
  ].join('\n\n');
}

export function statusesPage(): string {
  const codesOf = (effect: string) =>
    CHECKS.filter((check) => check.effect === effect)
      .map(({ code }) => `[\`${code}\`](#${code})`)
      .join(', ');
  return page(
    '# Statuses, sub-statuses and review codes',
    '`GET /merchant-skus/{sku}` shows the `status` of an offer and its list of `sub_status`. `GET /merchant-skus/{sku}/review` shows why: ' +
      `all ${CHECKS.length} checks, each with its state, a code if it failed, its evidence, who acts next, and what to do. ` +
      'A status cannot be set by hand. It follows from the stored data, and changes automatically when the cause is fixed.',
    '## Statuses',
    'If several statuses apply, the lowest row of this table wins: an archived offer is always `Archived`. ' +
      'An operator may rename the review status ([white label](../operate/white-label.md)).',
    table(
      ['status', 'meaning', 'what to do'],
      (Object.keys(STATUSES) as Status[]).map((status) => [`\`${STATUSES[status]}\``, ...STATUS_TEXTS[status]]),
    ),
    '## Sub-statuses',
    'Sub-statuses say what is missing or wrong. All of them are listed, whatever the status.',
    table(
      ['sub-status', 'meaning', 'review code'],
      SUB_STATUSES.map((subStatus) => [`\`${subStatus}\``, SUB_STATUS_TEXTS[subStatus], codesOf(subStatus)]),
    ),
    '## States of a check',
    table(
      ['state', 'meaning'],
      [
        ['`passed`', 'The check found no problem.'],
        [
          '`failed`',
          'The check found a problem. It has a `code`, and `remedy` says what to do. `next` says who acts: `merchant` or `marketplace`.',
        ],
        [
          '`pending`',
          'The result is not known yet. While any check is pending, the status is the review status, unless the offer is archived, excluded ' +
            'or unauthorized. If `next` is `merchant`, for example because the host of the image is unknown, follow the `remedy` now ' +
            'instead of waiting.',
        ],
        [
          '`skipped`',
          'The check does not apply to this offer, or the operator switched it off. `evidence.reason` says which.',
        ],
      ],
    ),
    '## Review codes',
    'The codes are in the order in which the review lists the checks. They are stable: they are never renamed and never reused.',
    ...CHECKS.map(codeSection),
    '## Fixes',
    'A failed check has `fixes` if the server can derive the change that resolves it: a JSON Patch for the data of the SKU, its source, and how sure ' +
      'it is. A program may apply `certain` fixes; let a person look at `likely` ones. For a member of a variation group, values that its other live ' +
      'members share are a source too (`variation_group`). `POST …/review/fixes` applies fixes by their ids. The server ' +
      'applies none by itself. [Repair offers with a program](../guides/repair-offers.md) has one that does.',
    '## Advice',
    '`advice` in the review lists what would make an offer better, with a code, the field and a text. Advice never changes ' +
      'the status or `sub_status`. The report `ProductStatus` has the codes.',
    table(
      ['code', 'when'],
      ADVICE_CODES.map((code) => [`\`${code}\``, ADVICE_TEXTS[code]]),
    ),
    '## Why an image fails',
    'These are the reasons for `missing_image` and `missing_alternate_image`. A failed check lists them in `evidence.failures`, a pending ' +
      'check in `evidence.last_try.failures`. [Images](../explanation/images.md) explains the checks and their limits.',
    'Failures marked "yes" are retried: the check stays `pending` for up to six attempts within eight hours. Other failures are final until ' +
      'the URL changes or you request a re-check. After you replace an image at the same URL, request one with ' +
      '`POST /merchant-skus/{sku}/review`.',
    table(
      ['failure', 'retried', 'what to do'],
      Object.entries(IMAGE_FAILURES).map(([code, { mayPass, remedy }]) => [
        `\`${code}\``,
        mayPass ? 'yes' : '',
        remedy,
      ]),
    ),
  );
}
