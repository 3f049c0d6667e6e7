/** Defines an endpoint: its path, its documentation, and its handler. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Person } from '../access/portal/portal-sessions.ts';
import type { LinkPurpose } from '../access/tokens/signed-links.ts';
import type { Account, Environment } from '../domain/account.ts';
import type { Author } from '../domain/author.ts';
import type { SentBody } from '../domain/body-text.ts';
import type { TSchema } from '../domain/check/type.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Names } from '../domain/names.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { Precondition } from '../domain/precondition.ts';
import type { Problem } from '../domain/problem.ts';
import type { KeyRights, ScopeSet } from '../domain/setup/key-scopes.ts';
import type { PortalRole } from '../domain/vocabulary/portal-roles.ts';
import type { SentFile } from '../operations/files/receive-upload.ts';
import type { DryRun } from '../operations/offers/dry-run.ts';
import type { KeyedWrite } from '../operations/offers/write.ts';
import type { Services } from './services.ts';

export type Method = 'GET' | 'PUT' | 'PATCH' | 'POST' | 'DELETE';

/** A request to an endpoint, after all checks that come before its body. */
export interface Call {
  readonly services: Services;
  /** The SKU id in the path, decoded; '' without one. */
  readonly skuId: string;
  /** What else the path names, decoded: the id of a file, a webhook, a merchant and so on, or an email address; '' without one. */
  readonly targetId: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** Its value is null if the endpoint takes no body. */
  readonly body: SentBody;
  /** The precondition of a write to an endpoint that is `versioned`. */
  readonly precondition: Precondition | undefined;
}

/** A request from a merchant's program, or from one of its users in the portal. */
export interface MerchantCall extends Call {
  readonly account: Account;
  /** The author that the history names for its changes. */
  readonly by: Author;
  /** What the API key may do; undefined for a user of the portal. */
  readonly key: KeyRights | undefined;
  /** The id of the change in the history that the path names; '' without one. */
  readonly changeId: string;
  /** Set for a repeat whose first run may have written: the sequence number of that run (see `WriteConditions`). */
  readonly firstRunNumber: number | undefined;
  /** Set if the call stores its Idempotency-Key itself (`storesKey`). */
  readonly keyed: KeyedWrite | undefined;
  /** Returns the UUID of what the call adds. Repeats with an Idempotency-Key get the same one, so that they add nothing twice. */
  readonly newId: () => string;
  /** Registers a function to call when the connection closes. */
  readonly whenClosed: (act: () => void) => void;
}

/** A request from a program of the marketplace. */
export interface MarketplaceCall
  extends PersonCall,
    Pick<MerchantCall, 'account' | 'by' | 'key' | 'newId' | 'whenClosed'> {}

export interface OpenCall extends Call, Pick<MerchantCall, 'whenClosed'> {
  /** The client's address. */
  readonly ip: string;
}

export interface SignedCall extends Call {
  /** The account that the URL was signed for. */
  readonly account: Account;
  /** The request body as a stream. */
  readonly sent: SentFile;
}

/** A request from a visitor of the portal, who may not be signed in. */
export interface VisitorCall extends OpenCall {
  readonly signedIn: Person | undefined;
}

/** A request from a signed-in user of the portal, or from a program of the marketplace. */
export interface PersonCall extends Call {
  readonly person: Person;
  /** The environment that the path of a portal call names, or of the API key. */
  readonly environment: Environment;
  /** The request body as a stream, for endpoints that receive a file. */
  readonly sent: SentFile;
}

/** A request that concerns one environment of the user's merchant. */
export interface AccountCall extends PersonCall {
  readonly account: Account;
  readonly whenClosed: MerchantCall['whenClosed'];
}

export type Answer = GoodAnswer | BadAnswer;

/** The account that a request comes from, and its author. A signed URL names no author. */
export interface Caller {
  readonly account: Account;
  readonly by?: Author;
  /** What the API key of the token may do. Signed URLs and portal users have no key. */
  readonly key?: KeyRights;
}

/** What the request log says of a request that made another call. */
export interface LoggedCall {
  readonly call: string;
  readonly status: number;
  readonly problems: readonly Problem[];
  /** '' if it names none. */
  readonly rawSkuId: string;
}

