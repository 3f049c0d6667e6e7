/**
 * Finds the route for a request line. Node has already refused raw non-ASCII bytes.
 *
 * Fixed words match in any letter case, with or without a trailing slash and with or without `/api` in front. The value
 * of a `{placeholder}` keeps its bytes and is decoded later, after the token was checked. A fixed word takes precedence
 * over a value. A general-purpose router would decode first (and reject before authentication), collapse double
 * slashes, or limit the length of the value.
 */

export interface Route {
  /**
   * A path has at most two placeholders, each after a fixed word: `/merchant-skus/{user_defined_sku_id}/price`. The second placeholder has
   * the same position in all routes.
   */
  readonly path: string;
}

export interface Address<R extends Route> {
  /** The matching route; undefined when there is none. */
  readonly route: R | undefined;
  /** The raw value of the placeholder. */
  readonly value: string;
  /** The raw value of the second placeholder. */
  readonly secondValue: string;
  /** The text after the question mark. */
  readonly query: string;
}

const PLACEHOLDER = '*';

/** Builds the function that finds routes. Routes with the same path (one per method) count as one. */
export function createAddressBook<R extends Route>(routes: readonly R[]): (url: string) => Address<R> {
  const fixed = new Map<string, R>();
  const byPattern = new Map<string, R>();
  for (const route of routes) {
    const pattern = segmentsOf(route.path).map((word) => (word.startsWith('{') ? PLACEHOLDER : word.toLowerCase()));
    const known = pattern.includes(PLACEHOLDER) ? byPattern : fixed;
    if (!known.has(pattern.join('/'))) known.set(pattern.join('/'), route);
  }
  // The fixed words that lead to a placeholder.
  const leads = new Set([...byPattern.keys()].flatMap((pattern) => pattern.split(`/${PLACEHOLDER}`, 2).slice(0, -1)));
  const secondAt = Math.max(-1, ...Array.from(byPattern.keys(), (pattern) => placeOfSecond(pattern.split('/'))));
  const leadWords_max = Math.max(0, ...Array.from(leads, (lead) => lead.split('/').length));

  const findPlain = createPlainFinder(routes);

  return (url) => {
    const plain = findPlain(url);
    if (plain !== undefined) return plain;
    const mark = url.indexOf('?');
    const query = mark === -1 ? '' : url.slice(mark + 1);
    const segments = segmentsOf(mark === -1 ? url : url.slice(0, mark));
    const words = segments.map((word) => word.toLowerCase());
    const route = fixed.get(words.join('/'));
    if (route !== undefined) return { route, value: '', secondValue: '', query };
    const at = placeOfValue(words);
    if (at !== -1) words[at] = PLACEHOLDER;
    const value = segments[at] ?? '';
    const found = byPattern.get(words.join('/'));
    if (found !== undefined || secondAt === -1) return { route: found, value, secondValue: '', query };
    const secondValue = segments[secondAt] ?? '';
    words[secondAt] = PLACEHOLDER;
    return { route: byPattern.get(words.join('/')), value, secondValue, query };
  };

  /** Returns the index of the placeholder's value, after the longest match of fixed words; -1 if there is none. */
  function placeOfValue(words: readonly string[]): number {
    for (let count = Math.min(leadWords_max, words.length - 1); count > 0; count--) {
      if (leads.has(words.slice(0, count).join('/'))) return count;
    }
    return -1;
  }
}

/** Returns the index of the second placeholder; -1 if there is none. */
function placeOfSecond(pattern: readonly string[]): number {
  return pattern.indexOf(PLACEHOLDER, pattern.indexOf(PLACEHOLDER) + 1);
}

/**
 * The fast path for `/words/value/rest` in the documented spelling, which nearly every request uses. It makes a few comparisons instead of
 * splitting the URL, and takes a tenth of the time.
 */
function createPlainFinder<R extends Route>(routes: readonly R[]): (url: string) => Address<R> | undefined {
  const byPrefix = new Map<string, Map<string, R>>();
  for (const route of routes) {
    const [, prefix, rest] = /^((?:\/[^/{]+)+\/)\{\w+\}([^{]*)$/.exec(route.path) ?? [];
    if (prefix === undefined || rest === undefined) continue;
    // Skips this route: its value could be a fixed word of another route.
    if (routes.some(({ path }) => path.startsWith(prefix) && path[prefix.length] !== '{')) continue;
    const byRest = byPrefix.get(prefix) ?? new Map<string, R>();
    if (!byRest.has(rest)) byPrefix.set(prefix, byRest.set(rest, route));
  }

  // Iterating over a map would allocate a pair for each prefix and request.
  const prefixes = Array.from(byPrefix, ([prefix, byRest]) => ({ prefix, byRest }));
  return (url) => {
    for (const { prefix, byRest } of prefixes) {
      if (!url.startsWith(prefix)) continue;
      const slash = url.indexOf('/', prefix.length);
      const end = slash === -1 ? url.length : slash;
      const route = byRest.get(url.slice(end));
      const value = url.slice(prefix.length, end);
      // A query takes the general path.
      if (route !== undefined && value !== '' && !value.includes('?'))
        return { route, value, secondValue: '', query: '' };
    }
    return undefined;
  };
}

/** Returns the parts between the slashes, without leading slashes, `/api` and one trailing slash. */
function segmentsOf(path: string): string[] {
  let start = skipSlashes(path, afterOrigin(path));
  if (path.slice(start, start + 3).toLowerCase() === 'api' && (path.length === start + 3 || path[start + 3] === '/')) {
    start = skipSlashes(path, start + 3);
  }
  const end = path.length > start && path.endsWith('/') ? path.length - 1 : path.length;
  return path.slice(start, end).split('/');
}

function skipSlashes(path: string, from: number): number {
  let at = from;
  while (path[at] === '/') at++;
  return at;
}

/** Proxies may send `http://host/path`; the host is ignored. */
function afterOrigin(path: string): number {
  return path.startsWith('/') ? 0 : (/^https?:\/\/[^/]*/i.exec(path)?.[0].length ?? 0);
}
