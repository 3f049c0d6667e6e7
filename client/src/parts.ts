/** Reads and writes the parts of an offer. The methods are generated from two tables, with the types of the OpenAPI document. */
import type { paths } from './schema.d.ts';
import { ignoredFieldsOf, pathTo, type Session } from './session.ts';
import type { AnswerOf, BodyOf, DryRunAnswer, Sku } from './types.ts';

/** Options of writes. The client adds the idempotency key itself. */
export interface WriteOptions {
  /** Stores nothing, and returns what the write would change. */
  readonly dryRun?: true;
  /** The write is refused with status 412 unless the part still has this tag, from a read or an earlier write. */
  readonly ifMatch?: string | undefined;
  /** The write is refused with status 412 if the part exists. */
  readonly ifNoneMatch?: '*';
  readonly signal?: AbortSignal;
}

/** Result of a write that was stored. */
export interface Written {
  /** The new tag of the part, for the next conditional write; undefined if the server does not send it. */
  readonly tag: string | undefined;
  /** JSON pointers of fields that the server does not know and did not store, such as misspelled ones. */
  readonly ignoredFields: readonly string[];
}

/** With `dryRun: true`, what the write would change. */
export type WriteResult<Options extends WriteOptions> = Options extends { readonly dryRun: true }
  ? DryRunAnswer
  : Written;

/** A part of an offer with its tag, for a conditional write. */
export interface Tagged<Value> {
  readonly value: Value;
  readonly tag: string | undefined;
}

/** `list` is a list that every stored part has. Some servers return 200 for a part that was never sent, without this list. */
export const READS = {
  getSku: { path: '' },
  /** Reads all parts of an offer at once, with status and issues. Change it, and send it with its tag to `putOffer`. */
  getOffer: { path: '/offer' },
  getPrice: { path: '/price' },
  getInventory: { path: '/inventory' },
  getVariation: { path: '/variation', list: 'variation_refinements' },
  getShippingException: { path: '/shippingexception', list: 'fulfillment_nodes' },
  getReturnsException: { path: '/returnsexception', list: 'return_location_ids' },
  /** Reads why the offer is for sale or not. */
  getReview: { path: '/review' },
} as const satisfies Readonly<Record<string, { readonly path: string; readonly list?: string }>>;

export const WRITES = {
  putSku: { method: 'put', path: '' },
  /** Uploads a shoe SKU, with `product_type_id`. */
  putSkuV2: { method: 'put', path: '/v2' },
  /** Writes several parts of an offer at once: all are stored, or none. Its tag covers all parts. `ifNoneMatch` needs a body with `sku`. */
  putOffer: { method: 'put', path: '/offer' },
  putPrice: { method: 'put', path: '/price' },
  /** Sets the quantity at the given nodes; others keep theirs. */
  patchInventory: { method: 'patch', path: '/inventory' },
  putVariation: { method: 'put', path: '/variation' },
  putShippingException: { method: 'put', path: '/shippingexception' },
  putReturnsException: { method: 'put', path: '/returnsexception' },
} as const;

type Reads = typeof READS;
type Writes = typeof WRITES;

/** The body of a call, if the document has this path and method. */
type Sent<Address extends keyof paths, Method> = Method extends keyof paths[Address] ? BodyOf<Address, Method> : never;

type PartReads = {
  readonly [Name in keyof Reads]: (
    sku: string,
  ) => Promise<Tagged<AnswerOf<`${Sku}${Reads[Name]['path']}`, 'get'>> | undefined>;
};
type PartWrites = {
  readonly [Name in keyof Writes]: <const Options extends WriteOptions = Record<never, never>>(
    sku: string,
    body: Sent<`${Sku}${Writes[Name]['path']}`, Writes[Name]['method']>,
    options?: Options,
  ) => Promise<WriteResult<Options>>;
};

class Parts {
  readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }
}

for (const [name, { path, ...rest }] of Object.entries(READS)) {
  const list = 'list' in rest ? rest.list : undefined;
  define(name, (session, sku) => readPart(session, skuPath(sku, path), list));
}
for (const [name, { method, path }] of Object.entries(WRITES)) {
  define(name, (session, sku, body, options) =>
    writePart(session, method.toUpperCase(), skuPath(sku, path), body, options),
  );
}

/** Has a method for each line of the tables. */
export const PartCalls = Parts as new (session: Session) => Parts & PartReads & PartWrites;

function define(
  name: string,
  call: (session: Session, sku: string, body?: unknown, options?: WriteOptions) => Promise<unknown>,
): void {
  Object.defineProperty(Parts.prototype, name, {
    configurable: true,
    writable: true,
    value(this: Parts, sku: string, body?: unknown, options?: WriteOptions) {
      return call(this.session, sku, body, options);
    },
  });
}

/** Returns undefined if the SKU, or this part of it, does not exist. */
async function readPart(session: Session, path: string, list?: string): Promise<Tagged<unknown> | undefined> {
  const answer = await session.found<Record<string, unknown> | undefined>(path);
  if (answer === undefined) return undefined;
  const { value = {}, headers } = answer;
  if (list !== undefined && !(value[list] as unknown[] | undefined)?.length) return undefined;
  return { value: withChildIds(value), tag: headers.get('etag') ?? undefined };
}

/** With `COMPATIBILITY=jet`, the server sends each child as an object, but takes only ids. */
function withChildIds(value: Readonly<Record<string, unknown>>): unknown {
  const { children_skus: children } = value;
  if (!Array.isArray(children)) return value;
  return { ...value, children_skus: children.map((child) => child.merchant_sku ?? child) };
}

export async function writePart<Options extends WriteOptions>(
  session: Session,
  method: string,
  path: string,
  body: unknown,
  options?: Options,
): Promise<WriteResult<Options>> {
  const { dryRun, ifMatch, ifNoneMatch, signal }: WriteOptions = options ?? {};
  if (options && 'ifMatch' in options && ifMatch === undefined)
    throw new TypeError('ifMatch must be a tag. Without one, the write would overwrite any change.');
  const { value, headers } = await session.call<DryRunAnswer>(method, path, {
    query: { dry_run: dryRun },
    ...(body === undefined ? {} : { body }),
    headers: {
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
    },
    ...(signal === undefined ? {} : { signal }),
  });
  const result = dryRun ? value : { tag: headers.get('etag') ?? undefined, ignoredFields: ignoredFieldsOf(headers) };
  return result as WriteResult<Options>;
}

/** Returns the path of a SKU, or of a part of it: `skuPath('a/1', '/price')`. */
export function skuPath(sku: string, part = ''): string {
  return `${pathTo`/merchant-skus/${sku}`}${part}`;
}
