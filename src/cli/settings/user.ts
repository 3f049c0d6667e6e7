/** offerbook user: adds, lists, removes and signs out portal users, creates links to set a password, and removes passkeys. */
import { CommanderError, Option } from 'commander';
import { type IssuedLink, issueLink, linkUrl } from '../../access/portal/one-time-link.ts';
import { readSettings } from '../../config/settings.ts';
import { LIMITS } from '../../domain/limits.ts';
import { refuse } from '../../domain/outcome.ts';
import { requestProblem } from '../../domain/problem.ts';
import { normalizeEmail } from '../../domain/setup/portal-user.ts';
import { PORTAL_ROLE_NAMES, PORTAL_ROLES, type PortalRole } from '../../domain/vocabulary/portal-roles.ts';
import {
  addPortalUser,
  endPortalSessions,
  listPortalUsers,
  removePortalPasskeys,
  removePortalUser,
  resetPortalUser,
} from '../../operations/setup/portal-users.ts';
import type { ListedPortalUser, PortalUser } from '../../store/port/people.ts';
import { reachableUrl } from '../api/server-address.ts';
import { EXIT_CODES } from '../failure.ts';
import type { CliCommand } from '../options.ts';
import { type ConfirmOptions, confirm, YES_OPTION } from '../options.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { printable, table } from '../table.ts';
import { changeSetup, readSetup } from './setup-session.ts';

interface AddOptions extends OutputOptions {
  readonly role: PortalRole;
  readonly merchant?: string;
}

const LINK_HOURS = LIMITS.one_time_link_seconds / 3600;

export function addUserCommands(program: CliCommand, shell: Shell): void {
  const user = program
    .command('user')
    .description(
      'Add, list and remove portal users, create links to set a password, end sessions, and remove passkeys.',
    );

  const add = user
    .command('add')
    .description(
      `Add a portal user and show the link to set a password, once. The link is valid for ${LINK_HOURS} hours.`,
    )
    .argument('<email>', 'email address to sign in with; not case-sensitive')
    .addOption(
      new Option('--role <role>', 'role that sets what the user may do')
        .choices(PORTAL_ROLE_NAMES)
        .makeOptionMandatory(),
    )
    .option('--merchant <id>', 'merchant that the user belongs to; only for merchant roles')
    .notes('Roles:', ...PORTAL_ROLE_NAMES.map((role) => `  ${role.padEnd(16)} ${PORTAL_ROLES[role].meaning}`))
    .action((email: string, options: AddOptions) => addUser(shell, email, options));
  add.examples(
    'user add ann@marketplace.example --role operator',
    'user add bob@acme.example --role merchant-admin --merchant acme',
  );

  user
    .command('list')
    .description('List the portal users.')
    .action((options: OutputOptions) => list(shell, options))
    .examples('user list', 'user list --json');

  user
    .command('reset')
    .description("Create a new link to set a password and show it once. The user's earlier links stop working.")
    .argument('<email>', 'email address of the user')
    .action((email: string, options: OutputOptions) => reset(shell, email, options))
    .examples('user reset bob@acme.example');

  user
    .command('remove')
    .description('Remove a portal user; links and sessions end immediately. Asks first if it is the last operator.')
    .argument('<email>', 'email address of the user')
    .option(...YES_OPTION)
    .action((email: string, options: OutputOptions & ConfirmOptions) => remove(shell, email, options))
    .examples('user remove bob@acme.example');

  user
    .command('sessions-end')
    .description('Sign a portal user out everywhere; the password does not change.')
    .argument('<email>', 'email address of the user')
    .action((email: string, options: OutputOptions) => endSessions(shell, email, options))
    .examples('user sessions-end bob@acme.example');

  user
    .command('passkeys-remove')
    .description(
      'Remove all passkeys of a portal user who lost them, and sign the user out everywhere; the password is then enough to add a new one.',
    )
    .argument('<email>', 'email address of the user')
    .action((email: string, options: OutputOptions) => removePasskeys(shell, email, options))
    .examples('user passkeys-remove bob@acme.example');
}

