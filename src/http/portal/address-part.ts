/** In charge of what stands in the address of a call and not in its body: decoded, and put beside the body's fields. */
import { readBodyValue, type SentBody } from '../../domain/body-text.ts';
import { isObject } from '../../domain/check/compile.ts';
import { type Problem, requestProblem } from '../../domain/problem.ts';
import { hasForbiddenCharacter } from '../../domain/text.ts';

export function decodePart(raw: string): { readonly value: string } | { readonly problem: Problem } {
  try {
    const value = decodeURIComponent(raw);
    if (!hasForbiddenCharacter(value)) return { value };
  } catch {
    // Said below.
  }
  return { problem: requestProblem('query_invalid', 'The address must be percent-encoded UTF-8, without NUL.') };
}

/** What the address says comes before what the body says. A body that is no object stays what it is, to be refused. */
export function withPart(body: SentBody, field: string, value: string): SentBody {
  if (!isObject(body.value)) return body;
  const { problems } = readBodyValue({ [field]: value });
  return { value: { ...body.value, [field]: value }, problems: [...problems, ...body.problems] };
}
