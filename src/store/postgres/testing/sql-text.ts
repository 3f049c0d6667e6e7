/** Parses only as much of SQL as the rules need: words, and the contents of parentheses. */

/** A word in lower case, or the contents of a pair of parentheses. */
export type Part = string | readonly Part[];

const COMMENTS = /--.*$|\/\*[\s\S]*?\*\//gm;
const WORDS =
  /E?'(?:[^']|'')*'|"(?:[^"]|"")*"|\$\d+|[\p{L}_][\p{L}\p{N}_]*|\d+(?:\.\d+)?|::|[-+*/<>=~!@#%^&|?]+|[(),;.[\]]/giu;

/** Splits a text into statements, without semicolons. */
export function statementsOf(text: string): readonly (readonly Part[])[] {
  const words = text.replace(COMMENTS, '').match(WORDS) ?? [];
  const open: Part[][] = [[]];
  for (const word of words) {
    if (word === '(') {
      open.push([]);
    } else if (word === ')') {
      const closed = open.pop() ?? [];
      open.at(-1)?.push(closed);
    } else {
      // Strings and quoted names keep their case.
      open.at(-1)?.push(/^[E'"]?['"]/.test(word) ? word : word.toLowerCase());
    }
  }
  if (open.length !== 1) throw new Error(`The parentheses do not match in: ${text}`);
  return split(open[0] ?? [], ';').filter((parts) => parts.length > 0);
}

export function split(parts: readonly Part[], ...separators: readonly string[]): (readonly Part[])[] {
  const pieces: Part[][] = [[]];
  for (const part of parts) {
    if (typeof part === 'string' && separators.includes(part)) pieces.push([]);
    else pieces.at(-1)?.push(part);
  }
  return pieces;
}

const QUERY_STARTS = ['select', 'insert', 'update', 'delete', 'merge', 'with', 'values'];

export function isQuery(part: Part): boolean {
  return Array.isArray(part) && QUERY_STARTS.includes(part[0] as string);
}

/** Returns the query and all subqueries, each without its own subqueries, and each side of a union. */
export function queriesOf(parts: readonly Part[]): (readonly Part[])[] {
  const own = split(parts, 'union', 'intersect', 'except').map((side) => (side[0] === 'all' ? side.slice(1) : side));
  return [...own, ...parts.flatMap((part) => (Array.isArray(part) ? innerQueries(part) : []))];
}

export function innerQueries(parts: readonly Part[]): (readonly Part[])[] {
  if (isQuery(parts)) return queriesOf(parts);
  return parts.flatMap((part) => (Array.isArray(part) ? innerQueries(part) : []));
}

/** Returns the parts between `start` and the first of `ends` after it, or all that follow; undefined if `start` is missing. */
export function clause(parts: readonly Part[], start: readonly string[], ends: readonly string[]) {
  const from = parts.findIndex((_, place) => start.every((word, index) => parts[place + index] === word));
  if (from === -1) return undefined;
  const rest = parts.slice(from + start.length);
  const end = rest.findIndex((part) => typeof part === 'string' && ends.includes(part));
  return end === -1 ? rest : rest.slice(0, end);
}

/** Words before parentheses that are not functions. */
const NO_CALLS = [
  'in',
  'any',
  'all',
  'exists',
  'and',
  'or',
  'not',
  'when',
  'then',
  'else',
  'case',
  'as',
  'values',
  '=',
];

/** Returns the names of all called functions, at any depth; a subquery counts as a call of `select`. */
export function callsIn(parts: readonly Part[]): string[] {
  return parts.flatMap((part, place) => {
    if (typeof part === 'string') return [];
    const before = parts[place - 1];
    const isCall = typeof before === 'string' && /^[\p{L}_]/u.test(before) && !NO_CALLS.includes(before);
    return [...(isCall ? [before] : []), ...(isQuery(part) ? ['select'] : []), ...callsIn(part)];
  });
}
