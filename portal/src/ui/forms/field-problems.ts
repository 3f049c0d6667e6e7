/** In charge of putting the server's problems where they belong: at the fields of a form, or above it. */
import { ApiError, type Problem } from '../../api/problem.ts';

/** Names of fields in a form, by the JSON pointer that the server names them by: `/fulfillment_nodes/0/quantity`. */
export type FieldNames = (pointer: string) => string | undefined;

export interface SortedProblems {
  /** The texts for each field of the form. */
  readonly atFields: Readonly<Record<string, string>>;
  /** What belongs to none of them. */
  readonly above: readonly Problem[];
}

/** `/a/b/0` is the field `a.b.0`, as forms name it. */
const dottedName: FieldNames = (pointer) => pointer.slice(1).replaceAll('/', '.') || undefined;

export function sortProblems(
  error: unknown,
  known: readonly string[],
  nameOf: FieldNames = dottedName,
): SortedProblems {
  const problems = error instanceof ApiError ? error.problems : [{ code: '', field: '', message: String(error) }];
  const atFields: Record<string, string> = {};
  const above: Problem[] = [];
  for (const problem of problems) {
    const name = nameOf(problem.field);
    if (name === undefined || !known.includes(name)) above.push(problem);
    else atFields[name] = atFields[name] === undefined ? problem.message : `${atFields[name]} ${problem.message}`;
  }
  return { atFields, above };
}
