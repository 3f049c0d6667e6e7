/**
 * Sends messages to addresses of merchants, who may be malicious. The guarded connector refuses private addresses; redirects are not
 * followed, and only the status of a response is used.
 */
import type { Agent } from 'undici';
import { NOT_SENT } from '../domain/vocabulary/webhook-failures.ts';
import { AllowedHosts } from '../outbound/allowed-hosts.ts';
import { HostUnknownError, publicResolver, type ResolveHost, systemResolver } from '../outbound/resolve-host.ts';
import { AddressNotPublicError } from '../outbound/safe-address.ts';

export const TIMEOUT_MS = 10_000;
const HEADER_BYTES_MAX = 16_384;
const RESOLVED_ADDRESSES_MAX = 8;

/** `failure` is null if the receiver returned a 2xx. */
export interface Sent {
  readonly status: number | null;
  readonly failure: string | null;
}

export interface WebhookClientOptions {
  /** `host` or `host:port`; see AllowedHosts. */
  readonly allowedHosts: readonly string[];
  readonly timeout_ms?: number;
  /** Used in tests instead of the machine's name servers. */
  readonly resolvePublic?: ResolveHost;
}

export class WebhookClient {
  readonly #allowed: AllowedHosts;
  readonly #resolvePublic: ResolveHost | undefined;
  readonly #timeout_ms: number;
  /** Opened for the first message, because loading undici takes 120 ms of CPU time and most servers start without a webhook. */
  #agent: Promise<Agent> | undefined;

  constructor({ allowedHosts, timeout_ms = TIMEOUT_MS, resolvePublic }: WebhookClientOptions) {
    this.#allowed = new AllowedHosts(allowedHosts);
    this.#timeout_ms = timeout_ms;
    this.#resolvePublic = resolvePublic;
  }

  /** Returns whether the host of a valid URL is a private address. A host name is checked when a message is sent. */
  refuses(address: string): boolean {
    return this.#allowed.kindOf(new URL(address)) === 'private';
  }

  async #openAgent(): Promise<Agent> {
    const [{ Agent }, { guardedConnector }] = await Promise.all([
      import('undici'),
      import('../outbound/guarded-connector.ts'),
    ]);
    const timeout_ms = this.#timeout_ms;
    return new Agent({
      // There is no limit per host, because many merchants share a host and must not wait for each other. The callers limit the total.
      connections: null,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: timeout_ms,
      bodyTimeout: timeout_ms,
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 4_000,
      connect: guardedConnector({
        allowed: this.#allowed,
        resolvePublic: this.#resolvePublic ?? publicResolver(),
        resolveAllowed: systemResolver,
        resolved_addresses_max: RESOLVED_ADDRESSES_MAX,
        connect_ms_max: timeout_ms,
      }),
    });
  }

  /** Sends one message. Does not reject if sending fails: the result has the failure. */
  async send(
    address: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal?: AbortSignal,
  ): Promise<Sent> {
    this.#agent ??= this.#openAgent();
    const dispatcher = await this.#agent;
    const { request } = await import('undici');
    const late = AbortSignal.timeout(this.#timeout_ms);
    try {
      const { statusCode, body: answer } = await request(address, {
        method: 'POST',
        dispatcher,
        signal: signal === undefined ? late : AbortSignal.any([late, signal]),
        headers: { 'content-type': 'application/json', 'user-agent': 'Offerbook webhooks', ...headers },
        body,
      });
      // The rest of the response may be endless.
      answer.on('error', () => {}).destroy();
      const isTaken = statusCode >= 200 && statusCode < 300;
      return { status: statusCode, failure: isTaken ? null : `The receiver returned ${statusCode}.` };
    } catch (error) {
      return { status: null, failure: failureOf(error, late.aborted, this.#timeout_ms) };
    }
  }

  async close(): Promise<void> {
    await (await this.#agent)?.destroy();
  }
}

function failureOf(error: unknown, isLate: boolean, timeout_ms: number): string {
  if (isLate) return `The receiver did not respond within ${timeout_ms / 1000} seconds.`;
  if (error instanceof AddressNotPublicError) return NOT_SENT.notPublic;
  if (error instanceof HostUnknownError) return NOT_SENT.unknownHost;
  return 'The connection failed.';
}
