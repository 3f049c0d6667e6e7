/**
 * Opens a session with a server as a merchant. The secret comes from the environment or the keyboard, never from the
 * command line, where other users of the machine could read it.
 */
import { type Command, InvalidArgumentError } from 'commander';
import { ApiSession } from '../../client/api-session.ts';
import { BulkFiles } from '../../client/bulk-files.ts';
import { readSettings } from '../../config/settings.ts';
import { requestProblem } from '../../domain/problem.ts';
import { RefusedError } from '../failure.ts';
import type { OutputOptions, Shell } from '../shell.ts';
import { stoppable } from '../stoppable.ts';
import { printable } from '../table.ts';
import { reachableUrl } from './server-address.ts';

export interface ServerOptions extends OutputOptions {
  readonly server?: string;
  readonly user?: string;
}

const SECRET_VARIABLE = 'OFFERBOOK_PASS';

export function addServerOptions(command: Command): Command {
  return command
    .option('--server <url>', 'address of the server (default: PUBLIC_URL, or HOST and PORT)', serverUrl)
    .option('--user <user>', 'user of the keys; asked for if missing')
    .addHelpText('after', `\nThe secret is read from ${SECRET_VARIABLE}, or asked for. It is never an argument.`);
}

/** Returns the same options as text, for a suggested command. */
export function serverArguments({ server, user }: ServerOptions): string {
  return [
    ...(server === undefined ? [] : [` --server ${quoted(server)}`]),
    ...(user === undefined ? [] : [` --user ${quoted(user)}`]),
  ].join('');
}

/** Quotes the text for a Unix shell. */
function quoted(argument: string): string {
  const text = printable(argument);
  return /^[\w.:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export interface ServerSession {
  readonly files: BulkFiles;
  /** Ctrl+C was pressed. */
  readonly stopped: AbortSignal;
}

export async function withServer<T>(
  shell: Shell,
  options: ServerOptions,
  run: (session: ServerSession) => Promise<T>,
): Promise<T> {
  const server = options.server ?? reachableUrl(readSettings(shell.variables));
  const user = await userOf(shell, options);
  const secret = await secretOf(shell, user);
  // Registered only now, because Ctrl+C cancels the prompt while a secret is typed.
  return stoppable(
    () => 'Stopped.',
    (stopped) => {
      const session = new ApiSession({ server, user, secret, signal: stopped });
      return run({ files: new BulkFiles(session, stopped), stopped });
    },
  );
}

async function userOf(shell: Shell, { user }: ServerOptions): Promise<string> {
  const given = user ?? (await shell.ask?.('User: '));
  if (given === undefined || given === '') throw missing('The user is missing: add --user.');
  return given;
}

async function secretOf(shell: Shell, user: string): Promise<string> {
  const given = shell.variables[SECRET_VARIABLE] || (await shell.askHidden?.(`Secret of ${user}: `));
  if (!given) throw missing(`The secret of ${user} is missing: set ${SECRET_VARIABLE}.`);
  return given;
}

function missing(text: string): RefusedError {
  return new RefusedError([requestProblem('credentials_missing', text)], {});
}

function serverUrl(text: string): string {
  const url = URL.parse(text);
  const isFine = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '';
  if (!isFine || url.hash !== '') {
    throw new InvalidArgumentError('It must be an address such as https://offers.example or http://127.0.0.1:8080.');
  }
  return url.href.replace(/\/+$/, '');
}
