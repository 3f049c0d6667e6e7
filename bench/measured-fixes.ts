/** Measures the fixes of generated faulty offers. */
import { isDeepStrictEqual } from 'node:util';
import { foldText } from '../src/domain/review/checks/attributes.ts';
import type { Evidence, OfferFacts, ReviewedDocument, ReviewKnowledge } from '../src/domain/review/facts.ts';
import { CategoryModel } from '../src/domain/review/fixes/category-model.ts';
import { codesToLookUp } from '../src/domain/review/fixes/code-fixes.ts';
import type { Confidence } from '../src/domain/review/fixes/fix.ts';
import { type Fix, fixesFor, patched } from '../src/domain/review/fixes.ts';
import { NO_POLICIES } from '../src/domain/review/policies.ts';
import { catalogCodes } from '../src/domain/review/product-code.ts';
import { evaluateOffer, reviewOffer } from '../src/domain/review/review-offer.ts';
import { Subject } from '../src/domain/review/subject.ts';
import { NAMES } from '../src/domain/review/testing/good-offer.ts';
import { type FaultKind, FaultyMarket } from './faulty-offers.ts';

export interface FixMeasurement {
  /** Faulty offers that the review holds back. */
  held: number;
  readonly fixes: Record<Confidence, { found: number; right: number }>;
  /** Offers that are live and right after the certain fixes, and after all. */
  live: number;
  liveWithLikely: number;
}

export interface FixPlan {
  /** The lines of the starter taxonomy. */
  readonly lines: readonly string[];
  readonly offers: number;
  readonly live: number;
  readonly seed: number;
}

export type Measurements = ReadonlyMap<FaultKind, FixMeasurement>;

/** A program that repairs an offer reads its review again after each round. */
const ROUNDS_MAX = 3;

export function measureFixes({ lines, offers, live, seed }: FixPlan): Measurements {
  const market = new FaultyMarket(seed, lines);
  const model = new CategoryModel();
  for (const { product_title, marketplace_browse_node_id = 0 } of market.live(live)) {
    model.learnProduct(product_title, marketplace_browse_node_id);
  }
  for (const { id, name, isLeaf, active } of market.tree.nodes) if (isLeaf && active) model.learnName(name, id);
  const knowledge: ReviewKnowledge = {
    review: 'on',
    taxonomy: market.tree,
    policies: NO_POLICIES,
    account: { merchantId: 'acme', nodes: new Map() },
    imageCheck: 'off',
    newProductData: [],
  };
  const evidenceOf = (document: ReviewedDocument): Evidence => {
    const codes = catalogCodes(document);
    return { catalog: { codes, products: codes.flatMap((code) => market.catalog.get(code) ?? []) } };
  };
  const measured = new Map<FaultKind, FixMeasurement>();
  for (const { kind, document, good } of market.faulty(offers, live)) {
    const factsOf = (it: ReviewedDocument): OfferFacts => {
      return { document: it, archived: false, priced: kind !== 'price_missing', stockNodeIds: [], inGroup: false };
    };
    const isLive = (it: ReviewedDocument) =>
      evaluateOffer(factsOf(it), knowledge, evidenceOf(it)).status === 'available';
    const fixesOf = (it: ReviewedDocument): readonly Fix[] => {
      const evidence = evidenceOf(it);
      const { checks } = reviewOffer(factsOf(it), knowledge, evidence, NAMES);
      const products = codesToLookUp(it).flatMap((code) => market.catalog.get(code) ?? []);
      const guessCategory: CategoryModel['guess'] = (words, among) => model.guess(words, among);
      return fixesFor(new Subject(factsOf(it), knowledge, evidence), checks, {
        tree: market.tree,
        products,
        guessCategory,
      });
    };
    const sum = measured.get(kind) ?? {
      held: 0,
      fixes: { certain: { found: 0, right: 0 }, likely: { found: 0, right: 0 } },
      live: 0,
      liveWithLikely: 0,
    };
    measured.set(kind, sum);
    if (isLive(document)) continue;
    sum.held += 1;
    const repaired = (confidences: readonly Confidence[], counts: boolean): ReviewedDocument => {
      let it = document;
      for (let round = 0; round < ROUNDS_MAX; round++) {
        const fixes = fixesOf(it).filter(({ confidence }) => confidences.includes(confidence));
        if (fixes.length === 0) break;
        for (const fix of fixes) {
          const right = isRight(it, fix, good);
          if (counts) sum.fixes[fix.confidence].found += 1;
          if (counts && right) sum.fixes[fix.confidence].right += 1;
        }
        it = patched(
          it,
          fixes.map(({ patch }) => patch),
        ) as ReviewedDocument;
      }
      return it;
    };
    const isRepaired = (it: ReviewedDocument) => isLive(it) && isSame(it, good);
    if (isRepaired(repaired(['certain'], false))) sum.live += 1;
    if (isRepaired(repaired(['certain', 'likely'], true))) sum.liveWithLikely += 1;
  }
  return measured;
}

