/**
 * Fetches images from URLs of merchants, who may be malicious. The guarded connector decides which addresses are
 * allowed, redirects are followed here one by one, and time, bytes, headers and connections are limited. Encoded bodies
 * are refused, not decompressed.
 */
import { Agent, type Dispatcher, request } from 'undici';
import type { ImageFailure } from '../../../domain/vocabulary/image-failures.ts';
import { AllowedHosts } from '../../../outbound/allowed-hosts.ts';
import { guardedConnector } from '../../../outbound/guarded-connector.ts';
import { publicResolver, type ResolveHost, systemResolver } from '../../../outbound/resolve-host.ts';
import { IMAGE_LIMITS } from '../image-limits.ts';
import { failureOf, failureOfStatus } from './fetch-failure.ts';
import { HostGate } from './host-gate.ts';
import { fetchableAddress, redirectTarget } from './image-address.ts';

export interface ImageClientOptions {
  /** `host` or `host:port`; see AllowedHosts. */
  readonly allowedHosts?: readonly string[];
  readonly limits?: Partial<ClientLimits>;
  readonly resolvePublic?: ResolveHost;
  readonly resolveAllowed?: ResolveHost;
  readonly ca?: string;
}

type ClientLimits = Readonly<
  Record<
    'fetch_ms_max' | 'body_bytes_max' | 'header_bytes_max' | 'connections_per_host_max' | 'connections_max',
    number
  >
>;

export interface VisitOptions {
  /** Result of an earlier check: sends a conditional request. */
  readonly known?: { readonly finalAddress: string; readonly etag: string | null };
  /** Aborts the visit, which rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

interface Visited {
  /** URL after redirects; for a failure, the last one reached. */
  readonly finalAddress: string;
  readonly httpStatus: number | null;
  /** Time spent with hosts, without waiting for a slot. */
  readonly fetch_ms: number;
}

export type Visit =
  | (Visited & { readonly kind: 'fetched'; readonly body: Buffer; readonly etag: string | null })
  | (Visited & { readonly kind: 'unchanged' })
  | (Visited & { readonly kind: 'failed'; readonly failure: ImageFailure });

type Answer =
  | { readonly kind: 'fetched'; readonly body: Buffer; readonly etag: string | null }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'moved'; readonly location: string };

