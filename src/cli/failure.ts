/** Reports why a command failed, as text or JSON, and returns its exit code. */
import { CommanderError } from 'commander';
import { SettingError } from '../config/settings.ts';
import { DemoRefusedError } from '../demo/demo-merchant.ts';
import { type Problem, type ProblemCode, requestProblem } from '../domain/problem.ts';
import { StoreUnavailableError } from '../store/port/errors.ts';
import { DataDirLockedError } from '../store/sqlite/engine/lock.ts';
import { explain } from './api/explain.ts';
import { type OutputOptions, paint, type Shell } from './shell.ts';

export const EXIT_CODES = Object.freeze({ done: 0, failed: 1, usage: 2 });

/** The operation refused the request. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly problems: readonly Problem[];
  readonly sent: Readonly<Record<string, unknown>>;

  constructor(problems: readonly Problem[], sent: Readonly<Record<string, unknown>>) {
    super(problems.map((problem) => problem.message).join('; '));
    this.problems = problems;
    this.sent = sent;
  }
}

/** The printed result already describes the problem; only the exit code must be set. */
export class UnhealthyError extends Error {
  override readonly name = 'UnhealthyError';
}

/** The failure was already reported; only the exit code must be set. */
export class ReportedError extends Error {
  override readonly name = 'ReportedError';
}

/** Reports why a command ended early and returns its exit code. */
export function reportFailure(shell: Pick<Shell, 'err' | 'colors'>, options: OutputOptions, error: unknown): number {
  if (error instanceof CommanderError) return reportUsage(shell, options, error);
  if (error instanceof UnhealthyError || error instanceof ReportedError) return EXIT_CODES.failed;
  if (error instanceof RefusedError) {
    report(shell, options, error.problems, (problem) => explain(problem, error.sent));
    return EXIT_CODES.failed;
  }
  const problem = knownFailure(error) ?? requestProblem('internal_error', `Unexpected failure: ${error}`);
  report(shell, options, [problem], ({ message }) => message);
  // The stack trace of an unexpected error says more than its message.
  if (problem.code === 'internal_error' && !options.json && error instanceof Error) shell.err(error.stack ?? '');
  return EXIT_CODES.failed;
}

function reportUsage(shell: Pick<Shell, 'err' | 'colors'>, options: OutputOptions, error: CommanderError): number {
  if (error.exitCode === 0) return EXIT_CODES.done;
  // Thrown after the help was printed, because a group of commands was called without a command.
  const isHelp = error.code === 'commander.help';
  const message = isHelp ? 'A command is missing.' : error.message.replace(/^error: /, '').replaceAll('\n', ' ');
  report(shell, options, [requestProblem('usage_wrong', message)], () => message);
  if (!isHelp && !options.json) shell.err('Add --help to the command to see its arguments and options.');
  return EXIT_CODES.usage;
}

function report(
  shell: Pick<Shell, 'err' | 'colors'>,
  options: OutputOptions,
  problems: readonly Problem[],
  sentence: (problem: Problem) => string,
): void {
  if (options.json) {
    shell.err(JSON.stringify({ errors: problems.map(({ message }) => message), details: problems }));
  } else {
    for (const problem of problems) shell.err(`${paint(shell, 'err', 'red', 'offerbook:')} ${sentence(problem)}`);
  }
}

const CODE_OF_CLASS: readonly (readonly [new (message: string) => Error, ProblemCode])[] = [
  [SettingError, 'setting_invalid'],
  [DataDirLockedError, 'data_dir_locked'],
  [DemoRefusedError, 'demo_refused'],
  [StoreUnavailableError, 'store_unavailable'],
];

/** Failures that the operator can fix. */
function knownFailure(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = CODE_OF_CLASS.find(([known]) => error instanceof known)?.[1];
  if (code !== undefined) return requestProblem(code, error.message);
  const listening = listeningFailure(error);
  return listening === undefined ? undefined : requestProblem('address_unavailable', listening);
}

const LISTENING_TEXTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses it',
  EACCES: 'this user may not use ports below 1024 without the CAP_NET_BIND_SERVICE capability',
  EADDRNOTAVAIL: 'this machine does not have it',
  ENOTFOUND: 'the host name is unknown',
};

function listeningFailure(error: NodeJS.ErrnoException & { address?: string; port?: number; hostname?: string }) {
  // In a worker process, the failed system call is 'bind' instead of 'listen'.
  if (!['listen', 'bind', 'getaddrinfo'].includes(error.syscall ?? '')) return undefined;
  const place = error.hostname ?? `${error.address} port ${error.port}`;
  return `Cannot listen on ${place}: ${LISTENING_TEXTS[error.code ?? ''] ?? error.message}. Set another HOST, PORT or METRICS_PORT, such as PORT=8090.`;
}
