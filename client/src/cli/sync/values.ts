/** Asks the server with dry runs which values of a SKU a plan would change. */
import { OfferbookError, type Problem } from '../../errors.ts';
import { toJson } from '../../json.ts';
import { type Offerbook, skuPath } from '../../offerbook.ts';
import type { DryRunAnswer } from '../../types.ts';
import { printable } from '../terminal.ts';
import type { Step } from './plan.ts';

export interface Values {
  readonly changes: DryRunAnswer['changes'];
  /** Parts that the server would refuse now, for example because another part of the plan, which they need, is not sent yet. */
  readonly refused: readonly { readonly parts: readonly Step[]; readonly details: readonly Problem[] }[];
}

const OFFER_STEPS: ReadonlySet<Step> = new Set([
  ...(['sku', 'price', 'inventory', 'shipping_exception', 'returns_exception'] as const),
]);
/** Longer values are cut, because a new SKU is one value with all its product data. `--json` prints the whole value. */
const VALUE_CHARACTERS_MAX = 200;

/** Makes one call for the parts of the offer, and one each for the variation group and the archive flag. */
export async function readValues(
  client: Offerbook,
  id: string,
  steps: readonly Step[],
  bodyOf: (step: Step) => object,
): Promise<Values> {
  const parts = steps.filter((step) => OFFER_STEPS.has(step));
  const offer = Object.fromEntries(parts.map((step) => [step, bodyOf(step)]));
  const calls: (readonly [parts: readonly Step[], address: string, body: object])[] = [];
  if (parts.length > 0) calls.push([parts, '/offer', offer]);
  for (const step of steps) {
    if (step === 'variation') calls.push([[step], '/variation', bodyOf(step)]);
    if (step === 'archive' || step === 'unarchive') calls.push([[step], '/status/archive', bodyOf(step)]);
  }
  const changes: Values['changes'] = [];
  const refused: Values['refused'][number][] = [];
  for (const [tried, address, body] of calls) {
    try {
      const path = skuPath(id, address);
      const { value } = await client.call<DryRunAnswer>('PUT', path, { query: { dry_run: true }, body });
      changes.push(...value.changes);
    } catch (error) {
      if (!(error instanceof OfferbookError) || error.status === 401 || error.status >= 429) throw error;
      refused.push({ parts: tried, details: error.problems });
    }
  }
  return { changes, refused };
}

export function valueLines({ changes, refused }: Values): string[] {
  return [
    ...changes.map(({ pointer, before, after }) => `${printable(pointer)}: ${shortOf(before)} -> ${shortOf(after)}`),
    ...refused.flatMap(({ parts, details }) =>
      details.map(({ message }) => `${parts.join(', ')}: would be refused: ${printable(message)}`),
    ),
  ];
}

function shortOf(value: unknown): string {
  if (value === null) return 'none';
  const text = printable(toJson(value));
  return text.length <= VALUE_CHARACTERS_MAX ? text : `${text.slice(0, VALUE_CHARACTERS_MAX)}…`;
}
