/**
 * In charge of the judgement of an offer: its status and sub-statuses, and the reasons for them. Derived from what is
 * stored and never set by hand; pure, so that every reader of the same facts comes to the same judgement.
 */
import type { Names } from '../names.ts';
import { type Status, SUB_STATUSES, type SubStatus } from '../vocabulary/statuses.ts';
import { type Check, type CheckResult, type CheckState, explain, stateOf } from './check.ts';
import { CHECKS } from './checks.ts';
import type { Evidence, Knowledge, OfferFacts } from './facts.ts';
import { Subject } from './subject.ts';

export interface Judgement {
  readonly status: Status;
  /** In the order of the contract, each once; what is known is listed whatever the status. */
  readonly subStatuses: readonly SubStatus[];
}

/** The judgement with every check, in the order of the table. */
export interface Review extends Judgement {
  readonly checks: readonly CheckResult[];
}

/** The judgement alone, for the many who do not ask why. */
export function judgeOffer(facts: OfferFacts, knowledge: Knowledge, evidence: Evidence): Judgement {
  const subject = new Subject(facts, knowledge, evidence);
  const tally = new Tally();
  for (const check of CHECKS) tally.add(check, stateOf(check, subject));
  return tally.judgement(facts.archived);
}

/** The same judgement, from the same states of the same checks, with the reasons. */
export function reviewOffer(facts: OfferFacts, knowledge: Knowledge, evidence: Evidence, names: Names): Review {
  const subject = new Subject(facts, knowledge, evidence);
  const tally = new Tally();
  const checks = CHECKS.map((check) => {
    const state = stateOf(check, subject);
    tally.add(check, state);
    return explain(check, state, subject, names);
  });
  return { ...tally.judgement(facts.archived), checks };
}

/** A bit for each thing that a failure can make of an offer: the sub-statuses in the order of the contract, then these. */
const EXCLUDED = 1 << SUB_STATUSES.length;
const UNAUTHORIZED = EXCLUDED << 1;

function bitOf(effect: Check['effect']): number {
  if (effect === 'excluded') return EXCLUDED;
  return effect === 'unauthorized' ? UNAUTHORIZED : 1 << SUB_STATUSES.indexOf(effect);
}

const BITS: ReadonlyMap<Check, number> = new Map(CHECKS.map((check) => [check, bitOf(check.effect)]));

class Tally {
  #failures = 0;
  #pending = false;

  add(check: Check, state: CheckState): void {
    if (state === 'failed') this.#failures |= BITS.get(check) ?? 0;
    else if (state === 'pending') this.#pending = true;
  }

  judgement(archived: boolean): Judgement {
    return { status: this.#status(archived), subStatuses: subStatusesOf(this.#failures) };
  }

  /** First match wins. */
  #status(archived: boolean): Status {
    if (archived) return 'archived';
    if (this.#failures & EXCLUDED) return 'excluded';
    if (this.#failures & UNAUTHORIZED) return 'unauthorized';
    if (this.#pending) return 'review';
    return this.#failures === 0 ? 'available' : 'missing';
  }
}

const NONE: readonly SubStatus[] = Object.freeze([]);

function subStatusesOf(failures: number): readonly SubStatus[] {
  return failures === 0 ? NONE : SUB_STATUSES.filter((_subStatus, place) => failures & (1 << place));
}
