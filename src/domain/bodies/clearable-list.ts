/**
 * In charge of bodies that clear what is stored: exactly `{}`, or the list empty. Any other body without the list is
 * a mistake (a misspelt name, most likely) and must not clear anything.
 */
import { isPresent } from '../check/compile.ts';
import type { Report } from '../problem.ts';

export function requireListToClear(field: string, sent: Readonly<Record<string, unknown>>, report: Report): void {
  if (isPresent(sent[field]) || Object.keys(sent).length === 0) return;
  report.add('list_required_to_clear', 'is required; only {} or an empty list clears', field);
}
