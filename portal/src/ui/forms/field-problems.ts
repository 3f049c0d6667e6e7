/** Assigns the server's problems to form fields; the rest is shown above the form. */
import { ApiError, type Problem } from '../../api/problem.ts';
import { decimalText, isAmount, priceText } from '../numbers.ts';

/** Maps the server's JSON pointer, such as `/fulfillment_nodes/0/quantity`, to a form field's name. */
export type FieldNames = (pointer: string) => string | undefined;

export interface SortedProblems {
  /** Message by field name. */
  readonly atFields: Readonly<Record<string, string>>;
  /** Problems without a field. */
  readonly above: readonly Problem[];
}

/** `/a/b/0` becomes `a.b.0`. */
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
    const name = nameOf(problem.field || parameterOf(problem));
    if (name === undefined || !known.includes(name)) above.push(problem);
    else atFields[name] = [atFields[name], sentence(ruleOf(problem))].filter(Boolean).join(' ');
  }
  return { atFields, above };
}

/** A problem with a query parameter has no field: `enforced_from: must be at least 1 hour ahead`. */
function parameterOf({ code, message }: Problem): string {
  return code === 'query_invalid' ? message.replace(/^(\w+): .*$/s, '/$1') : '';
}

/** The server starts with the field's path, and names the type it got: `codes[0].code: must be a text, not a number`. */
export function ruleOf({ field, message }: Pick<Problem, 'field' | 'message'>): string {
  const name = field.replace(/.*\//, '');
  return message
    .replace(/^[\w.[\]]+: /, '')
    .replace(/, not (?:a |an )?\w+$/, '')
    .replace(/^must be an? (number|integer) from (\S+) to (\S+)$/, (_rule, kind, from, to) => {
      const [what, text] = isAmount(name)
        ? [name.endsWith('amount') ? 'an amount' : 'a price', priceText]
        : [kind === 'number' ? 'a number' : 'a whole number', decimalText];
      const [least, most] = [from, to].map((bound) => text(Number(bound)).replace(/\.00$/, ''));
      return `enter ${what} from ${least} to ${most}`;
    });
}

export function sentence(text: string): string {
  const end = /[.!?]$/.test(text) ? '' : '.';
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${end}`;
}
