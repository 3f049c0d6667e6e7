// Prints a test run: one line per file, full details of each failure, the slowest files, the time by suite, and the counts as the last line.
// A suite runs many files in one process; each of them still gets its own line.

import { relative, resolve } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect, styleText } from 'node:util';

type TestResult = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>;
type Failure = Extract<TestEvent, { type: 'test:fail' }>['data'];

/** Fields that the runner adds to the error of a failed test; its types know only `Error`. */
type FailureError = { failureType?: string; cause?: unknown; exitCode?: number | null; signal?: string | null };

interface Duration {
  readonly path: string;
  readonly duration_ms: number;
}

/** Number of slowest files to name, if more were run. */
const SLOWEST_MAX = 10;

class Counts {
  passed = 0;
  failed = 0;
  skipped = 0;

  add(other: Counts): void {
    this.passed += other.passed;
    this.failed += other.failed;
    this.skipped += other.skipped;
  }

  toString(): string {
    const always = `${this.passed} passed, ${this.failed} failed`;
    return this.skipped > 0 ? `${always}, ${this.skipped} skipped` : always;
  }
}

/** Report of one test file so far. The runner reports the tests of a file in order, children first. */
class FileReport {
  readonly path: string;
  readonly counts = new Counts();
  readonly skips: string[] = [];
  readonly failures: string[] = [];
  output = '';
  /** Duration of its tests, without loading the file. */
  duration_ms = 0;
  /** Names of the running test and its ancestors, by nesting. */
  private names: string[] = [];
  /** For each nesting, whether a test has ended since the last one at an outer level. */
  private ended: boolean[] = [];

  constructor(path: string) {
    this.path = path;
  }

  start(name: string, nesting: number): void {
    this.names.length = nesting;
    this.names.push(name);
  }

  end({ type, data }: TestResult): void {
    if (data.nesting === 0) this.duration_ms += data.details.duration_ms;
    const isGroup = data.details.type === 'suite' || this.ended[data.nesting + 1] === true;
    this.ended.length = data.nesting;
    this.ended[data.nesting] = true;
    const name = [...this.names.slice(0, data.nesting), data.name].join(' > ');

    if (isSet(data.skip) || isSet(data.todo)) {
      // A skipped suite never mentions its tests, so it counts as one.
      const reason = [data.skip, data.todo].find((value) => typeof value === 'string' && value !== '');
      this.skips.push(reason === undefined ? name : `${name} (${reason})`);
      this.counts.skipped += 1;
    } else if (type === 'test:fail') {
      // A group that fails only because of its tests does not count as another failure, but a group with a broken hook does.
      if (isGroup && failureError(data).failureType === 'subtestsFailed') return;
      this.counts.failed += 1;
      this.failures.push(`${styleText('red', `✖ ${name}`)}\n${indent(this.explain(data))}`);
    } else if (!isGroup && !isFileItself(data)) {
      this.counts.passed += 1;
    }
  }

  absorb(helper: FileReport): void {
    this.counts.add(helper.counts);
    this.skips.push(...helper.skips);
    this.failures.push(...helper.failures);
    this.output += helper.output;
    this.duration_ms += helper.duration_ms;
  }

  private explain(data: Failure): string {
    const { cause, exitCode, signal } = failureError(data);
    if (isFileItself(data)) {
      // The error output of the file is the only trace of the reason.
      const output = this.output;
      this.output = '';
      return `The file ended with ${signal ?? `exit code ${exitCode}`}.\n${output}`.trimEnd();
    }
    const reason = typeof cause === 'string' ? cause : inspect(cause, { depth: 10, colors: process.stdout.isTTY });
    return `${this.path}:${data.line}:${data.column}\n${reason}`;
  }

