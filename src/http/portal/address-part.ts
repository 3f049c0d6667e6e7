/** Decodes the value in a call's URL and merges it into the fields of the body. */
import { readBodyValue, type SentBody } from '../../domain/body-text.ts';
import { isObject } from '../../domain/check/compile.ts';
import { type Problem, requestProblem } from '../../domain/problem.ts';
import { hasForbiddenCharacter } from '../../domain/text.ts';

export function decodePart(raw: string): { readonly value: string } | { readonly problem: Problem } {
  try {
    const value = decodeURIComponent(raw);
    if (!hasForbiddenCharacter(value)) return { value };
  } catch {
    // The error is reported below.
  }
  return { problem: requestProblem('query_invalid', 'The path must be percent-encoded UTF-8 without NUL.') };
}

/** The URL takes precedence over the body. A body that is not an object stays unchanged and is refused later. */
export function withPart(body: SentBody, field: string, value: string): SentBody {
  if (!isObject(body.value)) return body;
  const { problems } = readBodyValue({ [field]: value });
  return { value: { ...body.value, [field]: value }, problems: [...problems, ...body.problems] };
}
