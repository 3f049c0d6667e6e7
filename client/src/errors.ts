/** The two kinds of failed calls: the server refuses, or the outcome is unknown. */
import { parseJson } from './json.ts';
import type { ErrorCode } from './types.ts';

export interface Problem {
  /** Stable code. The page `/docs/reference/errors` of the server lists all codes. */
  readonly code: ErrorCode;
  /** JSON pointer into the body that was sent; empty if the problem is not in a field. */
  readonly field: string;
  /** Message for people. The wording may change. */
  readonly message: string;
}

/** Thrown when the server refused the call, with the reasons. */
export class OfferbookError extends Error {
  override readonly name = 'OfferbookError';
  readonly status: number;
  readonly problems: readonly Problem[];
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined;
  readonly headers: Headers;

  constructor(status: number, problems: readonly Problem[], headers: Headers) {
    super(problems.map(({ message }) => message).join('; '));
    this.status = status;
    this.problems = problems;
    this.headers = headers;
    this.requestId = headers.get('x-request-id') ?? undefined;
  }

  /** Returns whether one of the problems has this code. */
  has(code: ErrorCode): boolean {
    return this.problems.some((problem) => problem.code === code);
  }
}

/** Thrown when there is no response, or one that is not from Offerbook. A write may or may not have been stored. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  /** HTTP status of the response, for example from a proxy; undefined if there was no response. */
  readonly status: number | undefined;

  constructor(message: string, { cause, status }: { readonly cause?: unknown; readonly status?: number } = {}) {
    super(message, { cause });
    this.status = status;
  }
}

/** Returns the error for an unsuccessful response. `text` is its body. */
export function refusalOf(
  server: string,
  { status, headers }: Response,
  text: string,
): OfferbookError | UnreachableError {
  const problems = problemsOf(text);
  if (problems.length > 0) return new OfferbookError(status, problems, headers);
  const message = `${server} returned ${status}, but the response is not from Offerbook. Check the URL of the server.`;
  return new UnreachableError(message, { status });
}

export function unreachable(server: string, cause: unknown): UnreachableError {
  return new UnreachableError(`${server} cannot be reached: ${reasonOf(cause)}.`, { cause });
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be resolved',
  ECONNRESET: 'the server closed the connection',
  EPIPE: 'the server closed the connection',
  UND_ERR_SOCKET: 'the server closed the connection',
  ETIMEDOUT: 'the connection timed out',
};

/** Explains why fetch failed. */
export function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.name === 'TimeoutError') return REASONS.ETIMEDOUT as string;
  // fetch wraps the cause, and a host name with several addresses has one failure for each.
  const inner = cause.cause instanceof AggregateError ? cause.cause.errors[0] : (cause.cause ?? cause);
  const { code = '', message } = inner as Error & { code?: string };
  return REASONS[code] ?? message;
}

function problemsOf(text: string): Problem[] {
  let body: unknown;
  try {
    body = parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
  const details = (body as { details?: unknown } | null)?.details;
  if (!Array.isArray(details)) return [];
  return details.flatMap((detail: Partial<Problem> | null) => {
    if (typeof detail?.message !== 'string') return [];
    return { code: detail.code ?? 'internal_error', field: detail.field ?? '', message: detail.message };
  });
}
