/** Tests best-offer.ts: each rule decides alone, and never before the rules above it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEFAULT_ORDER, RANK_PART_NAMES, type RankPart } from '../vocabulary/rank-parts.ts';
import { type Rankable, rankOffers } from './best-offer.ts';

const OFFER: Rankable = {
  return_days: 30,
  multipack_quantity: 1,
  price: 10,
  price_policy: '101',
  price_visibility: 'public',
  total: 10,
  quantity: 5,
  sinceMs: 1000,
  key: 'k',
};

/** Ranks offers that differ from OFFER, keyed in the order given. Returns key, rank and reason of each. */
const WORSE: Readonly<Record<RankPart, Rankable>> = {
  total: { ...OFFER, key: 'l', total: 99 },
  price: { ...OFFER, key: 'l', price: 99 },
  stock: { ...OFFER, key: 'l', quantity: 0 },
  returns: { ...OFFER, key: 'l', return_days: 1 },
  time: { ...OFFER, key: 'l', sinceMs: OFFER.sinceMs + 1 },
};

function ranked(...differences: readonly Partial<Rankable>[]) {
  const offers = differences.map((difference, index) => ({ ...OFFER, key: `k${index}`, ...difference }));
  return rankOffers(offers, DEFAULT_ORDER).map(({ offer, rank }) => [offer.key, rank.rank, rank.rank_reason]);
}

describe('the best offer', () => {
  it('is the only one', () => {
    const [only] = rankOffers([OFFER], DEFAULT_ORDER);
    assert.deepEqual(only, {
      offer: OFFER,
      rank: { rank: 1, rank_of: 1, rank_reason: 'only', above_best: null, why: 'The only offer' },
    });
    assert.deepEqual(rankOffers([], DEFAULT_ORDER), []);
    assert.deepEqual(
      RANK_PART_NAMES.map((part) => rankOffers([OFFER, WORSE[part]], [part])[1]?.rank.rank_reason),
      RANK_PART_NAMES,
    );
    const offers = [{ ...OFFER, key: 'l', quantity: 99, total: 11 }, OFFER];
    assert.deepEqual(
      rankOffers(offers, ['stock', 'total']).map(({ offer }) => offer.key),
      ['l', OFFER.key],
    );
  });

  it('has the lowest total, whatever its stock, its time on sale and its item price', () => {
    const others = { quantity: 900, sinceMs: 1, key: 'a' };
    assert.deepEqual(ranked({ total: 10.01, price: 5, ...others }, { total: 10 }), [
      ['k1', 1, 'best'],
      ['a', 2, 'total'],
    ]);
  });

  it('has the larger stock if the totals are equal, and then has been on sale longer', () => {
    assert.deepEqual(ranked({ sinceMs: 1, quantity: 4 }, { quantity: 6 }, { quantity: 5 }), [
      ['k1', 1, 'best'],
      ['k2', 2, 'stock'],
      ['k0', 3, 'stock'],
    ]);
    assert.deepEqual(ranked({ sinceMs: 1000 }, { sinceMs: 999 }), [
      ['k1', 1, 'best'],
      ['k0', 2, 'time'],
    ]);
  });

  it('has the lower key if all else is equal, in whatever order the offers are read', () => {
    const expected = [
      ['a', 1, 'best'],
      ['b', 2, 'tie'],
    ];
    assert.deepEqual(ranked({ key: 'b' }, { key: 'a' }), expected);
    assert.deepEqual(ranked({ key: 'a' }, { key: 'b' }), expected);
  });

  it('is never one under policy 103 while another offer has a lower item price', () => {
    const strict = { price_policy: '103', price: 12, total: 12 } as const;
    assert.deepEqual(ranked(strict, { price: 11.99, total: 20 }), [
      ['k1', 1, 'best'],
      ['k0', 2, 'policy_103'],
    ]);
    assert.deepEqual(ranked(strict, { price: 12, total: 20 }), [
      ['k0', 1, 'best'],
      ['k1', 2, 'total'],
    ]);
    assert.deepEqual(ranked({ ...strict, price_policy: '102' }, { price: 11.99, total: 20 }), [
      ['k0', 1, 'best'],
      ['k1', 2, 'total'],
    ]);
  });

  it('is found for each multipack quantity alone', () => {
    const offers = [
      { ...OFFER, key: 'six', multipack_quantity: 6, price: 50, total: 50 },
      { ...OFFER, key: 'one' },
    ];
    assert.deepEqual(
      rankOffers(offers, DEFAULT_ORDER).map(({ offer, rank }) => [
        offer.key,
        rank.rank,
        rank.rank_of,
        rank.rank_reason,
      ]),
      [
        ['one', 1, 1, 'only'],
        ['six', 1, 1, 'only'],
      ],
    );
  });

  it('says how much the others cost more, without errors of binary fractions', () => {
    const [, second] = rankOffers([OFFER, { ...OFFER, key: 'l', total: 11.2 }], DEFAULT_ORDER);
    assert.deepEqual(second?.rank, {
      rank: 2,
      rank_of: 2,
      rank_reason: 'total',
      above_best: 1.2,
      why: '1.20 above the best offer',
    });
  });

  it('says all decimals of the amount, at least two', () => {
    for (const [total, text] of [
      [11, '1.00'],
      [10.125, '0.125'],
      [10.0001, '0.0001'],
    ] as const) {
      const [, second] = rankOffers([OFFER, { ...OFFER, key: 'l', total }], DEFAULT_ORDER);
      assert.equal(second?.rank.why, `${text} above the best offer`);
    }
  });

  it('says no amount that tells a price which may only be shown on request', () => {
    const hidden = { ...OFFER, key: 'l', total: 11.2, price_visibility: 'on_request' } as const;
    for (const offers of [
      [OFFER, hidden],
      [
        { ...OFFER, total: 12 },
        { ...hidden, total: 11 },
      ],
    ]) {
      const [, second] = rankOffers(offers, DEFAULT_ORDER);
      assert.equal(second?.rank.above_best, null);
      assert.equal(second?.rank.why, 'Costs more than the best offer');
    }
  });
});
