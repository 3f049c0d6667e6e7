/** Reports why a command failed, as text or JSON, and returns its exit code. */
import { CommanderError } from 'commander';
import { SettingError } from '../config/settings.ts';
import { DemoRefusedError } from '../demo/demo-merchant.ts';
import type { Outcome } from '../domain/outcome.ts';
import { type Problem, type ProblemCode, requestProblem } from '../domain/problem.ts';
import { StoreUnavailableError } from '../store/port/errors.ts';
import { DataDirLockedError } from '../store/sqlite/engine/lock.ts';
import { type OutputOptions, paint, type Shell } from './shell.ts';
import { printable } from './table.ts';

export const EXIT_CODES = Object.freeze({ done: 0, failed: 1, usage: 2 });

/** The operation refused the request. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly problems: readonly Problem[];
  readonly sent: Readonly<Record<string, unknown>>;

  constructor(problems: readonly Problem[], sent: Readonly<Record<string, unknown>> = {}) {
    super(problems.map((problem) => problem.message).join('; '));
    this.problems = problems;
    this.sent = sent;
  }
}

export function refusal(code: ProblemCode, text: string): RefusedError {
  return new RefusedError([requestProblem(code, text)]);
}

/** Returns the value of an accepted outcome. Throws RefusedError if the operation refused; `sent` is what it was given. */
export function accepted<T>(outcome: Outcome<T>, sent?: Readonly<Record<string, unknown>>): T {
  if (!outcome.ok) throw new RefusedError(outcome.problems, sent);
  return outcome.value;
}

/** The failure was already reported, or the printed result describes it; only the exit code must be set. */
export class ReportedError extends Error {
  override readonly name = 'ReportedError';
}

/** Reports why a command ended early and returns its exit code. */
export function reportFailure(shell: Pick<Shell, 'err' | 'colors'>, options: OutputOptions, error: unknown): number {
  if (error instanceof CommanderError) return reportUsage(shell, options, error);
  if (error instanceof ReportedError) return EXIT_CODES.failed;
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
  const address = error.hostname ?? `${error.address} port ${error.port}`;
  return `Cannot listen on ${address}: ${LISTENING_TEXTS[error.code ?? ''] ?? error.message}. Set another HOST, PORT or METRICS_PORT, such as PORT=8090.`;
}

const WORDS: Readonly<Record<string, string>> = {
  merchant_id: '<merchant-id>',
  name: '--name',
  time_to_return: '--time-to-return',
  time_to_return_days: '--time-to-return',
  return_shipping_methods: '--return-method',
  overlap_seconds: '--overlap in seconds',
  scopes: '--scope',
  sku_prefix: '--sku-prefix',
  plan_offers_max: '--plan-offers-max',
  plan_price_percent_max: '--plan-percent-max',
  plan_hours: '--plan-hours',
  fulfillment_node_id: '<node-id>',
  rate_kind: '--rates',
  shipping_methods: '--method',
  service_levels: '--level',
  return_location_id: '<location-id>',
  email: '<email>',
  role: '--role',
  merchant: '--merchant',
  merchants: '--merchant',
  note: '--note',
  code: '<code>',
  title: '--title',
  category: '--category',
};

/** Rewrites a problem so that it names the option and its value instead of the field. */
function explain(problem: Problem, sent: Readonly<Record<string, unknown>>): string {
  const [, field = '', index] = problem.field.split('/');
  const word = WORDS[field];
  if (word === undefined) return printable(problem.message);
  const value = Array.isArray(sent[field]) ? sent[field][Number(index)] : sent[field];
  const text = problem.message.slice(problem.message.indexOf(': ') + 2);
  return printable(value === undefined ? `${word}: ${text}` : `${word} ${JSON.stringify(value)}: ${text}`);
}
