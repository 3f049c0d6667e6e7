/** Defines what a check is, and builds the result that the review shows. */
import type { Names } from '../names.ts';
import type { SubStatus } from '../vocabulary/statuses.ts';
import type { Knowledge, ReviewKnowledge, UploadKnowledge } from './facts.ts';
import type { Subject } from './subject.ts';

/** `pending`: not known yet. `skipped`: it does not apply, or is switched off; the evidence has the reason. */
export type CheckState = 'passed' | 'failed' | 'pending' | 'skipped';

export type NextActor = 'merchant' | 'marketplace';

/** Plain data that is shown unchanged. Ids beyond 2^53 are bigints. */
export type Shown = Readonly<Record<string, unknown>>;

/** A status that a single failed check decides, whatever the other checks say. */
export type DecisiveStatus = 'archived' | 'excluded' | 'unauthorized';

/**
 * `state` alone determines the result; texts are built only when the review is read. The status of an offer is derived from the states of
 * its checks, so that it cannot contradict the review.
 */
interface CheckOf<Scope extends 'upload' | 'review', K extends Knowledge> {
  readonly id: string;
  /** `upload`: needs only what the merchant sent. `review`: skipped when the review is off. */
  readonly scope: Scope;
  /** The code of a failure; never renamed. */
  readonly code: string;
  /** The effect of a failure on the offer. */
  readonly effect: SubStatus | DecisiveStatus;
  state(subject: Subject<K>): CheckState;
  /** The data that was checked. */
  evidence(subject: Subject<K>, names: Names): Shown;
  /** What to do after a failure, in one or two sentences. */
  remedy(subject: Subject<K>, names: Names): string;
  /** Who must act; the merchant by default. */
  next?(subject: Subject<K>): NextActor;
  /** What a pending check waits for. */
  readonly waiting?: string;
  /** What the merchant can do about a pending check; undefined: nothing. */
  hindrance?(subject: Subject<K>): string | undefined;
  /** Why the check was skipped. */
  reason?(subject: Subject<K>): string;
}

export type UploadCheck = CheckOf<'upload', UploadKnowledge | ReviewKnowledge>;
export type ReviewCheck = CheckOf<'review', ReviewKnowledge>;
export type Check = UploadCheck | ReviewCheck;

/** The result of a check as the review shows it. */
export interface CheckResult {
  readonly check: string;
  readonly state: CheckState;
  /** Null unless the check failed. */
  readonly code: string | null;
  readonly subStatus: SubStatus | null;
  readonly evidence: Shown;
  readonly next: NextActor | null;
  readonly remedy: string | null;
}

export function isDecisive(effect: Check['effect']): effect is DecisiveStatus {
  return effect === 'archived' || effect === 'excluded' || effect === 'unauthorized';
}

export function stateOf(check: Check, subject: Subject): CheckState {
  if (check.scope === 'upload') return check.state(subject);
  return subject.isReviewed() ? check.state(subject) : 'skipped';
}

export function explain(check: Check, state: CheckState, subject: Subject, names: Names): CheckResult {
  if (check.scope === 'upload') return resultOf(check, state, subject, names);
  if (subject.isReviewed()) return resultOf(check, state, subject, names);
  return { ...quietResult(check.id, state), evidence: { reason: 'The review is switched off on this server.' } };
}

function quietResult(check: string, state: CheckState) {
  return { check, state, code: null, subStatus: null, next: null, remedy: null };
}

function resultOf<K extends Knowledge>(
  check: CheckOf<'upload' | 'review', K>,
  state: CheckState,
  subject: Subject<K>,
  names: Names,
): CheckResult {
  const evidence = check.evidence(subject, names);
  const quiet = quietResult(check.id, state);
  if (state === 'passed') return { ...quiet, evidence };
  if (state === 'skipped') return { ...quiet, evidence: { ...evidence, reason: check.reason?.(subject) ?? '' } };
  if (state === 'pending') {
    const remedy = check.hindrance?.(subject);
    if (remedy !== undefined) return { ...quiet, evidence, next: 'merchant', remedy };
    return { ...quiet, evidence, next: 'marketplace', remedy: check.waiting ?? '' };
  }
  const { code, effect } = check;
  const subStatus = isDecisive(effect) ? null : effect;
  const next = check.next?.(subject) ?? 'merchant';
  return { check: check.id, state, code, subStatus, evidence, next, remedy: check.remedy(subject, names) };
}
