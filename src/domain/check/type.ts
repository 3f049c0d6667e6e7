/**
 * Builds JSON Schemas that carry the type of their values. It has the part of TypeBox's `Type` that the server uses: loading the
 * 370 modules of that package took a third of the CPU time of a server's start, and two thirds of a command's.
 */

/** `T` is the type of the values; only the compiler sees it. */
export interface TSchema<T = unknown> {
  readonly '~type'?: T;
}

export interface TObject<P extends Fields = Fields> extends TSchema<ObjectOf<P>> {
  readonly properties: P;
}

interface TUnion<T> extends TSchema<T> {
  readonly anyOf: readonly TSchema[];
}

type TOptional<S> = S & { readonly '~optional': true };

/** The type of the values of a schema. */
export type Static<S extends TSchema> = S extends TSchema<infer T> ? T : never;

type Fields = Readonly<Record<string, TSchema>>;
type ObjectOf<P> = Flat<
  { [K in keyof P as P[K] extends TOptional<unknown> ? never : K]: ValueOf<P[K]> } & {
    [K in keyof P as P[K] extends TOptional<unknown> ? K : never]?: ValueOf<P[K]>;
  }
>;
type Flat<T> = { [K in keyof T]: T[K] };
type ValueOf<S> = S extends TSchema<infer T> ? T : never;
type Needed<S> = S extends TOptional<infer T> ? T : S;

/** The schemas of optional fields. If a property marked them instead, it would appear in the OpenAPI document. */
const optional = new WeakSet<object>();

const plain =
  <T>(type: string) =>
  (options: object = {}) =>
    ({ type, ...options }) as TSchema<T>;

function objectOf<P extends Fields>(properties: P, options: object = {}): TObject<P> {
  const required = Object.keys(properties).filter((name) => !optional.has(properties[name] as TSchema));
  return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options } as TObject<P>;
}

function asOptional<S extends TSchema>(schema: S): TOptional<S> {
  const copy = { ...schema };
  optional.add(copy);
  return copy as TOptional<S>;
}

function mapped<P extends Fields>({ properties }: TObject<P>, change: (schema: TSchema) => TSchema): TObject<never> {
  return objectOf(
    Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, change(schema)])),
  ) as TObject<never>;
}

export const Type = Object.freeze({
  Object: objectOf,
  String: plain<string>('string'),
  Boolean: plain<boolean>('boolean'),
  Integer: plain<number>('integer'),
  Number: plain<number>('number'),
  Null: plain<null>('null'),
  Array: <S extends TSchema>(items: S, options: object = {}): TSchema<Static<S>[]> & { readonly items: S } => {
    return { type: 'array', items, ...options } as TSchema<Static<S>[]> & { readonly items: S };
  },
  Union: <S extends TSchema>(anyOf: readonly S[], options: object = {}): TUnion<Static<S>> => ({ anyOf, ...options }),
  IsUnion: (schema: TSchema): schema is TUnion<unknown> => 'anyOf' in schema,
  /** A schema as given, with the type that the caller names. */
  Unsafe: <T>(schema: object): TSchema<T> => ({ ...schema }),
  Optional: asOptional,
  Required: <P extends Fields>(schema: TObject<P>): TObject<{ [K in keyof P]: Needed<P[K]> & TSchema }> => {
    return mapped(schema, (property) => ({ ...property }));
  },
  Partial: <P extends Fields>(schema: TObject<P>): TObject<{ [K in keyof P]: TOptional<P[K]> }> => {
    return mapped(schema, asOptional);
  },
});
