#!/usr/bin/env node
/** The command `offerbook` for merchants. */
import { readFileSync } from 'node:fs';
import { OfferbookError, UnreachableError } from '../errors.ts';
import { toJson } from '../json.ts';
import { Offerbook } from '../offerbook.ts';
import { BULK_COMMANDS } from './bulk.ts';
import { type Command, type Commands, Interrupted } from './command.ts';
import { FEED_COMMANDS } from './feed.ts';
import { LOGIN_COMMANDS } from './login.ts';
import { OFFER_COMMANDS } from './offers.ts';
import { chosenProfile } from './profiles.ts';
import { SYNC_COMMANDS } from './sync.ts';
import { print, printable, say } from './terminal.ts';
import { type Arguments, helpOf, readArguments, UsageError } from './usage.ts';

const COMMANDS: Commands = {
  ...LOGIN_COMMANDS,
  ...OFFER_COMMANDS,
  ...BULK_COMMANDS,
  ...SYNC_COMMANDS,
  ...FEED_COMMANDS,
};

const VERSION: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

/** Interrupts and closed pipes have 128 and the number of the signal, as in a shell. */
const EXIT = { done: 0, failed: 1, usage: 2, unreachable: 3, SIGINT: 130, SIGPIPE: 141, SIGTERM: 143 } as const;
const RETRY_SAID_MS = 5_000;

const stopping = new AbortController();
let stoppedBy: 'SIGINT' | 'SIGTERM' = 'SIGINT';
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stoppedBy = signal;
    stopping.abort();
  });
}
// The reader of the output has enough, as in "offerbook sku list | head".
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.SIGPIPE);
});
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const json = args.includes('--json');
  try {
    if (args[0] === '--version') {
      print(VERSION);
      return EXIT.done;
    }
    const name = nameOf(args);
    const command = COMMANDS[name];
    if (command === undefined) {
      print(overview());
      return args.length === 0 || args.includes('--help') || args[0] === 'help' ? EXIT.done : EXIT.usage;
    }
    const given = readArguments(name, command, args.slice(name.split(' ').length));
    if (given.is('help')) {
      print(helpOf(name, command));
      return EXIT.done;
    }
    return (await run(command, given)) === false ? EXIT.failed : EXIT.done;
  } catch (error) {
    return report(error, json);
  }
}

/** The longest command that the arguments begin with. */
function nameOf(args: readonly string[]): string {
  const [one = '', two = ''] = args;
  const name = `${one} ${two}`;
  if (name in COMMANDS || one in COMMANDS) return name in COMMANDS ? name : one;
  const known = Object.keys(COMMANDS).filter((command) => command.startsWith(`${one} `));
  if (known.length > 0 && !two.startsWith('-'))
    throw new UsageError(`Usage: ${known.map((command) => `offerbook ${command}`).join(' | ')}`);
  if (one !== '' && one !== 'help' && !one.startsWith('-'))
    throw new UsageError(`There is no command "${one}". "offerbook help" lists all.`);
  return '';
}

function run(command: Command, given: Arguments): Promise<boolean | undefined> {
  return command.run({
    ...given,
    variables: process.env,
    stopped: stopping.signal,
    client: async (options) => {
      const profile = await chosenProfile(process.env, given.text('profile'));
      return new Offerbook({ ...profile, ...options, signal: stopping.signal, onRetry: retryNotice() });
    },
    result(value, text) {
      const shown = given.is('json') ? toJson(value) : text();
      if (shown !== '') print(shown);
    },
  });
}

function retryNotice(): (error: Error, left_ms: number) => void {
  let saidMs = Number.NEGATIVE_INFINITY;
  return ({ message }, left_ms) => {
    if (performance.now() - saidMs < RETRY_SAID_MS) return;
    saidMs = performance.now();
    say(`${printable(message)} Trying again for ${Math.ceil(left_ms / 1000)} s.`);
  };
}

function report(error: unknown, json: boolean): number {
  if (stopping.signal.aborted) {
    say(error instanceof Interrupted ? error.message : 'Interrupted.');
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
    return EXIT.failed;
  }
  if (!(error instanceof Error)) throw error;
  say(json ? toJson({ error: error.message }) : error.message);
  return error instanceof UnreachableError ? EXIT.unreachable : EXIT.failed;
}

function overview(): string {
  const width = Math.max(...Object.entries(COMMANDS).map(([name, { takes }]) => `${name} ${takes}`.length));
  return [
    'Usage: offerbook COMMAND',
    '',
    'Lists and maintains the offers of a merchant through the API of a marketplace.',
    '',
    ...Object.entries(COMMANDS).map(
      ([name, { takes, about }]) =>
        `  ${`${name} ${takes}`.padEnd(width)}  ${about.split('. ')[0]?.replace(/\.$/, '')}`,
    ),
    '',
    '"offerbook COMMAND --help" explains a command. Every command takes --profile, and --json for output as JSON.',
    '"offerbook --version" prints the version.',
    'Exit codes: 0 success, 1 refused or failed, 2 wrong usage, 3 no answer, 130 and 143 interrupted.',
  ].join('\n');
}
