/** Checks a whole body: first its schema, then the rules between its fields. Returns all problems at once. */
import type { SentBody } from '../body-text.ts';
import { compileCheck, isObject } from '../check/compile.ts';
import { compileMeasure } from '../check/measure.ts';
import type { BodySchema } from '../check/schema.ts';
import type { Static, TSchema } from '../check/type.ts';
import type { Names } from '../names.ts';
import { type Accepted, type Refused, refuse, refuseRequest } from '../outcome.ts';
import { Report } from '../problem.ts';

export type BodyCheck<T> = (body: SentBody) => CheckedBody<T> | Refused;

export interface CheckedBody<T> extends Accepted<T> {
  /** The text of the body, if it is exactly what `JSON.stringify` writes for the value. */
  readonly json?: string | undefined;
}

/** The valid fields of a body. Every member may be absent, because its field may be invalid. */
export type Loose<T> = T extends readonly (infer E)[]
  ? readonly (Loose<E> | undefined)[]
  : T extends object
    ? { readonly [K in keyof T]?: Loose<T[K]> | undefined }
    : T;

/** Rules get the valid fields, and the body as sent to tell an absent field from an invalid one. */
export type BodyRules<T> = (clean: Loose<T>, sent: Readonly<Record<string, unknown>>, report: Report) => void;

/** `1e2` is as short as `100`, so the length proves nothing about a text with exponents: see measure.ts. */
const EXPONENT = /\d[eE]/;

/** `stored` describes bodies that are stored as they were sent. It is worth its cost only for long bodies. */
export function createBodyCheck<S extends TSchema>(
  schema: S,
  names: Names,
  rules: BodyRules<Static<S>> = () => {},
  stored?: TSchema,
): BodyCheck<Static<S>> {
  const check = compileCheck(schema as BodySchema, names);
  const measure = stored === undefined ? () => 0 : compileMeasure(stored as BodySchema, names);
  return ({ value: sent, problems, text }) => {
    if (!isObject(sent)) return refuseRequest('body_not_object', 'The body must be a JSON object.');
    const report = new Report();
    report.append(problems);
    const characters = problems.length === 0 ? measure(sent) : 0;
    const clean = characters === 0 ? check(sent, report) : sent;
    rules(clean as Loose<Static<S>>, sent, report);
    if (report.problems.length > 0) return refuse(report.problems, report.ignored);
    const json = text?.length === characters && !EXPONENT.test(text) ? text : undefined;
    return { ok: true, value: clean as Static<S>, ignored: report.ignored, json };
  };
}