/** ASCII only, because the stored value is sent back as a header. */
const ETAG = /^(?:W\/)?"[\x21\x23-\x7e]*"$/;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export class ImageClient {
  readonly #limits: ClientLimits;
  readonly #agent: Agent;
  readonly #gate: HostGate;

  constructor(options: ImageClientOptions = {}) {
    this.#limits = { ...IMAGE_LIMITS, ...options.limits };
    this.#gate = new HostGate({
      per_host_max: this.#limits.connections_per_host_max,
      total_max: this.#limits.connections_max,
    });
    this.#agent = new Agent({
      connections: this.#limits.connections_per_host_max,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: this.#limits.header_bytes_max,
      headersTimeout: this.#limits.fetch_ms_max,
      bodyTimeout: this.#limits.fetch_ms_max,
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 4_000,
      connect: guardedConnector({
        allowed: new AllowedHosts(options.allowedHosts),
        resolvePublic: options.resolvePublic ?? publicResolver(),
        resolveAllowed: options.resolveAllowed ?? systemResolver,
        resolved_addresses_max: IMAGE_LIMITS.resolved_addresses_max,
        connect_ms_max: this.#limits.fetch_ms_max,
        ...(options.ca === undefined ? {} : { ca: options.ca }),
      }),
    });
  }

  /**
   * Fetches and calls `use`, which keeps the slot, so there are never more bodies in memory than slots. Rejects only if
   * the caller aborts, the client is closed or `use` rejects. Anything that a host does results in a Visit.
   */
  async visit<T>(address: string, options: VisitOptions, use: (visit: Visit) => T | Promise<T>): Promise<T> {
    const first = fetchableAddress(address);
    if (first === undefined) {
      return use({ kind: 'failed', failure: 'address_refused', finalAddress: address, httpStatus: null, fetch_ms: 0 });
    }
    let at = first;
    let fetch_ms = 0;
    for (let redirects = 0; ; redirects += 1) {
      // One slot per hop, released before waiting for the next, so that two hosts that redirect to each other block nothing.
      const leave = await this.#gate.enter(at.hostname, options.signal);
      try {
        const started_ms = performance.now();
        const { httpStatus, answer } = await this.#ask(at, options, this.#limits.fetch_ms_max - fetch_ms);
        fetch_ms += performance.now() - started_ms;
        const visited: Visited = { finalAddress: at.href, httpStatus, fetch_ms: Math.round(fetch_ms) };
        if (typeof answer === 'string') return await use({ ...visited, kind: 'failed', failure: answer });
        if (answer.kind !== 'moved') return await use({ ...visited, ...answer });
        const target = redirectTarget(answer.location, at);
        if (target === undefined) return await use({ ...visited, kind: 'failed', failure: 'redirect_refused' });
        if (redirects === IMAGE_LIMITS.redirects_max) {
          return await use({ ...visited, kind: 'failed', failure: 'redirects_too_many' });
        }
        at = target;
      } finally {
        leave();
      }
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  /** Sends one request, without following redirects. */
  async #ask(address: URL, { known, signal }: VisitOptions, ms_max: number) {
    const outOfTime = AbortSignal.timeout(Math.max(1, Math.ceil(ms_max)));
    // An ETag belongs to one resource: do not send it to a host that only redirects.
    const etag = known?.finalAddress === address.href ? known.etag : null;
    let httpStatus: number | null = null;
    try {
      const response = await request(address, {
        dispatcher: this.#agent,
        signal: signal === undefined ? outOfTime : AbortSignal.any([outOfTime, signal]),
        headers: {
          accept: 'image/jpeg, image/png, image/webp, image/avif, image/tiff, image/*;q=0.5',
          'accept-encoding': 'identity',
          'user-agent': 'Offerbook image check',
          ...(etag === null ? {} : { 'if-none-match': etag }),
        },
      });
      httpStatus = response.statusCode;
      return { httpStatus, answer: await this.#read(response, etag) };
    } catch (error) {
      signal?.throwIfAborted();
      return { httpStatus, answer: outOfTime.aborted ? 'timed_out' : failureOf(error) };
    }
  }

  async #read(
    { statusCode, headers, body }: Dispatcher.ResponseData,
    etag: string | null,
  ): Promise<Answer | ImageFailure> {
    const { body_bytes_max } = this.#limits;
    try {
      if (statusCode === 304 && etag !== null) return { kind: 'unchanged' };
      const location = single(headers.location);
      if (REDIRECTS.has(statusCode) && location !== undefined) return { kind: 'moved', location };
      const failure = failureOfStatus(statusCode);
      if (failure !== undefined) return failure;
      if ((single(headers['content-encoding']) ?? 'identity').toLowerCase() !== 'identity') return 'body_encoded';
      if (Number(single(headers['content-length']) ?? 0) > body_bytes_max) return 'too_many_bytes';
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of body as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > body_bytes_max) return 'too_many_bytes';
        chunks.push(chunk);
      }
      return { kind: 'fetched', body: Buffer.concat(chunks, bytes), etag: storableEtag(single(headers.etag)) };
    } finally {
      // Has no effect if the body was read to the end. Otherwise closes the connection, because the rest may be
      // endless.
      body.on('error', ignore).destroy();
    }
  }
}

function storableEtag(etag: string | undefined): string | null {
  return etag !== undefined && etag.length <= IMAGE_LIMITS.etag_characters_max && ETAG.test(etag) ? etag : null;
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

function ignore(): void {}
