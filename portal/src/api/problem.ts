/** Turns a refused request into one error with all its problems, each with its field. */
export interface Problem {
  readonly code: string;
  /** JSON pointer into the body; '' if the problem is not in the body. */
  readonly field: string;
  readonly message: string;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status; 0 if the server did not respond. */
  readonly status: number;
  readonly problems: readonly Problem[];

  constructor(status: number, problems: readonly Problem[]) {
    super(problems.map(({ message }) => message).join(' ') || `The server returned status ${status}.`);
    this.status = status;
    this.problems = problems;
  }

  has(code: string): boolean {
    return this.problems.some((problem) => problem.code === code);
  }
}

const NO_ANSWER: readonly Problem[] = [
  { code: 'no_answer', field: '', message: 'The server did not respond. Try again.' },
];

export function noAnswer(): ApiError {
  return new ApiError(0, NO_ANSWER);
}

/** A newer server version no longer has the code that this page would load. */
export function newVersion(): ApiError {
  const message = 'The portal was updated. Save your changes, then reload the page.';
  return new ApiError(0, [{ code: 'new_version', field: '', message }]);
}

/** Reads the problems of an error response. A proxy may respond with something other than JSON. */
export function refusal(status: number, body: unknown): ApiError {
  return new ApiError(
    status,
    readProblems(body) ?? [{ code: 'unknown', field: '', message: `The server returned status ${status}.` }],
  );
}

/** Returns the error for a page that was loaded in another session. */
export function outOfDate(status: number): ApiError {
  const message =
    'Your session changed, for example because of a sign-in in another tab. The page was refreshed; try again.';
  return new ApiError(status, [{ code: 'out_of_date', field: '', message }]);
}

function readProblems(body: unknown): Problem[] | undefined {
  if (typeof body !== 'object' || body === null || !('details' in body) || !Array.isArray(body.details))
    return undefined;
  return body.details.map((problem: Partial<Problem>) => ({
    code: String(problem.code ?? ''),
    field: String(problem.field ?? ''),
    message: String(problem.message ?? ''),
  }));
}
