/** Builds the methods of an aggregate from functions, without forwarding methods one by one. */

/** Returns the functions with their first argument bound. */
export function boundTo<First, Functions extends Readonly<Record<string, (first: First, ...rest: never[]) => unknown>>>(
  first: First,
  functions: Functions,
): {
  readonly [Name in keyof Functions]: Functions[Name] extends (first: First, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
} {
  const bound = Object.entries(functions).map(([name, run]) => [name, (...rest: never[]) => run(first, ...rest)]);
  return Object.fromEntries(bound);
}
