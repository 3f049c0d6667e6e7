/** Tests how the impact of a change is counted: every offer, the candidates of a search, or a sample. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Account } from '../../domain/account.ts';
import { compilePolicies, NO_POLICIES, type Policy } from '../../domain/review/policies.ts';
import {
  BAD_IMAGE,
  BOOK,
  GOOD_DOCUMENT,
  GOOD_EVIDENCE,
  GOOD_IMAGE,
  POTS,
} from '../../domain/review/testing/good-offer.ts';
import { nodeEntry } from '../../domain/taxonomy/entries.ts';
import type { TaxonomyTree } from '../../domain/taxonomy/tree.ts';
import { TaxonomyBuilder } from '../../domain/taxonomy/tree.ts';
import { foldedText, wordsOf } from '../../domain/text/folded-text.ts';
import type { OfferListRequest } from '../../store/port/offer-list.ts';
import { estimateImpact, type ImpactContext } from './estimate-impact.ts';

const COMMON: Policy = { kind: 'excluded_brand', brand: 'Common' };
const RARE: Policy = { kind: 'excluded_brand', brand: "R'are goods" };

/** Accounts 1 and 2 belong to the merchant `m1`, 3 and 4 to `m2`; odd ones are live. */
function accountOf(accountId: number): Account {
  const merchantId = `m${Math.ceil(accountId / 2)}`;
  return {
    accountId,
    merchantId,
    environment: accountId % 2 === 1 ? 'live' : 'test',
    nodes: new Map(),
  } as unknown as Account;
}

/** `brands`: for each account, starting with account 1, the brands of its offers in upload order. */
function contextOf(
  brands: readonly (readonly string[])[],
  more: Partial<ImpactContext> = {},
): ImpactContext & { reads: number } {
  const brandOf = (accountId: number, skuId: string) => brands[accountId - 1]?.[Number(skuId)] ?? '';
  const context = {
    reads: 0,
    rules: {
      taxonomy: { current: { tree: BOOK as TaxonomyTree, tag: 'a' } },
      policies: { current: NO_POLICIES },
      imageCheck: 'on',
      newProductData: [],
      code: '1',
    },
    account: async (accountId: number) => accountOf(accountId),
    treeOf: async () => {
      const builder = new TaxonomyBuilder();
      builder.add(nodeEntry({ node: 1, name: 'Other' }));
      return builder.build();
    },
    imagesWith: () => (image: typeof GOOD_IMAGE) => image,
    store: {
      settings: {
        listMerchants: async () => [{ accounts: { live: 1, test: 2 } }, { accounts: { live: 3, test: 4 } }],
      },
      policies: { listPlaceholders: async () => [] },
      images: {
        readImages: async (addresses: string[]) => addresses.map((address) => ({ address, evidence: GOOD_IMAGE })),
      },
      offers: {
        readOffer: ({ accountId, skuId }: { accountId: number; skuId: string }) => {
          context.reads++;
          return {
            document: JSON.stringify({
              ...GOOD_DOCUMENT,
              brand: brandOf(accountId, skuId),
              standard_product_codes: [],
            }),
            archived: false,
            priced: true,
            stockNodeIds: [],
            inGroup: false,
            evidence: GOOD_EVIDENCE,
          };
        },
        listSkus: async (accountId: number, { after }: { after?: string }) => {
          const all = brands[accountId - 1] ?? [];
          const start = after === undefined ? 0 : Number(after) + 1;
          return { skuIds: [...all.keys()].slice(start, start + 7).map(String), more: start + 7 < all.length };
        },
      },
      offerList: {
        readOfferCounts: async (accountId: number) => ({
          byStatus: new Map(),
          unreviewed: brands[accountId - 1]?.length ?? 0,
        }),
        listOffers: async (accountId: number, { words, sort, after, limit }: OfferListRequest) => {
          const found = (brands[accountId - 1] ?? []).flatMap((brand, order) => {
            const own = wordsOf(foldedText(brand));
            const isFound = words.every((word) => own.some((each) => each.startsWith(word)));
            return isFound && order > (sort === 'oldest' ? (after?.order ?? -1) : -1) ? [order] : [];
          });
          const shown = (sort === 'newest' ? found.reverse() : found).slice(0, limit);
          const next = found.length > shown.length ? { key: '', order: shown.at(-1) ?? 0 } : undefined;
          return { offers: shown.map((order) => ({ skuId: String(order) })), next };
        },
      },
    },
    ...more,
  };
  return context as unknown as ImpactContext & { reads: number };
}

