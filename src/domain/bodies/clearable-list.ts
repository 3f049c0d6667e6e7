/**
 * Checks bodies that clear a list. Only `{}` or an empty list clears it; a body with a misspelled field must not.
 */
import { isPresent } from '../check/compile.ts';
import type { Report } from '../problem.ts';

export function requireListToClear(field: string, sent: Readonly<Record<string, unknown>>, report: Report): void {
  if (isPresent(sent[field]) || Object.keys(sent).length === 0) return;
  report.add('list_required_to_clear', 'is required. To clear, send {} or an empty list', field);
}
