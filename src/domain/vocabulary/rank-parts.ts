/** The parts of the order of offers, each with what comes first. The operator chooses which of them count, and in which order. */
export const RANK_PARTS = Object.freeze({
  total: 'The lower total of price and what shipping must add',
  price: 'The lower item price',
  stock: 'The larger stock',
  returns: 'The longer return window',
  time: 'The longer time on sale',
});

export type RankPart = keyof typeof RANK_PARTS;
export type RankOrder = readonly RankPart[];

export const RANK_PART_NAMES = Object.freeze(Object.keys(RANK_PARTS) as RankPart[]);

/** Applies unless the operator chose another order. */
export const DEFAULT_ORDER: RankOrder = Object.freeze(['total', 'stock', 'time'] as const);
