/** Generates the docs pages and the README's settings table from the code. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { SETTINGS } from '../src/config/settings.ts';
import { LIMITS } from '../src/domain/limits.ts';
import {
  API_PROBLEM_CODES,
  COMMAND_PROBLEM_CODES,
  PORTAL_PROBLEM_CODES,
  type ProblemCode,
} from '../src/domain/problem.ts';
import { problemStatus } from '../src/http/answers/problem-status.ts';
import { readStarter } from '../src/taxonomy/starter.ts';
import { SPACING_SECONDS } from '../src/telemetry/event-log.ts';
import { EVENTS } from '../src/telemetry/events.ts';
import { METRICS } from '../src/telemetry/metric-table.ts';

export const ROOT = path.resolve(import.meta.dirname, '..');

const MADE_BY = '<!-- Made by `npm run docs`; do not edit by hand. -->';

/** Returns the text of each file by its path relative to the root. */
export function generatedDocs(): Map<string, string> {
  return new Map([
    ['docs/errors.md', errorsPage()],
    ['docs/limits.md', limitsPage()],
    ['docs/metrics.md', metricsPage()],
    ['docs/taxonomy.md', taxonomyPage()],
    ['README.md', withSettingsTable(readFileSync(path.join(ROOT, 'README.md'), 'utf8'))],
  ]);
}

function errorsPage(): string {
  return page(
    '# Errors',
    'Every error answers with `{"errors": [sentence, ...], "details": [{"code", "field", "message"}, ...]}`. ' +
      '`field` is a JSON pointer into the body, or empty where the fault is not in the body. Codes are stable: they ' +
      'are never renamed and never reused.',
    codesTable(API_PROBLEM_CODES),
    '## In the portal',
    'The calls of the portal answer in the same shape, with the codes above and these. The command line gives some of ' +
      'them too.',
    codesTable(PORTAL_PROBLEM_CODES),
    '## On the command line only',
    'With `--json` the command line writes errors in the same shape to standard error. It gives some of the codes above ' +
      'and these; the exit code is 2 for `usage_wrong` and 1 for all others.',
    table(
      ['code', 'meaning'],
      Object.entries(COMMAND_PROBLEM_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
  );
}

function codesTable(codes: Readonly<Record<string, string>>): string {
  return table(
    ['code', 'status', 'meaning'],
    Object.entries(codes).map(([code, meaning]) => [
      `\`${code}\``,
      String(problemStatus(code as ProblemCode)),
      meaning,
    ]),
  );
}

function limitsPage(): string {
  return page(
    '# Limits',
    'What goes beyond a limit is refused with 400 (429 for requests) and nothing is stored. Characters are Unicode ' +
      'code points. `amount` is every price, weight and size; `count` every quantity.',
    table(
      ['limit', 'value'],
      Object.entries(LIMITS).map(([name, value]) => [`\`${name}\``, value.toLocaleString('en-US')]),
    ),
  );
}

function metricsPage(): string {
  return page(
    '# Metrics and log',
    'If `METRICS_PORT` is set, `http://127.0.0.1:METRICS_PORT/metrics` serves these metrics in the Prometheus text format, ' +
      'on the loopback address only. Label values come from the route list and the tables here, never from clients. ' +
      'With `serve --processes`, each process has its own page at `METRICS_PORT` plus its number (1, 2, …): scrape all ' +
      'of them. [deploy.md](deploy.md) says what to watch.',
    table(
      ['metric', 'type', 'labels', 'meaning'],
      Object.values(METRICS).map(({ name, type, labels, help }) => [`\`${name}\``, type, labels.join(', '), help]),
    ),
    '## Events',
    'The log and the metrics show the same events. Each event is a JSON line on standard error (readable text on a ' +
      'terminal) with `level`, `time`, `event`, its fields and `message`. `LOG_LEVEL` sets the lowest level that is ' +
      'written. With several processes, `worker` is the number of the process; 0 is the one that started the others. ' +
      `A spaced event is logged at its first occurrence and then at most once in ${SPACING_SECONDS} seconds, with the ` +
      'count in `times`, so that clients cannot fill the disk. Log lines never contain headers, bodies, secrets or tokens.',
    table(
      ['event', 'level', 'spaced', 'counted as', 'message'],
      Object.entries(EVENTS).map(([name, { level, spaced, limit, message }]) => [
        `\`${name}\``,
        level,
        spaced ? 'yes' : '',
        limit === undefined ? '' : `limit \`${limit}\``,
        message,
      ]),
    ),
  );
}

function taxonomyPage(): string {
  const { tree } = readStarter();
  const attributes = new Map(
    tree.nodes.flatMap(({ id }) => tree.attributes(id).map(({ attribute }) => [attribute.id, attribute])),
  );
  return page(
    '# Starter taxonomy',
    'The nodes that `marketplace_browse_node_id` may name until an operator brings another taxonomy ' +
      '([its format](taxonomy-format.md)). An offer needs a leaf; the ids never change. The leaves of Shoes are also ' +
      'the shoe product types of the second SKU upload. Required attributes are **bold**.',
    table(
      ['id', 'node', 'leaf', 'suggested tax code', 'attributes'],
      tree.nodes.map((node) => [
        String(node.id),
        `${'· '.repeat(node.level)}${node.name}`,
        node.isLeaf ? 'yes' : '',
        node.isLeaf ? (node.suggestedTaxCode ?? '') : '',
        node.isLeaf
          ? tree
              .attributes(node.id)
              .map(({ attribute, required }) => (required ? `**${attribute.description}**` : attribute.description))
              .join(', ')
          : '',
      ]),
    ),
    '## Attributes',
    table(
      ['id', 'attribute', 'variant', 'takes', 'units'],
      [...attributes.values()]
        .toSorted((one, other) => Number(one.id) - Number(other.id))
        .map(({ id, description, variant, dataType, values, units, min, max }) => [
          String(id),
          description,
          variant ? 'yes' : '',
          values.length > 0
            ? values.join(', ')
            : dataType === 'text'
              ? 'any text'
              : `${dataType} from ${min} to ${max}`,
          units.join(', '),
        ]),
    ),
  );
}

const SETTINGS_START = '<!-- settings: made by `npm run docs` -->';
const SETTINGS_END = '<!-- end of settings -->';

function withSettingsTable(readme: string): string {
  const before = readme.split(SETTINGS_START)[0] ?? '';
  const after = readme.split(SETTINGS_END)[1] ?? '';
  const rows = Object.values(SETTINGS).map(({ name, fallback, meaning }) => [
    `\`${name}\``,
    fallback === '' ? '' : `\`${fallback}\``,
    meaning,
  ]);
  return `${before}${SETTINGS_START}\n\n${table(['setting', 'default', 'meaning'], rows)}\n\n${SETTINGS_END}${after}`;
}

function page(...parts: string[]): string {
  return `${[parts[0], MADE_BY, ...parts.slice(1)].join('\n\n')}\n`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
