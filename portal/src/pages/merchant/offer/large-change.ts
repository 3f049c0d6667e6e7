/** Finds price changes that are so large that they may be typing mistakes. */
import type { NumberValue } from '../../../ui/forms/number-field.tsx';
import { priceText } from '../../../ui/numbers.ts';

export interface PriceValues {
  readonly price: NumberValue;
  readonly nodes: readonly { readonly id: string; readonly price: NumberValue }[];
}

/** A price that becomes more than this many times higher or lower may be a typing mistake. */
const USUAL_FACTOR_MAX = 3;

/** Returns what to ask before these prices are saved. */
export function largeChange(before: PriceValues, after: PriceValues): string | undefined {
  const at = ({ price, nodes }: PriceValues, id: string) =>
    nodes.find((node) => node.id === id && node.price !== '')?.price ?? price;
  const prices = [
    { place: '', from: before.price, to: after.price },
    ...after.nodes.map(({ id }) => ({ place: ` at ${id}`, from: at(before, id), to: at(after, id) })),
  ];
  for (const { place, from, to } of prices) {
    if (typeof from !== 'number' || typeof to !== 'number') continue;
    if (Math.max(to / from, from / to) <= USUAL_FACTOR_MAX) continue;
    const how = to > from ? 'more than 3 times' : 'less than a third of';
    return `The new price${place} is ${how} the current one: ${priceText(from)} becomes ${priceText(to)}.`;
  }
  return undefined;
}
