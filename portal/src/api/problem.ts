/** In charge of what the server says when it refuses: one error with all its problems, each with the field it is about. */
export interface Problem {
  readonly code: string;
  /** JSON pointer into the body; '' where the fault is not in the body. */
  readonly field: string;
  readonly message: string;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 0: no answer came. */
  readonly status: number;
  readonly problems: readonly Problem[];

  constructor(status: number, problems: readonly Problem[]) {
    super(problems.map(({ message }) => message).join(' ') || `The server answered ${status}.`);
    this.status = status;
    this.problems = problems;
  }

  has(code: string): boolean {
    return this.problems.some((problem) => problem.code === code);
  }
}

const NO_ANSWER: readonly Problem[] = [
  { code: 'no_answer', field: '', message: 'No answer came from the server. Try again.' },
];

export function noAnswer(): ApiError {
  return new ApiError(0, NO_ANSWER);
}

/** What a refused request says; a proxy in between may answer with something else than JSON. */
export function refusal(status: number, body: unknown): ApiError {
  return new ApiError(
    status,
    readProblems(body) ?? [{ code: 'unknown', field: '', message: `The server answered ${status}.` }],
  );
}

/** The session that this page knew is not the one that the browser has now. */
export function outOfDate(status: number): ApiError {
  const message =
    'This page was out of date, perhaps because somebody signed in in another tab. It is up to date now: try again.';
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
