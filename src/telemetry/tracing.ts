/**
 * Follows a write from its request through its review to its webhooks, and exports the spans to a collector (OTLP as JSON over HTTP).
 *
 * Loaded only if a collector is set. A collector that does not respond delays nothing: spans wait in a bounded queue, and are dropped.
 */
import { randomBytes } from 'node:crypto';
import type { TraceStore } from '../store/port/traffic.ts';
import type { Telemetry } from './telemetry.ts';

/** A span that is under way, or that another process has started. */
export interface Trace {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  /** Whether the spans are exported. The client decides; otherwise they are. */
  readonly isSampled: boolean;
}

export interface SpanDetails {
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  readonly took_ms: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly isError?: boolean;
}

export interface TracingOptions {
  /** Base URL of the collector. */
  readonly endpoint: string;
  /** Headers of every export, such as credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly version: string;
  readonly store: TraceStore;
  readonly telemetry: Pick<Telemetry, 'observe'>;
  readonly nowMs: () => number;
}

/** Spans that wait for their export: a few seconds of a busy server. */
const WAITING_MAX = 20_000;
const EXPORTED_MAX = 512;
const INTERVAL_MS = 1_000;
const TIMEOUT_MS = 10_000;
/** Numeric codes that OTLP defines. */
const KINDS = { internal: 1, server: 2, client: 3 } as const;
const STATUS_ERROR = 2;
const SAMPLED = '01';

export class Tracing {
  readonly #options: TracingOptions;
  readonly #timer: NodeJS.Timeout;
  #waiting: object[] = [];
  #exporting: Promise<void> = Promise.resolve();
  #isBusy = false;

  constructor(options: TracingOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#export(), INTERVAL_MS);
    this.#timer.unref();
  }

  /** Continues the trace of a `traceparent` header, or starts one. */
  begin(header: unknown): Trace {
    const parent = readTraceparent(header);
    if (parent !== undefined) return childOf(parent);
    return { traceId: newId(16), spanId: newId(8), parentId: undefined, isSampled: true };
  }

  /** Stores the trace of a write before the write, so that its review finds it, whichever process runs it. Never rejects. */
  async note(accountId: number, skuId: string, trace: Trace): Promise<void> {
    const { store, nowMs, telemetry } = this.#options;
    const noted = { skuId, traceparent: traceparentOf(trace), atMs: nowMs() };
    await store
      .noteTrace(accountId, noted)
      .catch((error: unknown) => telemetry.observe('spans_lost', { spans: 1, error }));
  }

  /** Returns a new span within the trace of each SKU that has one. Never rejects. */
  async continue(accountId: number, skuIds: readonly string[]): Promise<ReadonlyMap<string, Trace>> {
    const { store, telemetry } = this.#options;
    if (skuIds.length === 0) return NO_TRACES;
    try {
      const noted = await store.readTraces(accountId, skuIds);
      return new Map([...noted].map(([skuId, header]) => [skuId, this.begin(header)]));
    } catch (error) {
      telemetry.observe('spans_lost', { spans: skuIds.length, error });
      return NO_TRACES;
    }
  }

  /** Records a span that has just ended. */
  end(
    { traceId, spanId, parentId, isSampled }: Trace,
    { name, kind, took_ms, attributes, isError }: SpanDetails,
  ): void {
    if (!isSampled) return;
    if (this.#waiting.length >= WAITING_MAX) {
      this.#options.telemetry.observe('spans_lost', { spans: 1, error: undefined });
      return;
    }
    const endMs = this.#options.nowMs();
    this.#waiting.push({
      ...{ traceId, spanId, parentSpanId: parentId, name, kind: KINDS[kind] },
      startTimeUnixNano: nanoseconds(endMs - took_ms),
      endTimeUnixNano: nanoseconds(endMs),
      attributes: attributesOf(attributes),
      status: isError ? { code: STATUS_ERROR } : {},
    });
    if (this.#waiting.length >= EXPORTED_MAX) this.#export();
  }

  /** Begins to send a webhook message about these SKUs. The receiver can continue one trace, that of the first. Never rejects. */
  async sending(accountId: number, skuIds: readonly string[]) {
    const traces = [...(await this.continue(accountId, skuIds)).values()];
    const headers: Readonly<Record<string, string>> =
      traces[0] === undefined ? {} : { traceparent: traceparentOf(traces[0]) };
    const sent = (status: number | null, took_ms: number): void => {
      const attributes = status === null ? {} : { 'http.response.status_code': status };
      const isError = status === null || status >= 400;
      for (const trace of traces) this.end(trace, { name: 'webhook', kind: 'client', took_ms, attributes, isError });
    };
    return { headers, sent };
  }

  /** Records a span within another one. */
  endWithin(trace: Trace, details: SpanDetails): void {
    this.end(childOf(trace), details);
  }

  /** Exports what is waiting. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#exporting;
    this.#export();
    await this.#exporting;
  }

  #export(): void {
    if (this.#isBusy || this.#waiting.length === 0) return;
    this.#isBusy = true;
    this.#exporting = this.#send(this.#waiting.splice(0, EXPORTED_MAX)).finally(() => {
      this.#isBusy = false;
      if (this.#waiting.length >= EXPORTED_MAX) this.#export();
    });
  }

  async #send(spans: readonly object[]): Promise<void> {
    const { endpoint, headers, version, telemetry } = this.#options;
    const resource = { attributes: attributesOf({ 'service.name': 'offerbook', 'service.version': version }) };
    const scopeSpans = [{ scope: { name: 'offerbook', version }, spans }];
    try {
      const response = await fetch(`${endpoint}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] }),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`The collector returned ${response.status}.`);
    } catch (error) {
      telemetry.observe('spans_lost', { spans: spans.length, error });
    }
  }
}

const NO_TRACES: ReadonlyMap<string, Trace> = new Map();

function traceparentOf({ traceId, spanId, isSampled }: Trace): string {
  return `00-${traceId}-${spanId}-${isSampled ? SAMPLED : '00'}`;
}

/** A malformed header starts a new trace, as W3C Trace Context requires. Later versions may append fields. */
function readTraceparent(header: unknown): Trace | undefined {
  const [, version, traceId = '', spanId = '', flags = '', rest] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(String(header)) ?? [];
  const isKnown = version === '00' ? rest === undefined : version !== undefined && version !== 'ff';
  if (!isKnown || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, parentId: undefined, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

function childOf({ traceId, spanId, isSampled }: Trace): Trace {
  return { traceId, spanId: newId(8), parentId: spanId, isSampled };
}

function newId(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

/** A number would lose the last digits. */
function nanoseconds(atMs: number): string {
  return String(BigInt(Math.round(atMs * 1000)) * 1000n);
}

function attributesOf(values: SpanDetails['attributes']): object[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
}