/** Whether every field that the fix changes is as it should be. */
function isRight(document: ReviewedDocument, { patch }: Fix, good: ReviewedDocument): boolean {
  const after = patched(document, [patch]) as ReviewedDocument;
  const fields = new Set(patch.map((step) => step.path.split('/')[1]));
  if (!fields.has('attributes_node_specific')) return isSame(after, good, fields);
  const before = document.attributes_node_specific ?? [];
  const changed = (after.attributes_node_specific ?? []).filter((sent) => !before.includes(sent));
  return changed.every((sent) => hasAttribute(good, sent));
}

type Sent = NonNullable<ReviewedDocument['attributes_node_specific']>[number];

function hasAttribute({ attributes_node_specific: attributes = [] }: ReviewedDocument, sent: Sent): boolean {
  return attributes.some((other) => isDeepStrictEqual(folded(other), folded(sent)));
}

function folded({ attribute_id, attribute_value, attribute_value_unit = '' }: Sent) {
  return [attribute_id, foldText(attribute_value), foldText(attribute_value_unit)];
}

function isSame(one: ReviewedDocument, good: ReviewedDocument, fields?: ReadonlySet<string | undefined>): boolean {
  const [first, second] = [one, good].map(({ attributes_node_specific: attributes, ...rest }) => {
    const shown = { ...rest, attributes: attributes?.map((sent) => JSON.stringify(folded(sent))).sort() };
    return Object.entries(shown)
      .filter(([field, value]) => value !== undefined && fields?.has(field) !== false)
      .sort();
  });
  return isDeepStrictEqual(first, second);
}

/** Adds up the figures of all kinds. */
export function totalOf(measured: Measurements): FixMeasurement {
  const rows = [...measured.values()];
  const sum = (figure: (row: FixMeasurement) => number) => rows.reduce((total, row) => total + figure(row), 0);
  const fixes = (confidence: Confidence) => ({
    found: sum((row) => row.fixes[confidence].found),
    right: sum((row) => row.fixes[confidence].right),
  });
  return {
    held: sum(({ held }) => held),
    live: sum(({ live }) => live),
    liveWithLikely: sum(({ liveWithLikely }) => liveWithLikely),
    fixes: { certain: fixes('certain'), likely: fixes('likely') },
  };
}

/** Returns a table with a row for each kind, and one for all together. */
export function shownMeasurement(measured: Measurements): string {
  const share = (part: number, whole: number) => (whole === 0 ? '-' : (part / whole).toFixed(3));
  const rows = [...measured, ['all', totalOf(measured)] as const];
  const lines = rows.map(([kind, { held, fixes, live, liveWithLikely }]) => {
    const { certain, likely } = fixes;
    const shares = [
      certain.found,
      share(certain.right, certain.found),
      likely.found,
      share(likely.right, likely.found),
    ];
    return [kind, held, ...shares, share(live, held), share(liveWithLikely, held)].join(' | ');
  });
  const head =
    'fault | held back | certain fixes | right | likely fixes | right | live with certain | live with likely';
  return [head, head.replaceAll(/[^|]+/g, '---'), ...lines].map((line) => `| ${line} |`).join('\n');
}
