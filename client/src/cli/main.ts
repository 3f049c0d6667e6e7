#!/usr/bin/env node
/** The command `offerbook` for merchants. */
import { OfferbookError, UnreachableError } from '../errors.ts';
import { toJson } from '../json.ts';
import { Offerbook } from '../offerbook.ts';
import { BULK_COMMANDS } from './bulk.ts';
import type { Command, Commands } from './command.ts';
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

const EXIT = { done: 0, failed: 1, usage: 2 } as const;

const stopping = new AbortController();
process.once('SIGINT', () => stopping.abort());
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const json = args.includes('--json');
  try {
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
    client: async () =>
      new Offerbook({ ...(await chosenProfile(process.env, given.text('profile'))), signal: stopping.signal }),
    result: (value, text) => print(given.is('json') ? toJson(value) : text()),
  });
}

function report(error: unknown, json: boolean): number {
  if (stopping.signal.aborted) return EXIT.failed;
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
  if (!(error instanceof UnreachableError) && !(error instanceof Error)) throw error;
  say(json ? toJson({ error: error.message }) : error.message);
  return EXIT.failed;
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
    'Exit codes: 0 success, 1 refused or failed, 2 wrong usage.',
  ].join('\n');
}
