/**
 * Finds and decodes query parameters by name, and reports every problem with them. Unknown parameters are ignored. A repeated parameter is
 * a problem unless it is a list: silently using one of its values could do what the client did not ask for.
 */

import { Whole } from '../domain/check/schema.ts';
import { LIMITS } from '../domain/limits.ts';
import { type Problem, type ProblemCode, requestProblem } from '../domain/problem.ts';
import { hasAtMost, hasForbiddenCharacter } from '../domain/text/text-rules.ts';
import type { Parameter } from './endpoint.ts';

export interface Range<Fallback extends number | undefined> {
  readonly min: number;
  readonly max: number;
  /** The value when the parameter is absent. */
  readonly fallback: Fallback;
}

/** Collects the problems of a query. The value of a parameter with a problem must not be used. */
export class QueryReading {
  readonly problems: Problem[] = [];
  readonly #parameters: readonly QueryParameter[];

  constructor(query: string) {
    this.#parameters = parametersOf(query);
  }

  /** Returns undefined when the parameter is absent. */
  text(name: string): string | undefined {
    const read = onlyValue(this.#parameters, name);
    if ('value' in read) return read.value;
    this.problems.push(read.problem);
    return undefined;
  }

  /** Returns the values of a list, whose parameter may be repeated and may have several values separated by commas. */
  list(name: string): readonly string[] {
    const read = this.#parameters.filter((parameter) => parameter.name === name).map((each) => decodedValue(each));
    const problem = read.find((each) => 'problem' in each);
    if (problem !== undefined) this.problems.push(problem.problem);
    return read.flatMap((each) => ('problem' in each || each.value === '' ? [] : each.value.split(',')));
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
    const read = onlyValue(this.#parameters, name);
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

/** Returns what `read` finds in the query, or all problems with it. */
export function readQuery<T extends object>(
  query: string,
  read: (reading: QueryReading) => T,
): T | { readonly problems: readonly Problem[] } {
  const reading = new QueryReading(query);
  const found = read(reading);
  return reading.problems.length === 0 ? found : { problems: reading.problems };
}

/** A parameter with its decoded name and its raw value. */
interface QueryParameter {
  readonly name: string;
  readonly raw: string;
}

/** A name that is not percent-encoded UTF-8 stays as it is. */
export function parametersOf(query: string): readonly QueryParameter[] {
  if (query === '') return [];
  return query.split('&').map((part) => {
    const mark = part.indexOf('=');
    const name = mark === -1 ? part : part.slice(0, mark);
    return { name: decoded(name) ?? name, raw: mark === -1 ? '' : part.slice(mark + 1) };
  });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function decodedValue({ name, raw }: QueryParameter): { value: string } | { problem: Problem } {
  const value = decoded(raw);
  return value === undefined ? { problem: queryProblem(`${name}: must be percent-encoded UTF-8.`) } : { value };
}

function onlyValue(
  parameters: readonly QueryParameter[],
  name: string,
): { value: string | undefined } | { problem: Problem } {
  const [first, ...others] = parameters.filter((parameter) => parameter.name === name);
  if (first === undefined) return { value: undefined };
  return others.length > 0 ? { problem: queryProblem(`${name}: must be sent only once.`) } : decodedValue(first);
}

export function textParameter(query: string, name: string): { value: string | undefined } | { problem: Problem } {
  return onlyValue(parametersOf(query), name);
}

export function queryProblem(message: string): Problem {
  return requestProblem('query_invalid', message);
}

/** Reads a parameter for logs: '' when it is absent or cannot be decoded. */
export function parameterShown(query: string, name: string): string {
  const read = textParameter(query, name);
  return 'problem' in read ? '' : (read.value ?? '');
}

const OFFSET = { min: 0, max: LIMITS.count_max, fallback: 0 };
export const LIST_LIMIT = Object.freeze({ min: 1, max: LIMITS.list_limit_max, fallback: LIMITS.list_limit_default });

/** Describes the parameter that limits a page. */
export function limitParameter({ min, max, fallback }: Range<number>): Parameter {
  return { description: `Maximum number of results. The default is ${fallback}.`, schema: Whole(min, max) };
}

export const PAGE_QUERY = Object.freeze({
  offset: { description: 'Number of entries to skip.', schema: Whole(OFFSET.min, OFFSET.max) },
  limit: {
    description: `Maximum number of entries to return. The default is ${LIST_LIMIT.fallback}.`,
    schema: Whole(LIST_LIMIT.min, LIST_LIMIT.max),
  },
}) satisfies Readonly<Record<string, Parameter>>;

export function readListPage(reading: QueryReading): { readonly offset: number; readonly limit: number } {
  return { offset: reading.wholeNumber('offset', OFFSET), limit: reading.wholeNumber('limit', LIST_LIMIT) };
}
