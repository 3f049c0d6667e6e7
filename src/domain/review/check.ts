/** In charge of what a check is, and of what it says in the end. */
import type { Names } from '../names.ts';
import type { SubStatus } from '../vocabulary/statuses.ts';
import type { Knowledge, ReviewKnowledge, UploadKnowledge } from './facts.ts';
import type { Subject } from './subject.ts';

/** `pending`: not known yet. `skipped`: it does not apply, or is switched off; the evidence has the reason. */
export type CheckState = 'passed' | 'failed' | 'pending' | 'skipped';

export type NextActor = 'merchant' | 'marketplace';

/** Plain data that is shown as it is; an id beyond 2^53 is a bigint in it. */
export type Shown = Readonly<Record<string, unknown>>;

/** A status that a single check decides, whatever the others say, named by its place in the vocabulary. */
export type DecisiveStatus = 'archived' | 'excluded' | 'unauthorized';

/**
 * `state` alone decides; the texts are made only when somebody reads them. The status of an offer is made of the states
 * of its checks, so that it cannot disagree with what the review shows.
 */
interface CheckOf<Scope extends 'upload' | 'review', K extends Knowledge> {
  readonly id: string;
  /** `upload`: it needs no more than what the merchant sent. `review`: skipped where there is no review. */
  readonly scope: Scope;
  /** What a failure is called; never renamed. */
  readonly code: string;
  /** What a failure makes of the offer. */
  readonly effect: SubStatus | DecisiveStatus;
  state(subject: Subject<K>): CheckState;
  /** What was looked at. */
  evidence(subject: Subject<K>, names: Names): Shown;
  /** Of a failure: what is to be done, in a sentence. */
  remedy(subject: Subject<K>, names: Names): string;
  /** Who does it; the merchant unless told otherwise. */
  next?(subject: Subject<K>): NextActor;
  /** What is waited for, of a check that can be pending. */
  readonly waiting?: string;
  /** Of a pending check: what the merchant can do about it; undefined: nothing. */
  hindrance?(subject: Subject<K>): string | undefined;
  /** Why it was skipped, of a check that can be. */
  reason?(subject: Subject<K>): string;
}

export type UploadCheck = CheckOf<'upload', UploadKnowledge | ReviewKnowledge>;
export type ReviewCheck = CheckOf<'review', ReviewKnowledge>;
export type Check = UploadCheck | ReviewCheck;

/** What the review shows of a check. */
export interface CheckResult {
  readonly check: string;
  readonly state: CheckState;
  /** Of a failure. */
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
  return { ...quietResult(check.id, state), evidence: { reason: 'Offers are not reviewed here.' } };
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