async function addUser(shell: Shell, email: string, options: AddOptions): Promise<void> {
  requireFittingMerchant(options);
  const link = issueLink(Date.now());
  const { value } = await changeSetup(
    shell,
    { email, role: options.role, merchant: options.merchant },
    async (context, body) => {
      const added = await addPortalUser(context, body, link.stored);
      if (added.ok || !added.problems.some(({ code }) => code === 'user_exists')) return added;
      const text = `Portal user ${email} already exists. To create a new link, run "offerbook user reset ${email}".`;
      return refuse([requestProblem('user_exists', text)]);
    },
  );
  await printLink(shell, options, value, link, `Portal user ${printable(value.email)} was added.`);
}

/** Throws before the database is opened: the options contradict each other whatever it contains. */
function requireFittingMerchant({ role, merchant }: AddOptions): void {
  if (PORTAL_ROLES[role].ofMerchant === (merchant !== undefined)) return;
  const text = `option '--merchant <id>' ${merchant === undefined ? 'is required' : 'must not be given'} for role ${role}`;
  throw new CommanderError(EXIT_CODES.usage, 'offerbook.merchantOfRole', text);
}

async function reset(shell: Shell, email: string, options: OutputOptions): Promise<void> {
  const link = issueLink(Date.now());
  const { value } = await changeSetup(shell, { email }, (context) => resetPortalUser(context, email, link.stored));
  await printLink(shell, options, value, link, `A new link for portal user ${printable(value.email)} was created.`);
}

async function remove(shell: Shell, email: string, options: OutputOptions & ConfirmOptions): Promise<void> {
  const { value } = await changeSetup(shell, { email }, async (context) => {
    const operators = (await context.store.people.listPortalUsers()).filter(({ role }) => role === 'operator');
    if (operators.length === 1 && operators[0]?.email === normalizeEmail(email)) {
      const text = `${email} is the last operator. Without one, only the command line can manage the marketplace.`;
      await confirm(shell, options, text);
    }
    return removePortalUser(context, email);
  });
  print(shell, options, {
    json: userJson(value),
    lines: [`Portal user ${printable(value.email)} was removed.`],
  });
}

async function endSessions(shell: Shell, email: string, options: OutputOptions): Promise<void> {
  const { value: sessions } = await changeSetup(shell, { email }, (context) => endPortalSessions(context, email));
  const counted = sessions === 1 ? 'One session' : `${sessions} sessions`;
  print(shell, options, { json: { sessions }, lines: [`${counted} of ${printable(email)} ended.`] });
}

async function removePasskeys(shell: Shell, email: string, options: OutputOptions): Promise<void> {
  const { value: passkeys } = await changeSetup(shell, { email }, (context) => removePortalPasskeys(context, email));
  const counted = passkeys === 1 ? 'One passkey' : `${passkeys} passkeys`;
  print(shell, options, { json: { passkeys }, lines: [`${counted} of ${printable(email)} removed.`] });
}

async function list(shell: Shell, options: OutputOptions): Promise<void> {
  const { value: users } = await readSetup(shell, listPortalUsers);
  const shown = users.map(listedJson);
  const rows = shown.map(({ email, role, merchant_id, created, last_sign_in, passkeys }) => {
    return [email, role, merchant_id ?? '', created, last_sign_in ?? '', String(passkeys)];
  });
  const head = ['EMAIL', 'ROLE', 'MERCHANT', 'CREATED', 'LAST SIGN-IN', 'PASSKEYS'];
  print(shell, options, {
    json: { users: shown },
    lines: table(head, rows, 'There are no portal users.'),
  });
}

async function printLink(
  shell: Shell,
  options: OutputOptions,
  user: PortalUser,
  link: IssuedLink,
  done: string,
): Promise<void> {
  const url = linkUrl(await reachableUrl(readSettings(shell.variables)), link.token);
  const ends = new Date(link.stored.endsMs).toISOString();
  print(shell, options, {
    json: { ...userJson(user), link: url, link_ends: ends },
    lines: [
      `${done} The link to set a password:`,
      '',
      url,
      '',
      `It is shown only once, works once, and expires at ${ends}. Give it only to this user.`,
    ],
  });
}

function userJson({ email, role, merchantId, createdMs }: PortalUser) {
  return { email, role, merchant_id: merchantId, created: new Date(createdMs).toISOString() };
}

function listedJson({ lastSignInMs, passkeys, ...user }: ListedPortalUser) {
  const last_sign_in = lastSignInMs === null ? null : new Date(lastSignInMs).toISOString();
  return { ...userJson(user), last_sign_in, passkeys };
}
