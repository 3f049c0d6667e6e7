/** Derives methods of the store from calls to a store thread, which finds them by a name such as `offers.write`. */
import { charactersIn } from '../../shared/call-sizes.ts';
import type { ThreadClient } from './thread-client.ts';
import type { Lane } from './thread-messages.ts';

type MethodOf<Service, Prefix extends string, Name extends string> = Service[`${Prefix}.${Name}` & keyof Service];

export type Named<Prefix extends string, Methods> = {
  readonly [Name in keyof Methods & string as `${Prefix}.${Name}`]: Methods[Name];
};

/** Returns the methods of a thread under the names by which other threads call them. */
export function named<Prefix extends string, Methods extends object>(
  prefix: Prefix,
  methods: Methods,
): Named<Prefix, Methods> {
  return Object.fromEntries(Object.entries(methods).map(([name, method]) => [`${prefix}.${name}`, method])) as never;
}

/** Returns methods that call a thread. */
export function calls<Service extends object, Prefix extends string, const Names extends readonly string[]>(
  thread: ThreadClient<Service>,
  prefix: Prefix,
  names: Names,
  lane?: Lane,
): {
  readonly [Name in Names[number]]: MethodOf<Service, Prefix, Name> extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
} {
  const methods = names.map((name) => {
    const method = `${prefix}.${name}` as never;
    return [name, (...args: unknown[]) => thread.call(method, args as never, charactersIn(args), lane)];
  });
  return Object.fromEntries(methods);
}
