/** The result of a use case: accepted with a value, or refused with every reason. Both list ignored fields. */
import { type Problem, type ProblemCode, requestProblem } from './problem.ts';

export type Outcome<T> = Accepted<T> | Refused;

export interface Accepted<T> {
  readonly ok: true;
  readonly value: T;
  /** JSON pointers of unknown fields in the body. */
  readonly ignored: readonly string[];
}

export interface Refused {
  readonly ok: false;
  readonly problems: readonly Problem[];
  readonly ignored: readonly string[];
  /** Set if a precondition does not hold: the tag of the stored data, null if it is not set. */
  readonly currentTag?: string | null;
}

export function accept<T>(value: T, ignored: readonly string[] = []): Accepted<T> {
  return { ok: true, value, ignored };
}

export function refuse(problems: readonly Problem[], ignored: readonly string[] = []): Refused {
  return { ok: false, problems, ignored };
}

/** Refuses a request with one problem. By default, its message is the meaning of the code. */
export function refuseRequest(code: ProblemCode, message?: string, ignored?: readonly string[]): Refused {
  return refuse([requestProblem(code, message)], ignored);
}

/** Refuses a write whose precondition does not hold. */
export function refuseOutdated(text: string, currentTag: string | null, ignored: readonly string[] = []): Refused {
  return { ...refuseRequest('precondition_failed', text, ignored), currentTag };
}
