/**
 * Derives methods of the store from calls to a store thread, which finds them by a name such as `offers.putPrice`.
 *
 * Structured clone takes three times as long for nested arguments (3.6 us instead of 1.2 us for a price): the hot writes
 * have a function that flattens theirs.
 */
import { methodsIn } from '../../shared/methods.ts';
import { charactersIn } from '../engine/shared-commands.ts';
import type { ThreadClient } from './thread-client.ts';

type AnyFunction = (...args: never[]) => unknown;
type MethodOf<Service, Prefix extends string, Name extends string> = Service[`${Prefix}.${Name}` & keyof Service];
type Packs = Readonly<Record<string, (...args: never[]) => readonly unknown[]>>;

/** `behind`: after the calls that people wait for (see lanes.ts). */
type Lane = 'call' | 'callBehind';

export type Named<Prefix extends string, Methods> = {
  readonly [Name in keyof Methods & string as `${Prefix}.${Name}`]: Methods[Name];
};

/** For the thread: its methods under the names by which they are called. */
export function named<Prefix extends string, Methods extends object>(
  prefix: Prefix,
  methods: Methods,
): Named<Prefix, Methods> {
  const byName = methodsIn(methods).map(([name, method]) => [`${prefix}.${name}`, method]);
  return Object.fromEntries(byName);
}

/** Methods whose arguments are sent as they are. */
export function calls<Service extends object, Prefix extends string, const Names extends readonly string[]>(
  thread: ThreadClient<Service>,
  prefix: Prefix,
  names: Names,
  lane: Lane = 'call',
): {
  readonly [Name in Names[number]]: MethodOf<Service, Prefix, Name> extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
} {
  const asTheyAre = (...args: never[]) => args;
  return derived(thread, prefix, Object.fromEntries(names.map((name) => [name, asTheyAre])), lane) as never;
}

/** Methods whose arguments are flattened first. */
export function packedCalls<Service extends object, Prefix extends string, Table extends Packs>(
  thread: ThreadClient<Service>,
  prefix: Prefix,
  packs: Table,
): {
  readonly [Name in keyof Table & string]: MethodOf<Service, Prefix, Name> extends (...args: infer Args) => infer Result
    ? ReturnType<Table[Name]> extends Readonly<Args>
      ? (...args: Parameters<Table[Name]>) => Promise<Awaited<Result>>
      : never
    : never;
} {
  return derived(thread, prefix, packs, 'call') as never;
}

function derived<Service extends object>(
  thread: ThreadClient<Service>,
  prefix: string,
  packs: Readonly<Record<string, AnyFunction>>,
  lane: Lane,
): Record<string, AnyFunction> {
  const methods = Object.entries(packs).map(([method, pack]) => {
    const name = `${prefix}.${method}` as never;
    return [
      method,
      lane === 'call'
        ? (...args: never[]) => {
            const packed = pack(...args) as never;
            return thread.call(name, packed, charactersIn(packed));
          }
        : (...args: never[]) => {
            const packed = pack(...args) as never;
            return thread.callBehind(name, packed, charactersIn(packed));
          },
    ];
  });
  return Object.fromEntries(methods);
}