function excluding(policy: Policy) {
  return { kind: 'policies', policies: [policy], touched: policy } as const;
}

describe('the impact of a change', () => {
  const few = [['Common', 'Rare', 'Common'], ['Common'], Array(20).fill('Other'), ['Common']];

  it('is exact for few offers: all are reviewed by both rules, and only live ones count as taken off sale', async () => {
    const impact = await estimateImpact(contextOf(few), excluding(COMMON));
    assert.deepEqual(impact, { offers: 4, live: 2, merchants: 2, offSale: 2, isExact: true, examined: 25 });
  });

  it('counts offers that a removal puts back on sale, but not offers that another rule still excludes', async () => {
    const rules = (policies: readonly Policy[]) => ({
      rules: { ...contextOf([]).rules, policies: { current: compilePolicies(policies) } },
    });
    const removal = { kind: 'policies', policies: [], touched: COMMON } as const;
    const freed = await estimateImpact(contextOf(few, rules([COMMON])), removal);
    assert.deepEqual([freed.offers, freed.offSale], [4, 0]);
    const category: Policy = { kind: 'excluded_category', nodeId: POTS };
    const still = { kind: 'policies', policies: [category], touched: COMMON } as const;
    assert.equal((await estimateImpact(contextOf(few, rules([COMMON, category])), still)).offers, 0);
  });

  it('is exact for a rare brand among many offers, in every spelling: only candidates are reviewed', async () => {
    const many: string[] = Array.from({ length: 1_000 }, (_, position) =>
      position % 100 === 7 ? 'Rare; GOODS' : 'Other',
    );
    many[500] = 'R ARE-goods';
    const context = contextOf([many], { offers_max: 100 });
    const impact = await estimateImpact(context, excluding(RARE));
    assert.deepEqual([impact.offers, impact.isExact], [1, true], 'the brand is spelled in two words');
    assert.ok(context.reads < 100);
  });

  it('is sampled when the counting limit is reached, because there may be more offers', async () => {
    const context = contextOf([Array(100).fill('Common')], { offers_max: 100 });
    const impact = await estimateImpact(context, { kind: 'taxonomy', taxonomy: null });
    assert.deepEqual([impact.isExact, impact.offers], [false, 100]);
  });

  it('is sampled for many offers, is close to the exact result, and is marked as an estimate', async () => {
    const many = Array.from({ length: 4_000 }, (_, position) => (position % 4 === 0 ? 'Common' : 'Other'));
    let seed = 1;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    const context = contextOf([many, [], many], { offers_max: 1_000, random });
    const impact = await estimateImpact(context, excluding(COMMON));
    assert.equal(impact.isExact, false);
    assert.equal(impact.merchants, 2);
    assert.ok(Math.abs(impact.examined - 1_000) <= 40, String(impact.examined));
    assert.ok(Math.abs(impact.offers - 2_000) < 100, String(impact.offers));
    const taxonomy = await estimateImpact(context, { kind: 'taxonomy', taxonomy: null });
    assert.deepEqual([taxonomy.offers, taxonomy.offSale, taxonomy.isExact], [8_000, 8_000, false]);
  });

  it('of a placeholder counts offers whose image would match it, and none if image checks are off', async () => {
    const hash = { hash: 'f0f0', note: 'no photo', sample: null };
    const imagesWith = (added: readonly unknown[]) => (image: typeof GOOD_IMAGE) =>
      added.length > 0 ? BAD_IMAGE : image;
    const proposal = { kind: 'placeholders', placeholders: [hash] } as const;
    assert.equal((await estimateImpact(contextOf(few, { imagesWith }), proposal)).offers, 25);
    const rules = { ...contextOf([]).rules, imageCheck: 'off' } as const;
    assert.equal((await estimateImpact(contextOf(few, { imagesWith, rules }), proposal)).offers, 0);
  });
});