export interface GoodAnswer {
  /** 304 means that the client's copy is current. Only the Model Context Protocol has errors of its own. */
  readonly status: 200 | 201 | 202 | 304 | 400 | 403 | 404 | 415 | 500;
  /** JSON text. */
  readonly json?: string;
  /** The media type of `json`, if it is within another format. */
  readonly type?: string;
  readonly logged?: LoggedCall | undefined;
  /** Used instead of `json` in repeats with the same Idempotency-Key, and stored for them. It has no secrets. */
  readonly repeatedJson?: string;
  /** Used instead of `json` for content that is too large for memory. */
  readonly file?: FileBody;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON pointers for `X-Ignored-Fields`. */
  readonly ignored?: readonly string[];
  /** The account that the response concerns, for a request without a token or signed URL. */
  readonly of?: Caller | undefined;
}

export interface FileBody {
  readonly type: string;
  /** The file name that a browser suggests. */
  readonly name: string;
  /** Size of the file; undefined if it is generated while it is sent. */
  readonly bytes: number | undefined;
  /** Called once, unless the client requests only the headers. */
  readonly open: () => Readable;
}

export interface BadAnswer {
  /** The first problem decides the status. */
  readonly problems: readonly Problem[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly ignored?: readonly string[];
  /** Set when the sender is known. */
  readonly of?: Caller | undefined;
  /** Reported instead of the event that the problem code has by default. */
  readonly event?: 'bodies_overloaded';
}

export interface Documentation {
  /** The operation id in OpenAPI, and so the function name in generated clients. */
  readonly id: string;
  readonly summary: string;
  readonly tag: string;
  readonly description?: string;
  /** Set for deprecated calls, whose description names the call to use instead. */
  readonly deprecated?: true;
  readonly query?: Readonly<Record<string, Parameter>>;
  readonly requestBody?: TSchema;
  /** The body of the 200. Without it, the endpoint returns 202 without a body. */
  readonly answer?: TSchema | ((names: Names) => TSchema);
  /** Set for calls that send or receive a file. Receiving returns 201 without a body, unless the call has an `answer`. */
  readonly transfer?: Transfer;
  /** Set for calls that return an `ETag`, and 304 when the client's copy is current. */
  readonly tagged?: true;
  /** Set for calls that return the `ETag` of their part. Writes also take it as `If-Match`, and may return 412. */
  readonly versioned?: true;
  /** Error statuses in addition to the ones that every call can have. */
  readonly failures?: readonly (404 | 429)[];
}

/** Query parameters. */
export interface Parameter {
  readonly description: string;
  readonly schema: TSchema;
  readonly required?: true;
}

export interface Transfer {
  readonly direction: 'in' | 'out';
  readonly description: string;
  /** Media types of the file. */
  readonly types: readonly string[];
}

interface EndpointBase<Access extends string, C extends Call> extends Documentation {
  readonly method: Method;
  readonly path: string;
  /** Who may make the call, which decides how the sender is identified. */
  readonly access: Access;
  /** Set for health checks, which are served under any load. */
  readonly isHealthCheck?: true;
  /**
   * The call hashes passwords, runs long queries or waits for events, so the total time limit does not apply. Each store call has
   * its own limit.
   */
  readonly unhurried?: true;
  /** Portal users must have signed in at most FRESH_SIGN_IN_MINUTES ago. Calls that only preview a change are exempt. */
  readonly needsFreshSignIn?: true;
  readonly handle: (call: C) => Promise<Answer> | Answer;
}

export interface MerchantEndpoint extends EndpointBase<'merchant', MerchantCall> {
  /** The scopes that an API key needs for the call; all of them. */
  readonly needs: ScopeSet;
  /**
   * The offers that the call concerns, if not only the SKU in its path. A key with a SKU prefix may make calls that concern its own SKUs
   * or none.
   */
  readonly concerns?: 'no_offers' | 'several_skus';
  /** Tries the call without storing anything, for `dry_run=true`. */
  readonly dryRun?: (call: MerchantCall) => Promise<Outcome<DryRun>>;
  /** Returns the entry in the activity log, for a call that is recorded for merchants too. The number of such calls is limited. */
  readonly act?: (call: MerchantCall, answer: GoodAnswer) => ActWords;
  /** Whether it is a write that can store its Idempotency-Key itself. */
  readonly storesKey?: true;
}

/** A call for programs of the marketplace. */
export interface MarketplaceEndpoint
  extends EndpointBase<'marketplace', MarketplaceCall>,
    Pick<PersonEndpoint, 'act' | 'isRecorded'> {
  /** The scope that an API key needs for the call. */
  readonly needs: ScopeSet;
}

/** An endpoint that needs no token. */
export type OpenEndpoint = EndpointBase<'open', OpenCall>;

/** An endpoint that needs no token, but a URL that was signed for one account. */
export interface SignedEndpoint extends EndpointBase<'signed', SignedCall> {
  readonly purpose: LinkPurpose;
}

/** A call of the portal. Its path is below `/portal/api`. */
export type VisitorEndpoint = EndpointBase<'visitor', VisitorCall>;

/** A call for signed-in users with these roles. */
export interface PersonEndpoint extends EndpointBase<'person', PersonCall> {
  readonly roles: readonly PortalRole[];
  /**
   * The call affects only the user's own session or account. It is allowed while the merchant is suspended, and is in the activity log only
   * if it has an `act`.
   */
  readonly ofOneself?: true;
  /** Set for calls that a person may make while a passkey is due. */
  readonly beforePasskey?: true;
  /** Set for changes that an operator who views as a merchant may make. */
  readonly endsView?: true;
  /**
   * Returns the entry in the activity log when an operator calls it. `none` means that it is not a change. By default,
   * record-act.ts derives the entry.
   */
  readonly act?: 'none' | ((call: PersonCall, answer: GoodAnswer) => ActWords);
  /** Returns false for a call that only previews a change. By default, every change is recorded. */
  readonly isRecorded?: (call: PersonCall) => boolean;
}

/** The target of an action, and a short description; never a secret. */
export interface ActWords {
  readonly subject: string;
  readonly detail: string;
}

/** A portal call about one account: below `/portal/api/test` and `/portal/api/live`. Only admins of the merchant may make changes. */
export type AccountEndpoint = EndpointBase<'account', AccountCall>;

export type Endpoint = MerchantEndpoint | MarketplaceEndpoint | OpenEndpoint | SignedEndpoint;

export type PortalEndpoint = VisitorEndpoint | PersonEndpoint | AccountEndpoint;

export type AnyEndpoint = Endpoint | PortalEndpoint;

/** Whether the call needs a token. */
export function needsKey(endpoint: AnyEndpoint | undefined): endpoint is MerchantEndpoint | MarketplaceEndpoint {
  return endpoint?.access === 'merchant' || endpoint?.access === 'marketplace';
}

type EndpointWith<Access extends AnyEndpoint['access']> = Extract<AnyEndpoint, { readonly access: Access }>;

/** What an entry of a table states. It may replace a field of `Shared`. */
type Entry<E extends AnyEndpoint, Shared> = Omit<E, 'method' | 'path' | keyof Shared> &
  Partial<Omit<E, 'method' | 'path'>>;

/** Returns the endpoints of a table by method and path, such as `GET /files`, in its order. They have the fields of `shared` in common. */
export function endpointsOf<Shared extends Partial<AnyEndpoint> & Pick<AnyEndpoint, 'access'>>(
  shared: Shared,
  table: Readonly<Record<`${Method} /${string}`, Entry<EndpointWith<Shared['access']>, Shared>>>,
): readonly EndpointWith<Shared['access']>[] {
  return Object.entries(table).map(([name, entry]) => {
    const [method, path] = name.split(' ');
    return { ...(shared as object), ...(entry as object), method, path } as EndpointWith<Shared['access']>;
  });
}

/**
 * The size limit of the body. Anyone can send a body to an open call, so open calls accept only as much as a sign-in
 * needs.
 */
export function bodyBytesMax({ access }: AnyEndpoint): number {
  return access === 'open' || access === 'visitor' ? LIMITS.open_body_bytes_max : LIMITS.body_bytes_max;
}

export const SKU_PLACEHOLDER = '{user_defined_sku_id}';
