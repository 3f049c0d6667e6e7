/** Reads the arguments of a command by its description, and prints its help. */
import { parseArgs } from 'node:util';

/** Thrown when the arguments are wrong. Nothing was sent. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface Option {
  /** What the value is; undefined for a switch, which takes no value. */
  readonly value?: string;
  /** True if `value` is the only accepted value. */
  readonly isLiteral?: true;
  readonly about: string;
  readonly required?: boolean;
}

export interface Arguments {
  readonly values: readonly string[];
  text(name: string): string | undefined;
  is(name: string): boolean;
}

export interface Usage {
  /** The arguments: `<name>` is required, `[name]` is optional, and `...` at the end repeats the last one. */
  readonly takes: string;
  readonly about: string;
  readonly options?: Readonly<Record<string, Option>>;
}

export const KEYS_HELP =
  'Server and keys: the profile that "offerbook-client login" stored, or OFFERBOOK_URL, OFFERBOOK_USER and OFFERBOOK_PASS.';

const COMMON: Readonly<Record<string, Option>> = {
  profile: { value: 'name', about: 'stored profile to use (default: OFFERBOOK_PROFILE, or "default")' },
  json: { about: 'print JSON' },
  help: { about: 'print this help' },
};

export function readArguments(name: string, usage: Usage, args: readonly string[]): Arguments {
  const options = { ...usage.options, ...COMMON };
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(options).map(([option, { value }]) => [
          option,
          { type: value === undefined ? 'boolean' : 'string' },
        ]),
      ),
    });
  } catch (error) {
    throw new UsageError(`${faultOf(error as Error, options)} See "offerbook-client ${name} --help".`);
  }
  const { values, positionals } = parsed;
  if (values.help !== true) {
    checkCount(name, usage, positionals.length);
    for (const [option, { required }] of Object.entries(options)) {
      if (required && values[option] === undefined)
        throw new UsageError(`--${option} is required. See "offerbook-client ${name} --help".`);
    }
  }
  return {
    values: positionals,
    text: (option) => values[option] as string | undefined,
    is: (option) => values[option] === true,
  };
}

const SECRET_HINT =
  'The secret is never an argument: set OFFERBOOK_PASS, or type it when "offerbook-client login" asks.';
const SERVER_HINT =
  'Only "login" takes --server and --user. Other commands use the stored profile, or OFFERBOOK_URL and OFFERBOOK_USER.';
/** Advice for options that other programs have and this one does not. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ['--pass', SECRET_HINT],
  ['--password', SECRET_HINT],
  ['--secret', SECRET_HINT],
  ['--server', SERVER_HINT],
  ['--user', SERVER_HINT],
  ['--dry-run', 'To see what differs without sending it, use "offerbook-client diff <file> --values".'],
]);

/** Rewrites an error of Node.js, whose first sentence names the option and whose rest does not apply here. */
function faultOf({ message }: Error, options: Readonly<Record<string, Option>>): string {
  const [, option] = /^Unknown option '([^']+)'/.exec(message) ?? [];
  if (option !== undefined) return HINTS.get(option) ?? `There is no option ${option}.`;
  const [, unset = ''] = /^Option '--([\w-]+).*' argument (?:missing|is ambiguous)/.exec(message) ?? [];
  if (options[unset] !== undefined) return `--${unset} needs a value: --${unset}=${shownValue(options[unset])}.`;
  return `${message.split(/[.\n]/, 1)[0]}.`;
}

/** Returns the error for an option before the command. */
export function misplacedOption(arg: string): UsageError {
  const [option = ''] = arg.split('=', 1);
  const advice = HINTS.get(option) ?? 'See "offerbook-client help".';
  return new UsageError(`${option}: options come after the command. ${advice}`);
}

function shownValue({ value = '', isLiteral }: Option): string {
  return isLiteral ? value : `<${value}>`;
}

function checkCount(name: string, { takes }: Usage, count: number): void {
  const least = (takes.match(/<[^>]+>/g) ?? []).length;
  const most = takes.endsWith('...') ? Number.POSITIVE_INFINITY : (takes.match(/[<[]/g) ?? []).length;
  if (count < least) throw new UsageError(`An argument is missing. Usage: ${line(name, takes)}`);
  if (count > most) throw new UsageError(`Too many arguments. Usage: ${line(name, takes)}`);
}

export function helpOf(name: string, { takes, about, options }: Usage): string {
  const rows = Object.entries({ ...options, ...COMMON }).map(([key, option]) => [
    `  --${key}${option.value === undefined ? '' : ` ${shownValue(option)}`}`,
    option.about,
  ]);
  const width = Math.max(...rows.map(([left = '']) => left.length));
  return [
    `Usage: ${line(name, takes)}`,
    '',
    about,
    '',
    ...rows.map(([left = '', right]) => `${left.padEnd(width)}  ${right}`),
    '',
    KEYS_HELP,
  ].join('\n');
}

function line(name: string, takes: string): string {
  return `offerbook-client ${name}${takes === '' ? '' : ` ${takes}`} [options]`;
}
