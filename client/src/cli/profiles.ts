/** Reads and stores servers and keys of `offerbook-client login`, in a file that only its owner can read. */
import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { isServerUrl } from '../session.ts';
import { say } from './terminal.ts';
import { UsageError } from './usage.ts';

export interface Profile {
  readonly url: string;
  readonly user: string;
  readonly pass: string;
}

type Profiles = Readonly<Record<string, Profile>>;

export const DEFAULT_PROFILE = 'default';
const NAME = /^[\w.-]{1,64}$/;
const OWNER_ONLY = 0o600;

export function profilesFile(variables: NodeJS.ProcessEnv): string {
  const folder =
    variables.OFFERBOOK_HOME || path.join(variables.XDG_CONFIG_HOME || path.join(homedir(), '.config'), 'offerbook');
  return path.join(folder, 'profiles.json');
}

export async function readProfiles(variables: NodeJS.ProcessEnv): Promise<Profiles> {
  const file = profilesFile(variables);
  try {
    const text = await readFile(file, 'utf8');
    // Windows has no such file modes.
    const { mode } = await stat(file);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      say(`Other users can read the keys in ${file}. Run: chmod 600 ${file}`);
    return JSON.parse(text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    if (error instanceof SyntaxError)
      throw new UsageError(`${file} is not JSON. Correct it, or remove it and log in again.`);
    throw error;
  }
}

export async function saveProfile(variables: NodeJS.ProcessEnv, name: string, profile: Profile): Promise<string> {
  if (!NAME.test(name)) throw new UsageError('--profile: must be 1 to 64 letters, digits, ".", "_" or "-".');
  const file = profilesFile(variables);
  const text = `${JSON.stringify({ ...(await readProfiles(variables)), [name]: profile }, null, 2)}\n`;
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  // Written to a temporary file and renamed, so that a crash does not leave half a file.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, text, { mode: OWNER_ONLY });
  await chmod(draft, OWNER_ONLY);
  await rename(draft, file);
  return file;
}

const KEYS = { url: 'OFFERBOOK_URL', user: 'OFFERBOOK_USER', pass: 'OFFERBOOK_PASS' } as const;

/**
 * `--profile` takes precedence over the variables, which take precedence over the default profile. Server and keys come from one source, so
 * that a secret is never sent to another server.
 */
export async function chosenProfile(variables: NodeJS.ProcessEnv, name: string | undefined): Promise<Profile> {
  if (name === undefined && (variables.OFFERBOOK_URL || variables.OFFERBOOK_USER)) {
    if (variables.OFFERBOOK_PROFILE)
      throw new UsageError(
        'OFFERBOOK_PROFILE cannot be combined with OFFERBOOK_URL or OFFERBOOK_USER. Unset one of them, or use --profile.',
      );
    const missing = Object.values(KEYS).filter((key) => !variables[key]);
    if (missing.length > 0) throw new UsageError(`${missing.join(' and ')} must be set too.`);
    const [url = '', user = '', pass = ''] = Object.values(KEYS).map((key) => variables[key]);
    if (!isServerUrl(url)) throw new UsageError('OFFERBOOK_URL: must be a URL such as https://offers.example.');
    return { url, user, pass };
  }
  const chosen = name ?? (variables.OFFERBOOK_PROFILE || DEFAULT_PROFILE);
  const profiles = await readProfiles(variables);
  const found = Object.hasOwn(profiles, chosen) ? profiles[chosen] : undefined;
  if (found !== undefined) return found;
  const stored = Object.keys(profiles).sort().join(', ');
  throw new UsageError(
    stored === ''
      ? 'No server is configured. Run "offerbook-client login", or set OFFERBOOK_URL, OFFERBOOK_USER and OFFERBOOK_PASS.'
      : `There is no profile ${chosen}; stored: ${stored}. Choose one with --profile.`,
  );
}
