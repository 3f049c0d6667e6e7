/** What an endpoint is: where it answers, how it is documented, and the function that answers. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { TSchema } from 'typebox';
import type { Person } from '../access/people.ts';
import type { LinkPurpose } from '../access/signed-links.ts';
import type { Account } from '../domain/account.ts';
import type { Author } from '../domain/author.ts';
import type { SentBody } from '../domain/body-text.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Names } from '../domain/names.ts';
import type { Problem } from '../domain/problem.ts';
import type { MerchantRole, PortalRole } from '../domain/vocabulary/portal-roles.ts';
import type { SentFile } from '../operations/files/take-upload.ts';
import type { Services } from './services.ts';

export type Method = 'GET' | 'PUT' | 'PATCH' | 'POST' | 'DELETE';

/** One request to an endpoint, after all checks that come before its body's meaning. */
export interface Call {
  readonly services: Services;
  /** The decoded SKU id of the address, or the raw value of another placeholder; '' where there is none. */
  readonly value: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** `null` where the endpoint takes none. */
  readonly body: SentBody;
}

/** Of a merchant's program, or of one of its people by way of the portal. */
export interface MerchantCall extends Call {
  readonly account: Account;
  /** Whom the history names for what it changes. */
  readonly by: Author;
}

export interface OpenCall extends Call {
  /** Of the client. */
  readonly ip: string;
}

export interface SignedCall extends Call {
  /** That the address was signed for. */
  readonly account: Account;
  /** The request's own bytes, as they come. */
  readonly sent: SentFile;
}

/** Of somebody who opened the portal and may not have signed in. */
export interface VisitorCall extends OpenCall {
  readonly person: Person | undefined;
}

/** Of somebody who has signed in to the portal. */
export interface PersonCall extends Call {
  readonly person: Person;
  /** The request's own bytes, as they come; for endpoints that take a file in. */
  readonly sent: SentFile;
}

/** About one environment of the person's merchant. */
export interface AccountCall extends PersonCall {
  readonly account: Account;
}

export type Answer = GoodAnswer | BadAnswer;

export interface GoodAnswer {
  /** 304: what the client has is still right. */
  readonly status: 200 | 201 | 202 | 304;
  /** JSON text. */
  readonly json?: string;
  /** In its place, what is too large to be held. */
  readonly file?: FileBody;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON pointers for `X-Ignored-Fields`. */
  readonly ignored?: readonly string[];
}

export interface FileBody {
  readonly type: string;
  /** Under which a browser keeps it. */
  readonly name: string;
  readonly bytes: number;
  /** Called once, unless the client asks for the headers alone. */
  readonly open: () => Readable;
}

export interface BadAnswer {
  /** The first one decides the status. */
  readonly problems: readonly Problem[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly ignored?: readonly string[];
  /** Reported in place of the event of the code. */
  readonly event?: 'bodies_overloaded';
}

export interface Documentation {
  /** Names the operation in OpenAPI, and so the function in generated clients. */
  readonly id: string;
  readonly summary: string;
  readonly tag: string;
  readonly description?: string;
  readonly query?: Readonly<Record<string, Parameter>>;
  readonly requestBody?: TSchema;
  /** Body of the 200; without it the endpoint answers 202 and no body. */
  readonly answer?: TSchema | ((names: Names) => TSchema);
  /** It takes a file in, with 201 and no body where it has no `answer`, or gives one out in place of an answer. */
  readonly transfer?: Transfer;
  /** It answers with an `ETag`, and with 304 where the client has the same already. */
  readonly tagged?: true;
  /** Statuses that it can answer beside those that every call can. */
  readonly failures?: readonly (400 | 404 | 429)[];
}

/** Of the query. */
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

interface EndpointBase extends Documentation {
  readonly method: Method;
  readonly path: string;
  /** It answers under any load: a server that sheds load is well. */
  readonly neverShed?: true;
}

export interface MerchantEndpoint extends EndpointBase {
  readonly access: 'merchant';
  readonly handle: (call: MerchantCall) => Promise<Answer> | Answer;
}

/** Answers without a token. */
export interface OpenEndpoint extends EndpointBase {
  readonly access: 'open';
  readonly handle: (call: OpenCall) => Promise<Answer> | Answer;
}

/** Answers without a token to an address that was signed for one account. */
export interface SignedEndpoint extends EndpointBase {
  readonly access: 'signed';
  readonly purpose: LinkPurpose;
  readonly handle: (call: SignedCall) => Promise<Answer> | Answer;
}

/** What calls of the portal may have beside. */
interface PortalEndpointBase extends EndpointBase {
  /** It hashes passwords or asks for much, which takes longer than a store may; each of its calls has its own limit of time. */
  readonly unhurried?: true;
}

/** At an address of the portal; the paths of these are below `/portal/api`. */
export interface VisitorEndpoint extends PortalEndpointBase {
  readonly access: 'visitor';
  readonly handle: (call: VisitorCall) => Promise<Answer> | Answer;
}

/** Answers people of these roles who have signed in. */
export interface PersonEndpoint extends PortalEndpointBase {
  readonly access: 'person';
  readonly roles: readonly PortalRole[];
  /** It changes nothing but the person's own way in: open while the merchant is suspended, and no act of an operator. */
  readonly ofOneself?: true;
  /** What is recorded when an operator has called it; `none` for what is no change. Without it record-act.ts finds words. */
  readonly act?: 'none' | ((call: PersonCall) => ActWords);
  readonly handle: (call: PersonCall) => Promise<Answer> | Answer;
}

/** What an act was done to, and a few words on what it was; never a secret. */
export interface ActWords {
  readonly subject: string;
  readonly detail: string;
}

/** The same, below `/portal/api/test` and `/portal/api/live`. */
export interface AccountEndpoint extends PortalEndpointBase {
  readonly access: 'account';
  readonly roles: readonly MerchantRole[];
  readonly handle: (call: AccountCall) => Promise<Answer> | Answer;
}

export type Endpoint = MerchantEndpoint | OpenEndpoint | SignedEndpoint;

export type PortalEndpoint = VisitorEndpoint | PersonEndpoint | AccountEndpoint;

export type AnyEndpoint = Endpoint | PortalEndpoint;

/** Of its body: anyone may send one to a call that is open, so those take only what a sign-in needs. */
export function bodyBytesMax({ access }: AnyEndpoint): number {
  return access === 'open' || access === 'visitor' ? LIMITS.open_body_bytes_max : LIMITS.body_bytes_max;
}

export const SKU_PLACEHOLDER = '{user_defined_sku_id}';
