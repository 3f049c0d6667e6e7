/** Port for request counts, the request log, traces, and the rate counters that processes share. */
import type { Problem } from '../../domain/problem.ts';

export interface RequestCounts {
  /** Number of completed API requests, except dry runs. */
  readonly requests: number;
  /** Number of requests with status 400 or above, except 429. */
  readonly errors: number;
  /** Number of requests with status 429. */
  readonly refused: number;
}

export interface MinuteCounts extends RequestCounts {
  /** Minutes since 1970. */
  readonly minute: number;
}

export interface AccountMinute extends MinuteCounts {
  readonly accountId: number;
}

export interface KeyUse {
  /** User name of the credential set. */
  readonly user: string;
  readonly usedMs: number;
}

export interface RequestCountStore {
  /** Adds to the stored counts. Each account and minute may occur once per call. */
  addRequestCounts(counts: readonly AccountMinute[]): Promise<void>;
  /** Returns counts in order of minute, without minutes that had no requests. */
  readRequestCounts(accountId: number, fromMinute: number): Promise<readonly MinuteCounts[]>;
  /** Returns the counts of all accounts, in any order. */
  readMinute(minute: number): Promise<readonly AccountMinute[]>;
  /** Drops at most a few thousand counts. Returns true if some may be left. */
  dropRequestCounts(beforeMinute: number): Promise<boolean>;
  /** Sets `Credential.lastUsedMs` unless it has a later time. Each user may occur once per call. Does not raise the settings version. */
  noteKeyUses(uses: readonly KeyUse[]): Promise<void>;
}

export type LoggedProblem = Pick<Problem, 'field' | 'message'> & { readonly code: string };

/** A completed request of one account. */
export interface LoggedRequest {
  readonly requestId: string;
  /** When its response was sent. */
  readonly atMs: number;
  /** Method and path, such as `GET /merchant-skus/{user_defined_sku_id}`; with `?dry_run=true` for a dry run. */
  readonly call: string;
  readonly status: number;
  readonly took_us: number;
  /** Error codes, each once. */
  readonly codes: readonly string[];
  readonly skuId: string | null;
  /** User name of the credential set; null for a signed URL. */
  readonly user: string | null;
  /** Path and query of a failed request as sent, shortened and without secrets; null if it succeeded, or there was no room. */
  readonly url: string | null;
  /** The first errors of the response, shortened and without secrets; null if there are none, or there was no room. */
  readonly problems: readonly LoggedProblem[] | null;
  /** The body of a failed request; null if it is not kept. */
  readonly body: string | null;
}

export interface NewLoggedRequest extends LoggedRequest {
  /** Number of requests of the account around this one that were not recorded, because there were too many. */
  readonly unlogged: number;
}

/** Omitted conditions match every request. */
export interface RequestLogFilter {
  readonly call?: string | undefined;
  readonly statusMin?: number | undefined;
  readonly statusMax?: number | undefined;
  readonly code?: string | undefined;
  readonly user?: string | undefined;
  /** A SKU id or a request id. */
  readonly id?: string | undefined;
}

export interface RequestLogPage extends RequestLogFilter {
  readonly sinceMs: number;
  /** The last request of the previous page. */
  readonly after?: Pick<LoggedRequest, 'atMs' | 'requestId'> | undefined;
  readonly limit: number;
}

/** Requests in the log that share these values. */
export interface LoggedGroup extends Pick<LoggedRequest, 'call' | 'user' | 'codes'> {
  readonly requests: number;
  readonly unlogged: number;
}

/** Reads see the last `LIMITS.request_log_requests_max` requests of an account, even if more are stored. */
export interface RequestLogStore {
  /** Adds the requests that are not stored yet. Drops their bodies if the account does not keep bodies. */
  addRequestLog(accountId: number, requests: readonly NewLoggedRequest[]): Promise<void>;
  /** Returns requests, newest first. */
  readRequestLog(accountId: number, page: RequestLogPage): Promise<readonly LoggedRequest[]>;
  summarizeRequestLog(accountId: number, sinceMs: number): Promise<readonly LoggedGroup[]>;
  dropBodiesInRequestLog(accountId: number): Promise<void>;
  /** Lists accounts with logged requests before `beforeMs`, or with counted requests since `sinceMinute`. */
  listLoggingAccounts(beforeMs: number, sinceMinute: number): Promise<readonly number[]>;
  /** Drops a few thousand requests that are older than `beforeMs`, or beyond the limit. Returns true if some may be left. */
  dropRequestLog(accountId: number, beforeMs: number): Promise<boolean>;
}

/** The trace that a write of a SKU belongs to. */
export interface NotedTrace {
  readonly skuId: string;
  /** As in the W3C header: trace, span, and whether it is recorded. */
  readonly traceparent: string;
  readonly atMs: number;
}

/** Used only while traces are exported. */
export interface TraceStore {
  /** Replaces the trace of an earlier write. The SKU need not exist. */
  noteTrace(accountId: number, trace: NotedTrace): Promise<void>;
  /** Returns the traces that are known, by SKU. */
  readTraces(accountId: number, skuIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Drops at most a few thousand traces. Returns true if some may be left. */
  dropTraces(beforeMs: number): Promise<boolean>;
}

/** The request rate of one account over all processes. */
export interface RateCounter {
  /** Changes with every write; 0: nothing counted yet. */
  readonly version: number;
  /** JSON text, which only the limiter reads. */
  readonly entries: string;
  /** The time of the response by the database's clock. */
  readonly storeMs: number;
}

/** Counters that processes share by compare-and-swap. They are accurate enough for limits, but not for billing. */
export interface RateCounterStore {
  readRateCounter(accountId: number): Promise<RateCounter>;
  /** Replaces the entries if the version is unchanged. `lost`: another process replaced them first. */
  swapRateCounter(
    accountId: number,
    version: number,
    entries: string,
  ): Promise<Pick<RateCounter, 'version' | 'storeMs'> | 'lost'>;
  /** Drops counters that were unchanged for `idle_ms`. Returns how many. */
  dropIdleRateCounters(idle_ms: number): Promise<number>;
}
