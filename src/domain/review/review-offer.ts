/**
 * Derives the verdict of an offer: status, sub-statuses and reasons. It is a pure function of stored facts and is never
 * set by hand, so that every reader of the same facts gets the same verdict.
 */
import type { Names } from '../names.ts';
import { type Status, SUB_STATUSES, type SubStatus } from '../vocabulary/statuses.ts';
import {
  type Check,
  type CheckResult,
  type CheckState,
  type DecisiveStatus,
  explain,
  isDecisive,
  type NextActor,
  stateOf,
} from './check.ts';
import { CHECKS } from './checks.ts';
import type { Evidence, Knowledge, OfferFacts } from './facts.ts';
import { Subject } from './subject.ts';

export interface Verdict {
  readonly status: Status;
  /** In the order of the contract, without duplicates. Listed whatever the status is. */
  readonly subStatuses: readonly SubStatus[];
}

/** The verdict with every check, in the order of the table. */
export interface Review extends Verdict {
  readonly checks: readonly CheckResult[];
  /**
   * Who must act next: the actor of the check that alone decides the status, otherwise the merchant if any check waits
   * for the merchant, otherwise the marketplace if any waits for it. Null: no action is needed.
   */
  readonly next: NextActor | null;
}

/** Returns the verdict without reasons, which is all that most callers need. */
export function evaluateOffer(facts: OfferFacts, knowledge: Knowledge, evidence: Evidence): Verdict {
  const subject = new Subject(facts, knowledge, evidence);
  const tally = new Tally();
  for (const check of CHECKS) tally.add(check, stateOf(check, subject));
  return tally.verdict();
}

/** Returns the verdict of `evaluateOffer` with the result of every check. */
export function reviewOffer(facts: OfferFacts, knowledge: Knowledge, evidence: Evidence, names: Names): Review {
  const subject = new Subject(facts, knowledge, evidence);
  const tally = new Tally();
  const checks = CHECKS.map((check) => {
    const state = stateOf(check, subject);
    tally.add(check, state);
    return explain(check, state, subject, names);
  });
  const verdict = tally.verdict();
  return { ...verdict, checks, next: nextOf(verdict.status, checks) };
}

function nextOf(status: Status, checks: readonly CheckResult[]): NextActor | null {
  const decisive = CHECKS.findIndex(({ effect }) => effect === status);
  if (decisive >= 0) return checks[decisive]?.next ?? null;
  const actors = checks.map(({ next }) => next);
  return actors.includes('merchant') ? 'merchant' : (actors.find((actor) => actor !== null) ?? null);
}

/** One bit per effect: the sub-statuses in the order of the contract, then these. */
const DECISIVE: Readonly<Record<DecisiveStatus, number>> = {
  archived: 1 << SUB_STATUSES.length,
  excluded: 2 << SUB_STATUSES.length,
  unauthorized: 4 << SUB_STATUSES.length,
};

function bitOf(effect: Check['effect']): number {
  return isDecisive(effect) ? DECISIVE[effect] : 1 << SUB_STATUSES.indexOf(effect);
}

const BITS: ReadonlyMap<Check, number> = new Map(CHECKS.map((check) => [check, bitOf(check.effect)]));

class Tally {
  #failures = 0;
  #pending = false;

  add(check: Check, state: CheckState): void {
    if (state === 'failed') this.#failures |= BITS.get(check) ?? 0;
    else if (state === 'pending') this.#pending = true;
  }

  verdict(): Verdict {
    return { status: this.#status(), subStatuses: subStatusesOf(this.#failures) };
  }

  /** First match wins. */
  #status(): Status {
    if (this.#failures & DECISIVE.archived) return 'archived';
    if (this.#failures & DECISIVE.excluded) return 'excluded';
    if (this.#failures & DECISIVE.unauthorized) return 'unauthorized';
    if (this.#pending) return 'review';
    return this.#failures === 0 ? 'available' : 'missing';
  }
}

const NONE: readonly SubStatus[] = Object.freeze([]);

function subStatusesOf(failures: number): readonly SubStatus[] {
  return failures === 0 ? NONE : SUB_STATUSES.filter((_subStatus, place) => failures & (1 << place));
}
