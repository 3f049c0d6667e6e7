/** Builds the methods of an aggregate from objects and functions, without forwarding methods one by one. */

type AnyFunction = (...args: never[]) => unknown;

type Joined<Parts extends readonly object[]> = Parts extends readonly [infer First, ...infer Rest extends object[]]
  ? First & Joined<Rest>
  : unknown;

/** Returns one object with the methods of all parts. */
export function joined<Parts extends readonly object[]>(...parts: Parts): Joined<Parts> {
  return Object.fromEntries(parts.flatMap((part) => methodsIn(part))) as Joined<Parts>;
}

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

/** Returns own methods and those of the class, bound to the object. */
function methodsIn(object: object): [name: string, method: AnyFunction][] {
  const prototype = Object.getPrototypeOf(object);
  const names = new Set([
    ...Object.keys(object),
    ...(prototype === Object.prototype ? [] : Object.getOwnPropertyNames(prototype)),
  ]);
  names.delete('constructor');
  const members = object as Record<string, unknown>;
  return [...names].flatMap((name) => {
    const member = members[name];
    return typeof member === 'function' ? [[name, member.bind(object) as AnyFunction]] : [];
  });
}
