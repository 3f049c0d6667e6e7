/** One request with its response: what the steps of api-handler.ts know about it, and the call that its endpoint gets. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Person } from '../access/portal/portal-sessions.ts';
import type { RateDecision } from '../access/rates/rate-limiter.ts';
import type { Account, Environment } from '../domain/account.ts';
import type { Author } from '../domain/author.ts';
import type { SentBody } from '../domain/body-text.ts';
import type { Precondition } from '../domain/precondition.ts';
import type { Problem } from '../domain/problem.ts';
import type { KeyRights } from '../domain/setup/key-scopes.ts';
import type { SentFile } from '../operations/files/receive-upload.ts';
import type { KeyedWrite } from '../operations/offers/write.ts';
import type { Trace } from '../telemetry/tracing.ts';
import type { Address } from './address.ts';
import { STRANGERS } from './connections/load-shedding.ts';
import type { StoreWait } from './connections/store-wait.ts';
import { hasDryRun, readDryRun } from './dry-run.ts';
import type {
  AccountCall,
  AnyEndpoint,
  Caller,
  MarketplaceCall,
  MerchantCall,
  OpenCall,
  PersonCall,
  SignedCall,
  VisitorCall,
} from './endpoint.ts';
import type { PathRoute } from './path-route.ts';
import type { PortalRoute } from './portal-access/portal-addresses.ts';
import { NO_BODY, sentBytes } from './read-body.ts';
import type { Services } from './services.ts';

type EveryCall = AccountCall & MarketplaceCall & MerchantCall & OpenCall & PersonCall & SignedCall & VisitorCall;

interface ExchangeParts extends Pick<Exchange, 'id' | 'services' | 'message' | 'response' | 'address' | 'portal'> {
  /** Returns the client's address, behind trusted proxies. */
  readonly clientAddress: (message: IncomingMessage) => string;
}

export class Exchange implements EveryCall, StoreWait {
  readonly id: string;
  readonly services: Services;
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  address: Address<PathRoute>;
  /** Used instead of `address` for a request to the portal. */
  readonly portal: Address<PortalRoute> | undefined;
  /** Undefined if the path or the method is unknown. */
  readonly endpoint: AnyEndpoint | undefined;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** Whether the query asks for a dry run, or the problem with it. */
  readonly dryRun: boolean | Problem;
  /** A malformed request for a dry run counts as one too. */
  readonly isDryRun: boolean;
  readonly startedMs = performance.now();
  readonly #clientAddress: (message: IncomingMessage) => string;
  waited_ms = 0;
  /** Undefined if traces are not exported. */
  trace: Trace | undefined = undefined;
  /** `performance.now()` when the call began; set only with a trace. */
  calledMs: number | undefined = undefined;
  /** For load shedding. */
  sender = STRANGERS;
  /** True from the arrival of the body until the response is sent. */
  isInFlight = false;
  /** Set once the account is known, even if the request is refused after that. */
  session: Caller | undefined = undefined;
  signedIn: Person | undefined = undefined;
  /** Sent with every response from now on, once they are known. */
  rate: RateDecision | undefined = undefined;
  addedHeaders: Readonly<Record<string, string>> | undefined = undefined;
  skuId = '';
  targetId = '';
  /** The body as sent; null before it has arrived, and for a call without one. */
  bytes: Buffer | null = null;
  body: SentBody = NO_BODY;
  precondition: Precondition | undefined = undefined;
  firstRunNumber: number | undefined = undefined;
  keyed: KeyedWrite | undefined = undefined;
  newId: () => string = randomUUID;
  /** Whether the endpoint got the call. A repeat with the same Idempotency-Key does not get there, and is not recorded again. */
  isCalled = false;

  constructor({ id, services, message, response, address, portal, clientAddress }: ExchangeParts) {
    const { route, query } = portal ?? address;
    const endpoint = route?.endpoints.get(message.method ?? '');
    this.id = id;
    this.services = services;
    this.message = message;
    this.response = response;
    this.address = address;
    this.portal = portal;
    this.endpoint = endpoint;
    this.query = query;
    this.headers = message.headers;
    this.dryRun = endpoint !== undefined && readDryRun(endpoint, query);
    this.isDryRun = this.dryRun !== false && hasDryRun(endpoint);
    this.#clientAddress = clientAddress;
  }

  get changeId(): string {
    return (this.portal ?? this.address).secondValue;
  }

  get account(): Account {
    return present(this.session, 'account').account;
  }

  /** The environment that the key of the token, or the path of a portal call, belongs to. */
  get environment(): Environment {
    return this.portal?.route?.environment ?? this.account.environment;
  }

  get by(): Author {
    return present(this.session?.by, 'author');
  }

  get key(): KeyRights | undefined {
    return this.session?.key;
  }

  get person(): Person {
    return this.signedIn ?? programOf(present(this.session?.by, 'signed-in user'));
  }

  get ip(): string {
    return this.#clientAddress(this.message);
  }

  get sent(): SentFile {
    return sentBytes(this.message);
  }

  get whenClosed(): (act: () => void) => void {
    return (act) => void this.response.once('close', act);
  }
}

/** A program with a key of the marketplace acts as an operator. The activity log names the key. */
function programOf(by: Author): Person {
  return {
    email: by.replace(/^key:/, 'key '),
    role: 'operator',
    merchantId: null,
    sessionId: '',
    signedInMs: 0,
    isByPassword: false,
    csrfToken: '',
  };
}

function present<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`The request reached its endpoint without the ${name} that it needs.`);
  return value;
}
