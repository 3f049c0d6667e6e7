/**
 * In charge of what a check makes of a body: the write that it asks for, or why it is refused. Checks need no stored offer,
 * so that single calls and rows of files share them; what is stored decides the write itself.
 */
import { type Accepted, accept, type Refused, refuse } from '../domain/outcome.ts';
import type { Report } from '../domain/problem.ts';
import type { RowWrite } from '../store/port/files.ts';
import type { OfferStore, SkuKey } from '../store/port/offers.ts';
import type { Context } from './context.ts';
import { refuseByStoredRules } from './sku-outcomes.ts';

/** What checks work with. */
export type CheckContext = Pick<Context, 'bodies' | 'names'>;

export type WriteOf<Kind extends RowWrite['kind']> = Extract<RowWrite, { readonly kind: Kind }>;

export interface RefusedWrite extends Refused {
  /**
   * It was refused by rules that come behind "the SKU was never uploaded" and "it is archived" in the order of checks, so
   * that these two are to be said instead where they hold.
   */
  readonly behindSkuState: boolean;
}

export type CheckedWrite<Kind extends RowWrite['kind']> = Accepted<WriteOf<Kind>> | RefusedWrite;

/** Refused by its body alone. */
export function refuseBody({ problems, ignored }: Refused): RefusedWrite {
  return { ok: false, problems, ignored, behindSkuState: false };
}

/** Accepts, unless rules about the merchant's setup were broken. */
export function acceptUnless<Kind extends RowWrite['kind']>(
  report: Report,
  ignored: readonly string[],
  write: () => WriteOf<Kind>,
): CheckedWrite<Kind> {
  if (report.problems.length === 0) return accept(write(), ignored);
  return { ok: false, problems: report.problems, ignored, behindSkuState: true };
}

/** The answer to a refused body, in the order of checks. */
export function answerRefused(
  store: OfferStore,
  key: SkuKey,
  { problems, ignored, behindSkuState }: RefusedWrite,
): Refused | Promise<Refused> {
  return behindSkuState ? refuseByStoredRules(store, key, problems, ignored) : refuse(problems, ignored);
}