  toString(): string {
    const { passed, failed, skipped } = this.counts;
    const mark = failed > 0 ? styleText('red', '✖') : styleText('green', '✔');
    // A report without tests is an empty file, or output that arrived after the summary of the file's tests.
    const lines = [passed + failed + skipped > 0 ? `${mark} ${this.path}: ${this.counts}` : `- ${this.path}`];
    for (const skip of this.skips) lines.push(`  ${styleText('yellow', 'skipped')} ${skip}`);
    if (this.output !== '') lines.push(indent(this.output.trimEnd()));
    return `${lines.join('\n')}\n`;
  }
}

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Map<string, FileReport>();
  const total = new Counts();
  const failures: string[] = [];
  const durations: Duration[] = [];
  const suites: Duration[] = [];

  function fileOf(path = ''): FileReport {
    // Output has the path that was given to the runner, and results have the absolute path.
    const key = resolve(path);
    let file = files.get(key);
    if (file === undefined) {
      file = new FileReport(relative(process.cwd(), key));
      files.set(key, file);
    }
    return file;
  }

  /** Ends the report of a process. All open files belong to it, because the runner reports one process after the other. */
  function* close(path: string): Generator<string> {
    const main = fileOf(path);
    for (const [key, file] of files) {
      if (file === main) continue;
      // Tests defined by a helper have the helper's path.
      if (isTestFile(key)) yield finish(file);
      else main.absorb(file);
    }
    files.clear();
    yield finish(main);
  }

  function finish(file: FileReport): string {
    total.add(file.counts);
    failures.push(...file.failures);
    durations.push({ path: file.path, duration_ms: file.duration_ms });
    return file.toString();
  }

  const startMs = performance.now();
  for await (const event of events) {
    switch (event.type) {
      case 'test:stdout':
      case 'test:stderr':
        fileOf(event.data.file).output += event.data.message;
        break;
      case 'test:diagnostic':
        // Entries without a file are the runner's own counts.
        if (event.data.file !== undefined) fileOf(event.data.file).output += `${event.data.message}\n`;
        break;
      case 'test:start':
        fileOf(event.data.file).start(event.data.name, event.data.nesting);
        break;
      case 'test:pass':
      case 'test:fail':
        fileOf(event.data.file).end(event);
        break;
      case 'test:summary':
        if (event.data.file !== undefined) {
          suites.push({ path: relative(process.cwd(), event.data.file), duration_ms: event.data.duration_ms });
          yield* close(event.data.file);
          break;
        }
        // Files that crashed or contain no test had no summary.
        for (const file of files.values()) yield finish(file);
        // The runner may fail for reasons outside of tests, and then the last line must not look like success.
        if (!event.data.success && total.failed === 0) {
          total.failed = 1;
          failures.push(styleText('red', '✖ The run failed outside of every test.'));
        }
        break;
    }
  }

  if (durations.length > SLOWEST_MAX) {
    yield `\nThe slowest files, in seconds:\n${indent(slowest(durations))}\n`;
    yield `\nSeconds by suite (several suites run at the same time):\n${indent(table(bySuite(suites)))}\n`;
    yield `\nThe run took ${seconds(performance.now() - startMs)} s.\n`;
  }
  for (const failure of failures) yield `\n${failure}\n`;
  yield `\n${total}\n`;
}

function slowest(durations: readonly Duration[]): string {
  return table(durations.toSorted((a, b) => b.duration_ms - a.duration_ms).slice(0, SLOWEST_MAX));
}

/** Sums up the processes of each suite; files with their own process are together. */
function bySuite(processes: readonly Duration[]): Duration[] {
  const sums = new Map<string, number>();
  for (const { path, duration_ms } of processes) {
    const name = /[/\\]suites[/\\](\w+)-\d+\.ts$/.exec(path)?.[1] ?? 'files with their own process';
    sums.set(name, (sums.get(name) ?? 0) + duration_ms);
  }
  const summed = Array.from(sums, ([path, duration_ms]) => ({ path, duration_ms }));
  return summed.sort((a, b) => b.duration_ms - a.duration_ms);
}

function table(durations: readonly Duration[]): string {
  return durations.map(({ path, duration_ms }) => `${seconds(duration_ms).padStart(6)} ${path}`).join('\n');
}

function seconds(duration_ms: number): string {
  return (duration_ms / 1000).toFixed(1);
}

/** Returns true for the report of a file without tests, or one that crashed, which looks like a test with the name of the file. */
function isFileItself(data: TestResult['data']): boolean {
  return data.nesting === 0 && data.file !== undefined && resolve(data.name) === data.file;
}

/** Returns whether the path belongs to a test file or a suite. */
function isTestFile(path: string): boolean {
  return path.endsWith('.test.ts') || /[/\\]suites[/\\][^/\\]+$/.test(path);
}

function isSet(value: string | boolean | undefined): boolean {
  return value !== undefined && value !== false;
}

function failureError(data: Failure): FailureError {
  return data.details.error as FailureError;
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}
