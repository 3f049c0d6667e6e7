/** Writes results of benchmarks as tables: on the console, as JSON in bench/results/, and in Markdown. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import path from 'node:path';

export const RESULTS = path.join(import.meta.dirname, 'results');

/** Shows what a benchmark measured. The first column has names, all others figures. */
export interface TableData {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Result {
  readonly command: string;
  readonly date: string;
  readonly machine: string;
  readonly version: string;
  readonly notes: readonly string[];
  readonly tables: readonly TableData[];
}

const NAME_WIDTH_MIN = 58;

/** Collects the rows of a run. `head` and `add` return the lines for the console. */
export class Table implements TableData {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: (readonly string[])[] = [];

  constructor(title: string, columns: readonly string[]) {
    this.title = title;
    this.columns = columns;
  }

  get head(): string {
    return this.#line(this.columns);
  }

  add(cells: readonly string[]): string {
    this.rows.push(cells);
    return this.#line(cells);
  }

  #line([name = '', ...cells]: readonly string[]): string {
    const padded = cells.map((cell, at) => cell.padStart(this.columns[at + 1]?.length ?? 0));
    return [name.padEnd(NAME_WIDTH_MIN), ...padded].join('  ').trimEnd();
  }
}

/** `name` is that of the file. */
export function writeResult(name: string, { notes = [], tables }: Pick<Result, 'tables'> & Partial<Result>): void {
  const script = path.relative(process.cwd(), process.argv[1] ?? '');
  const result: Result = {
    command: ['node', script, ...process.argv.slice(2)].join(' '),
    date: new Date().toISOString().slice(0, 10),
    machine: machineText(),
    version: versionText(),
    notes,
    tables: tables.map(({ title, columns, rows }) => ({ title, columns, rows })),
  };
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(path.join(RESULTS, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

function machineText(): string {
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  const cpu = cpus()[0]?.model.trim() ?? 'unknown CPU';
  return `${availableParallelism()} cores (${process.arch}, ${cpu}), ${gibibytes} GiB memory, Node ${process.version.slice(1)}`;
}

function versionText(): string {
  const root = path.join(import.meta.dirname, '..');
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
  try {
    return `${version} (${execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()})`;
  } catch {
    // Not a clone.
    return version;
  }
}

/** Returns a number as text, with thousands separators and three digits at least. */
export function shown(value: number, decimals = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** Returns the lines of a result in Markdown: its conditions, and its tables. */
export function markdownOf({ command, date, machine, version, notes, tables }: Result): string {
  const row = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const lines = [`\`${command}\` on ${date}, version ${version}, on ${machine}.`, ...notes.map((note) => `${note}.`)];
  const blocks = tables.map(({ columns, rows }) =>
    [row(columns), row(columns.map(() => '---')), ...rows.map(row)].join('\n'),
  );
  return [lines.map((line) => `- ${line}`).join('\n'), ...blocks].join('\n\n');
}

/** Replaces the text between the markers of a block; fails if the page does not have them. */
export function withBlock(page: string, name: string, text: string): string {
  const [start, end] = [`<!-- bench: ${name} -->`, `<!-- end of bench: ${name} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`The page has no block ${name}.`);
  return `${page.slice(0, from + start.length)}\n\n${text}\n\n${page.slice(to)}`;
}

/** Returns a figure of a table by its row and column; undefined if there is none. */
export function figureOf({ tables }: Result, row: string, column: string): string | undefined {
  for (const { columns, rows } of tables) {
    const found = rows.find(([name]) => name === row)?.[columns.indexOf(column)];
    if (found !== undefined) return found;
  }
  return undefined;
}
