/** The two kinds of failed API calls: the server refuses, or the outcome is unknown. */
import { type Problem, requestProblem } from '../domain/problem.ts';

/** The server refused; its problems are passed on unchanged. */
export class ApiRefusedError extends Error {
  override readonly name = 'ApiRefusedError';
  readonly status: number;
  readonly problems: readonly Problem[];

  constructor(status: number, problems: readonly Problem[]) {
    super(problems.map(({ message }) => message).join('; '));
    this.status = status;
    this.problems = problems;
  }
}

/** No answer, or an answer that is not from Offerbook. */
export class ServerUnreachableError extends Error {
  override readonly name = 'ServerUnreachableError';
}

/** `text` is the body of an unsuccessful answer. */
export function refusalOf(server: string, status: number, text: string): ApiRefusedError | ServerUnreachableError {
  const problems = problemsOf(text);
  if (problems.length > 0) return new ApiRefusedError(status, problems);
  return new ServerUnreachableError(
    `${server} answered ${status}, but the answer is not from Offerbook. Check --server.`,
  );
}

export function unreachable(server: string, cause: unknown): ServerUnreachableError {
  return new ServerUnreachableError(`${server} cannot be reached: ${reasonOf(cause)}.`, { cause });
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

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.name === 'TimeoutError') return REASONS.ETIMEDOUT as string;
  // fetch wraps the cause, and a host name with several addresses has one failure for each.
  const inner = cause.cause instanceof AggregateError ? cause.cause.errors[0] : (cause.cause ?? cause);
  const { code = '', message } = inner as NodeJS.ErrnoException;
  return REASONS[code] ?? message;
}

function problemsOf(text: string): Problem[] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
  const details = (body as { details?: unknown } | null)?.details;
  if (!Array.isArray(details)) return [];
  return details.flatMap((detail: Partial<Problem> | null) => {
    if (typeof detail?.message !== 'string') return [];
    // A newer server may have codes that this release does not know; they are passed on unchanged.
    return { ...requestProblem(detail.code ?? 'internal_error', detail.message), field: detail.field ?? '' };
  });
}
