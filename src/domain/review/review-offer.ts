/**
 * Derives the verdict of an offer: status, sub-statuses and reasons. It is a pure function of stored facts and is never
 * set by hand, so that every reader of the same facts gets the same verdict.
 */
import type { Names } from '../names.ts';
import { SUB_STATUS_BITS, subStatusesOf } from '../offers/verdict-counts.ts';
import { type Status, SUB_STATUSES, type Verdict } from '../vocabulary/statuses.ts';
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
  return verdictOf(CHECKS.map((check) => stateOf(check, subject)));
}

/** Returns the verdict of `evaluateOffer` with the result of every check. */
export function reviewOffer(facts: OfferFacts, knowledge: Knowledge, evidence: Evidence, names: Names): Review {
  const subject = new Subject(facts, knowledge, evidence);
  const checks = CHECKS.map((check) => explain(check, stateOf(check, subject), subject, names));
  const verdict = verdictOf(checks.map(({ state }) => state));
  return { ...verdict, checks, next: nextOf(verdict.status, checks) };
}

/** Returns the checks that fail, in the order of the table. */
export function failedChecks(subject: Subject): readonly Check[] {
  return CHECKS.filter((check) => stateOf(check, subject) === 'failed');
}

function nextOf(status: Status, checks: readonly CheckResult[]): NextActor | null {
  const decisive = CHECKS.findIndex(({ effect }) => effect === status);
  if (decisive >= 0) return checks[decisive]?.next ?? null;
  const actors = checks.map(({ next }) => next);
  return actors.includes('merchant') ? 'merchant' : (actors.find((actor) => actor !== null) ?? null);
}

/** The bits behind those of the sub-statuses, in the order in which they decide the status. */
const DECISIVE: Readonly<Record<DecisiveStatus, number>> = {
  archived: 1 << SUB_STATUSES.length,
  excluded: 2 << SUB_STATUSES.length,
  unauthorized: 4 << SUB_STATUSES.length,
};

const BITS = CHECKS.map(({ effect }) => (isDecisive(effect) ? DECISIVE[effect] : SUB_STATUS_BITS[effect]));

/** `states`: the states of the checks, in the order of the table. */
function verdictOf(states: readonly CheckState[]): Verdict {
  const failures = states.reduce((bits, state, index) => (state === 'failed' ? bits | (BITS[index] ?? 0) : bits), 0);
  return { status: statusOf(failures, states.includes('pending')), subStatuses: subStatusesOf(failures) };
}

/** First match wins. */
function statusOf(failures: number, isPending: boolean): Status {
  if (failures & DECISIVE.archived) return 'archived';
  if (failures & DECISIVE.excluded) return 'excluded';
  if (failures & DECISIVE.unauthorized) return 'unauthorized';
  if (isPending) return 'review';
  return failures === 0 ? 'available' : 'missing';
}
