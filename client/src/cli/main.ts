#!/usr/bin/env node
/** Runs the command `offerbook-client` for merchants. */
import { readFileSync } from 'node:fs';
import { OfferbookError, UnreachableError } from '../errors.ts';
import { toJson } from '../json.ts';
import { Offerbook } from '../offerbook.ts';
import { ACCOUNT_COMMANDS } from './account.ts';
import { BULK_COMMANDS } from './bulk.ts';
import { type Command, type Commands, Interrupted } from './command.ts';
import { FEED_COMMANDS } from './feed.ts';
import { HISTORY_COMMANDS } from './history.ts';
import { LOGIN_COMMANDS } from './login.ts';
import { OFFER_COMMANDS } from './offers.ts';
import { PLAN_COMMANDS } from './plans.ts';
import { chosenProfile } from './profiles.ts';
import { SYNC_COMMANDS } from './sync.ts';
import { print, printable, say } from './terminal.ts';
import { type Arguments, helpOf, KEYS_HELP, misplacedOption, readArguments, UsageError } from './usage.ts';
import { WEBHOOK_COMMANDS } from './webhooks.ts';

const COMMANDS: Commands = {
  ...LOGIN_COMMANDS,
  ...OFFER_COMMANDS,
  ...HISTORY_COMMANDS,
  ...PLAN_COMMANDS,
  ...ACCOUNT_COMMANDS,
  ...BULK_COMMANDS,
  ...SYNC_COMMANDS,
  ...FEED_COMMANDS,
  ...WEBHOOK_COMMANDS,
};

const VERSION: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

/**
 * Code 1 is a result, such as failed rows or a difference. With the higher codes, the command itself failed. Interrupts and closed pipes
 * have 128 plus the number of the signal, as in a shell.
 */
const EXIT = {
  done: 0,
  negative: 1,
  usage: 2,
  unreachable: 3,
  refused: 4,
  SIGINT: 130,
  SIGPIPE: 141,
  SIGTERM: 143,
} as const;
const RETRY_SAID_MS = 5_000;
const HELP_OF_COMMANDS =
  '"offerbook-client COMMAND --help" explains a command. Every command takes --profile, and --json for output as JSON.';

const stopping = new AbortController();
let stoppedBy: 'SIGINT' | 'SIGTERM' = 'SIGINT';
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stoppedBy = signal;
    stopping.abort();
  });
}
// The reader has closed the output, as in "offerbook-client sku list | head".
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.SIGPIPE);
});
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const json = args.includes('--json');
  let command: Command | undefined;
  try {
    if (args[0] === '--version') {
      print(VERSION);
      return EXIT.done;
    }
    const name = nameOf(args);
    command = COMMANDS[name];
    if (command === undefined) {
      print(name === '' ? overview() : groupHelp(name));
      return args.length === 0 || args.includes('--help') || args[0] === 'help' ? EXIT.done : EXIT.usage;
    }
    const given = readArguments(name, command, args.slice(name.split(' ').length));
    if (given.is('help')) {
      print(helpOf(name, command));
      return EXIT.done;
    }
    return (await run(command, given)) === false ? EXIT.negative : EXIT.done;
  } catch (error) {
    return report(error, json, command);
  }
}

/** Returns the longest command that the arguments begin with, or the first word of a group of commands. */
function nameOf(args: readonly string[]): string {
  const [one = '', two = ''] = args;
  const name = `${one} ${two}`;
  if (name in COMMANDS || one in COMMANDS) return name in COMMANDS ? name : one;
  if (groupOf(one).length > 0) return one;
  if (one === '' || one === 'help' || one === '--help') return '';
  if (one.startsWith('-')) throw misplacedOption(one);
  throw new UsageError(`There is no command "${one}". "offerbook-client help" lists all.`);
}

function groupOf(word: string): string[] {
  return Object.keys(COMMANDS).filter((name) => name.startsWith(`${word} `));
}

function run(command: Command, given: Arguments): Promise<boolean | undefined> {
  return command.run({
    ...given,
    variables: process.env,
    stopped: stopping.signal,
    client: async (options) => {
      const profile = await chosenProfile(process.env, given.text('profile'));
      return new Offerbook({ ...profile, ...options, signal: stopping.signal, onRetry: retryNotice(), onIgnored });
    },
    result(value, text) {
      const shown = given.is('json') ? toJson(value) : text();
      if (shown !== '') print(shown);
    },
  });
}

function onIgnored(fields: readonly string[]): void {
  for (const field of fields) say(`${printable(field)}: unknown field, ignored.`);
}

function retryNotice(): (error: Error, left_ms: number) => void {
  let saidMs = Number.NEGATIVE_INFINITY;
  return ({ message }, left_ms) => {
    if (performance.now() - saidMs < RETRY_SAID_MS) return;
    saidMs = performance.now();
    say(`${printable(message)} Retrying for up to ${Math.ceil(left_ms / 1000)} s.`);
  };
}

function report(error: unknown, json: boolean, command: Command | undefined): number {
  if (stopping.signal.aborted) {
    const { whenInterrupted = '' } = command ?? {};
    say(error instanceof Interrupted ? error.message : `Interrupted. ${whenInterrupted}`.trimEnd());
    return EXIT[stoppedBy];
  }
  if (error instanceof UsageError) {
    say(json ? toJson({ error: error.message }) : error.message);
    return EXIT.usage;
  }
  if (error instanceof OfferbookError) {
    const { status, problems, requestId } = error;
    if (json) say(toJson({ status, problems, request_id: requestId }));
    else for (const { code, message } of problems) say(`${printable(message)} [${code}]`);
    if (!json && requestId !== undefined) say(`Request id: ${requestId}`);
    return EXIT.refused;
  }
  if (!(error instanceof Error)) throw error;
  say(json ? toJson({ error: error.message }) : error.message);
  return error instanceof UnreachableError ? EXIT.unreachable : EXIT.refused;
}

function rowsOf(commands: readonly (readonly [name: string, command: Command])[]): string[] {
  const width = Math.max(...commands.map(([name, { takes }]) => `${name} ${takes}`.length));
  return commands.map(
    ([name, { takes, about }]) => `  ${`${name} ${takes}`.padEnd(width)}  ${about.split('. ')[0]?.replace(/\.$/, '')}`,
  );
}

function groupHelp(word: string): string {
  const commands = groupOf(word).map((name) => [name, COMMANDS[name] as Command] as const);
  return ['Usage: offerbook-client COMMAND', '', ...rowsOf(commands), '', HELP_OF_COMMANDS].join('\n');
}

function overview(): string {
  return [
    'Usage: offerbook-client COMMAND',
    '',
    "Manages a merchant's offers through the API of a marketplace.",
    '',
    ...rowsOf(Object.entries(COMMANDS)),
    '',
    HELP_OF_COMMANDS,
    KEYS_HELP,
    '"offerbook-client --version" prints the version.',
    'Exit codes: 0 success, 1 failed rows or a difference, 2 wrong usage or file, 3 no response, 4 refused, 130 and 143 interrupted.',
  ].join('\n');
}
