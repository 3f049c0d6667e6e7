/**
 * Defines the order of checks for a write: body, then "SKU not found" and "SKU is archived", then rules about account settings.
 * http/admit.ts has the checks before the body. Single calls and rows of files share these checks.
 */
import type { PartWrite } from '../domain/offers/part.ts';
import { type Accepted, accept, type Refused, refuse } from '../domain/outcome.ts';
import type { Report } from '../domain/problem.ts';
import type { OfferStore, SkuKey } from '../store/port/offers.ts';
import type { Context } from './context.ts';
import { refuseByStoredRules } from './unknown-or-archived-sku.ts';

/** The input of the checks. */
export type CheckContext = Pick<Context, 'bodies' | 'names'>;

export type WriteOf<Kind extends PartWrite['kind']> = Extract<PartWrite, { readonly kind: Kind }>;

export interface RefusedWrite extends Refused {
  /**
   * True if "SKU not found" and "SKU is archived" come before the rule that refuses the body. If one of the two applies, it is reported
   * instead.
   */
  readonly behindSkuState: boolean;
}

export type CheckedWrite<Kind extends PartWrite['kind']> = Accepted<WriteOf<Kind>> | RefusedWrite;

/** Refuses a body regardless of stored data. */
export function refuseBody({ problems, ignored }: Refused): RefusedWrite {
  return { ok: false, problems, ignored, behindSkuState: false };
}

/** Accepts the body unless it breaks rules about account settings. */
export function acceptUnless<Kind extends PartWrite['kind']>(
  report: Report,
  ignored: readonly string[],
  write: () => WriteOf<Kind>,
): CheckedWrite<Kind> {
  if (report.problems.length === 0) return accept(write(), ignored);
  return { ok: false, problems: report.problems, ignored, behindSkuState: true };
}

/** Returns the response to a refused body: a missing or archived SKU may take precedence. */
export function answerRefused(
  store: OfferStore,
  key: SkuKey,
  { problems, ignored, behindSkuState }: RefusedWrite,
): Refused | Promise<Refused> {
  return behindSkuState ? refuseByStoredRules(store, key, problems, ignored) : refuse(problems, ignored);
}
