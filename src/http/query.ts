/** In charge of query parameters: finds one by name and decodes it; parameters nobody asks for are ignored. */
import { type Problem, requestProblem } from '../domain/problem.ts';

/** The last parameter of that name, raw; undefined when there is none. */
function rawParameter(query: string, name: string): string | undefined {
  return query
    .split('&')
    .filter((part) => part === name || part.startsWith(`${name}=`))
    .at(-1)
    ?.slice(name.length + 1);
}

export function textParameter(query: string, name: string): { value: string | undefined } | { problem: Problem } {
  const raw = rawParameter(query, name);
  if (raw === undefined) return { value: undefined };
  try {
    return { value: decodeURIComponent(raw.replaceAll('+', ' ')) };
  } catch {
    return { problem: requestProblem('query_invalid', `${name}: must be percent-encoded UTF-8.`) };
  }
}

export function wholeNumberParameter<Fallback extends number | undefined>(
  query: string,
  name: string,
  range: { min: number; max: number; fallback: Fallback },
): { value: number | Fallback } | { problem: Problem } {
  const read = textParameter(query, name);
  if ('problem' in read) return read;
  if (read.value === undefined) return { value: range.fallback };
  const value = Number(read.value);
  if (/^\d{1,15}$/.test(read.value) && value >= range.min && value <= range.max) return { value };
  const rule = `${name}: must be a whole number from ${range.min} to ${range.max}.`;
  return { problem: requestProblem('query_invalid', rule) };
}

/** For people who read of the request later: '' where it is absent or cannot be decoded. */
export function parameterShown(query: string, name: string): string {
  const read = textParameter(query, name);
  return 'problem' in read ? '' : (read.value ?? '');
}
