/** Checks a whole body: first its schema, then the rules between its fields. Returns all problems at once. */
import type { SentBody } from '../body-text.ts';
import { compileCheck, isObject } from '../check/compile.ts';
import type { BodySchema } from '../check/schema.ts';
import type { Static, TSchema } from '../check/type.ts';
import type { Names } from '../names.ts';
import { accept, type Outcome, refuse } from '../outcome.ts';
import { Report, requestProblem } from '../problem.ts';

export type BodyCheck<T> = (body: SentBody) => Outcome<T>;

/** The valid fields of a body. Every member may be absent, because its field may be invalid. */
export type Loose<T> = T extends readonly (infer E)[]
  ? readonly (Loose<E> | undefined)[]
  : T extends object
    ? { readonly [K in keyof T]?: Loose<T[K]> | undefined }
    : T;

/** Rules get the valid fields, and the body as sent to tell an absent field from an invalid one. */
export type BodyRules<T> = (clean: Loose<T>, sent: Readonly<Record<string, unknown>>, report: Report) => void;

export function createBodyCheck<S extends TSchema>(
  schema: S,
  names: Names,
  rules: BodyRules<Static<S>> = () => {},
): BodyCheck<Static<S>> {
  const check = compileCheck(schema as BodySchema, names);
  return ({ value: sent, problems }) => {
    if (!isObject(sent)) return refuse([requestProblem('body_not_object', 'The body must be a JSON object.')]);
    const report = new Report();
    report.append(problems);
    const clean = check(sent, report);
    rules(clean as Loose<Static<S>>, sent, report);
    if (report.problems.length > 0) return refuse(report.problems, report.ignored);
    return accept(clean as Static<S>, report.ignored);
  };
}
