/** Finds and decodes query parameters by name, and reports every problem with them. Unknown parameters are ignored. */
import { type Problem, type ProblemCode, requestProblem } from '../domain/problem.ts';
import { hasAtMost, hasForbiddenCharacter } from '../domain/text.ts';

export interface Range<Fallback extends number | undefined> {
  readonly min: number;
  readonly max: number;
  /** The value when the parameter is absent. */
  readonly fallback: Fallback;
}

/** Collects the problems of a query. The value of a parameter with a problem must not be used. */
export class QueryReading {
  readonly problems: Problem[] = [];
  readonly #query: string;

  constructor(query: string) {
    this.#query = query;
  }

  /** Returns undefined when the parameter is absent. */
  text(name: string): string | undefined {
    const read = textParameter(this.#query, name);
    if ('value' in read) return read.value;
    this.problems.push(read.problem);
    return undefined;
  }

  /** Returns undefined when the parameter is absent or empty, because forms send empty fields. */
  filledText(name: string): string | undefined {
    return this.text(name) || undefined;
  }

  /** Returns '' when the parameter is absent. */
  searchText(name: string, charactersMax: number): string {
    const text = this.text(name) ?? '';
    if (hasAtMost(text, charactersMax) && !hasForbiddenCharacter(text)) return text;
    this.refuse(`${name}: must have at most ${charactersMax} characters, and no NUL character.`);
    return '';
  }

  /** Reads a required parameter. `faultOf` returns the problem with its text, which is '' when the parameter is absent. */
  required(name: string, faultOf: (text: string) => string | undefined): string {
    const read = textParameter(this.#query, name);
    if ('problem' in read) {
      this.problems.push(read.problem);
      return '';
    }
    const { value = '' } = read;
    const fault = faultOf(value);
    if (fault !== undefined) this.refuse(`${name}: ${fault}.`);
    return value;
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const text = this.filledText(name);
    if (text === undefined || (values as readonly string[]).includes(text)) return text as T | undefined;
    return this.refuse(`${name}: must be one of ${values.join(', ')}.`);
  }

  wholeNumber<Fallback extends number | undefined>(name: string, range: Range<Fallback>): number | Fallback {
    const text = this.text(name);
    if (text === undefined) return range.fallback;
    const value = Number(text);
    if (/^\d{1,15}$/.test(text) && value >= range.min && value <= range.max) return value;
    this.refuse(`${name}: must be a whole number from ${range.min} to ${range.max}.`);
    return range.fallback;
  }

  refuse(message: string, code: ProblemCode = 'query_invalid'): undefined {
    this.problems.push(requestProblem(code, message));
    return undefined;
  }
}

/** The raw value of the last parameter of that name; undefined when there is none. */
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

/** Reads a parameter for logs: '' when it is absent or cannot be decoded. */
export function parameterShown(query: string, name: string): string {
  const read = textParameter(query, name);
  return 'problem' in read ? '' : (read.value ?? '');
}
