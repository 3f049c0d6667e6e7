/** The two ways in which a call to an Offerbook elsewhere fails: it refuses, or nobody can say what became of the call. */
import { type Problem, requestProblem } from '../domain/problem.ts';

/** The server refused; its problems are passed on as it named them. */
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

/** No answer came, or one that is not an Offerbook's. */
export class ServerUnreachableError extends Error {
  override readonly name = 'ServerUnreachableError';
}

/** `text` is the body of an answer that is no success. */
export function refusalOf(server: string, status: number, text: string): ApiRefusedError | ServerUnreachableError {
  const problems = problemsOf(text);
  if (problems.length > 0) return new ApiRefusedError(status, problems);
  return new ServerUnreachableError(`${server} answers ${status}, but not as an Offerbook does; see --server.`);
}

export function unreachable(server: string, cause: unknown): ServerUnreachableError {
  return new ServerUnreachableError(`${server} cannot be reached: ${reasonOf(cause)}.`, { cause });
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody is listening there',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNRESET: 'it broke the connection off',
  EPIPE: 'it broke the connection off',
  UND_ERR_SOCKET: 'it broke the connection off',
  ETIMEDOUT: 'it does not answer in time',
};

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.name === 'TimeoutError') return REASONS.ETIMEDOUT as string;
  // fetch wraps what happened, and a name with several addresses gives a failure for each.
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
    // A newer server may have codes that this release does not know; they are passed on as they are.
    return { ...requestProblem(detail.code ?? 'internal_error', detail.message), field: detail.field ?? '' };
  });
}
