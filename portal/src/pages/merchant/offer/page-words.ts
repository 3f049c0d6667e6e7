/** Says the server's problems and remedies in the words of the page: labels instead of field names, no ids. */
import { ApiError, type Problem } from '../../../api/problem.ts';
import { LABELS } from './data-fields.ts';

/** Where the server's rule would not tell a merchant what to do. */
const TEXTS: Readonly<Record<string, string>> = {
  required: 'Enter a value.',
  bad_url: 'Enter a full URL that starts with https:// or http://.',
  product_code_required: 'Add a product code, or enter an ASIN.',
  browse_node_unknown: 'This category no longer exists. Choose another one.',
  service_required: 'Choose a service level or a shipping method.',
};

/** The same error, with each problem of a field in the words of the page. */
export function inPageWords(error: Error | null): Error | null {
  if (!(error instanceof ApiError)) return error;
  return new ApiError(error.status, error.problems.map(problemInPageWords));
}

function problemInPageWords(problem: Problem): Problem {
  const { code, field, message } = problem;
  if (field === '') return problem;
  // The server starts with the field's path: `standard_product_codes[0].standard_product_code: must have 12 digits`.
  const rule = message.replace(/^[\w.[\]]+: /, '').replace(/, not (?:a |an )?\w+$/, '');
  return { ...problem, message: TEXTS[code] ?? sentence(withLabels(rule)) };
}

/** Replaces field names by their labels, and leaves out the ids of attributes: `Color (12) is required`. */
export function withLabels(text: string): string {
  return text
    .replace(/ \(\d+\)/g, '')
    .replace(/\b[a-zA-Z]+(?:_[a-zA-Z0-9]+)+\b/g, (name) => LABELS.get(name) ?? name.replaceAll('_', ' '));
}

function sentence(text: string): string {
  const end = /[.!?]$/.test(text) ? '' : '.';
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${end}`;
}
