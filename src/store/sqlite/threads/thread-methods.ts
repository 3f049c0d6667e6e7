/**
 * Derives methods of the store from calls to a store thread, which finds them by a name such as `offers.putPrice`.
 *
 * Structured clone takes three times as long for nested arguments (3.6 us instead of 1.2 us for a price), so the hot writes
 * flatten theirs.
 */
import { charactersIn } from '../../shared/call-sizes.ts';
import type { ThreadClient } from './thread-client.ts';
import type { Lane } from './thread-messages.ts';

type MethodOf<Service, Prefix extends string, Name extends string> = Service[`${Prefix}.${Name}` & keyof Service];
type Pack = (...args: never[]) => readonly unknown[];

export type Named<Prefix extends string, Methods> = {
  readonly [Name in keyof Methods & string as `${Prefix}.${Name}`]: Methods[Name];
};

/** For the thread: its methods under the names by which they are called. */
export function named<Prefix extends string, Methods extends object>(
  prefix: Prefix,
  methods: Methods,
): Named<Prefix, Methods> {
  return Object.fromEntries(Object.entries(methods).map(([name, method]) => [`${prefix}.${name}`, method])) as never;
}

/** Methods whose arguments are sent as they are. */
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
  return derived(thread, prefix, Object.fromEntries(names.map((name) => [name, (...args) => args])), lane) as never;
}

/** Methods whose arguments are flattened first. */
export function packedCalls<
  Service extends object,
  Prefix extends string,
  Packs extends Readonly<Record<string, Pack>>,
>(
  thread: ThreadClient<Service>,
  prefix: Prefix,
  packs: Packs,
): {
  readonly [Name in keyof Packs & string]: MethodOf<Service, Prefix, Name> extends (...args: infer Args) => infer Result
    ? ReturnType<Packs[Name]> extends Readonly<Args>
      ? (...args: Parameters<Packs[Name]>) => Promise<Awaited<Result>>
      : never
    : never;
} {
  return derived(thread, prefix, packs, undefined) as never;
}

function derived<Service extends object>(
  thread: ThreadClient<Service>,
  prefix: string,
  packs: Readonly<Record<string, Pack>>,
  lane: Lane | undefined,
): Record<string, (...args: never[]) => unknown> {
  const methods = Object.entries(packs).map(([method, pack]) => {
    const name = `${prefix}.${method}` as never;
    const call = (...args: never[]) => {
      const packed = pack(...args) as never;
      return thread.call(name, packed, charactersIn(packed), lane);
    };
    return [method, call];
  });
  return Object.fromEntries(methods);
}
