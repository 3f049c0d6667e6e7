/** Asks the server with dry runs which values of a SKU a plan would change. */
import { OfferbookError, type Problem } from '../../errors.ts';
import { toJson } from '../../json.ts';
import type { Offerbook } from '../../offerbook.ts';
import type { DryRunAnswer, VariationBody } from '../../types.ts';
import { OFFER_STEPS, type Step } from '../part-table.ts';
import { printable } from '../terminal.ts';

export interface Values {
  readonly changes: DryRunAnswer['changes'];
  /** Parts that the server would refuse now, for example because another part of the plan, which they need, is not sent yet. */
  readonly refused: readonly { readonly parts: readonly Step[]; readonly details: readonly Problem[] }[];
}

const DRY_RUN = { dryRun: true } as const;
/** Longer values are cut, because a new SKU is one value with all its product data. `--json` prints the whole value. */
const VALUE_CHARACTERS_MAX = 200;

/** Makes one call for the parts of the offer, and one each for the variation group and the archive flag. */
export async function readValues(
  client: Offerbook,
  id: string,
  steps: readonly Step[],
  bodyOf: (step: Step) => object,
): Promise<Values> {
  const parts = steps.filter((step) => OFFER_STEPS.includes(step));
  const offer = Object.fromEntries(parts.map((step) => [step, bodyOf(step)]));
  const calls: (readonly [parts: readonly Step[], call: () => Promise<DryRunAnswer>])[] = [];
  if (parts.length > 0) calls.push([parts, () => client.putOffer(id, offer, DRY_RUN)]);
  for (const step of steps) {
    if (step === 'variation')
      calls.push([[step], () => client.putVariation(id, bodyOf(step) as VariationBody, DRY_RUN)]);
    if (step === 'archive' || step === 'unarchive')
      calls.push([[step], () => client.archive(id, step === 'archive', DRY_RUN)]);
  }
  const changes: Values['changes'] = [];
  const refused: Values['refused'][number][] = [];
  for (const [tried, call] of calls) {
    try {
      changes.push(...(await call()).changes);
    } catch (error) {
      if (!(error instanceof OfferbookError) || error.status === 401 || error.status >= 429) throw error;
      refused.push({ parts: tried, details: error.problems });
    }
  }
  return { changes, refused };
}

export function valueLines({ changes, refused }: Values): string[] {
  return [
    ...changeLines(changes),
    ...refused.flatMap(({ parts, details }) =>
      details.map(({ message }) => `${parts.join(', ')}: would be refused: ${printable(message)}`),
    ),
  ];
}

export function changeLines(changes: Values['changes']): string[] {
  return changes.map(({ pointer, before, after }) => `${printable(pointer)}: ${shortOf(before)} -> ${shortOf(after)}`);
}

export function shortOf(value: unknown): string {
  if (value === null) return 'none';
  const text = printable(toJson(value));
  return text.length <= VALUE_CHARACTERS_MAX ? text : `${text.slice(0, VALUE_CHARACTERS_MAX)}…`;
}
