/** Checks bodies that clear a part. Only `{}` or an empty list clears it; a body with a misspelled field must not. */
import { isPresent } from '../check/compile.ts';
import type { BodySchema } from '../check/schema.ts';
import type { TSchema } from '../check/type.ts';
import type { Report } from '../problem.ts';

type Rule = (clean: unknown, sent: Readonly<Record<string, unknown>>, report: Report) => void;

/** Returns the rule for a body with one field. */
export function requireFieldToClear(body: TSchema): Rule {
  const [[field, { type }]] = Object.entries((body as BodySchema).properties ?? {}) as [[string, BodySchema]];
  const text = `is required. To clear, send {}${type === 'array' ? ' or an empty list' : ''}`;
  return (_clean, sent, report) => {
    if (!isPresent(sent[field]) && Object.keys(sent).length > 0) report.add('list_required_to_clear', text, field);
  };
}
