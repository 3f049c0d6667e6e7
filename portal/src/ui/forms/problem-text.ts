/** Writes problems of lists and sheets as sentences that name the field. */
import type { Problem } from '../../api/problem.ts';
import { ruleOf, sentence } from './field-problems.ts';
import { ALL_LABELS, fieldLabel, problemInPageWords } from './page-words.ts';

/** Splits a problem for a list into the label of its field ('' if it has none) and the rule. */
export function labelAndRule(problem: Problem): { readonly label: string; readonly rule: string } {
  const names = problem.field.split('/').filter((part) => part !== '' && !/^\d+$/.test(part));
  const name = names.findLast((one) => ALL_LABELS.has(one)) ?? names.at(-1) ?? '';
  // The message of a missing field names a misspelled one.
  const code = problem.code === 'required' ? '' : problem.code;
  const label = name === '' ? '' : fieldLabel(name);
  return { label, rule: withSubject(label, problemInPageWords({ ...problem, code }).message) };
}

/** Returns the problem as a sentence that names its field. */
export function problemText(problem: Problem): string {
  const { label, rule } = labelAndRule(problem);
  return label === '' || rule.startsWith(label) ? rule : `${label}: ${rule}`;
}

/** Returns the problem of a cell of a sheet as a sentence. `heading`: of its column, if it is not the field's name. */
export function cellProblem(column: string, message: string, heading = column): string {
  const label = column !== '' && heading === column ? fieldLabel(column) : heading;
  return withSubject(label, sentence(ruleOf({ field: column, message })));
}

/** A rule is a request ("Enter a number…"), or has the field as its subject: "Is required." becomes "Title is required." */
function withSubject(label: string, rule: string): string {
  if (label === '') return rule;
  return rule.replace(/^(?:Is|Has|Lost|Must|Repeats) /, (verb) => {
    return `${label} ${verb === 'Is ' && label.endsWith('s') ? 'are ' : verb.toLowerCase()}`;
  });
}
