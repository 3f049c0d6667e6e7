/** Servers and keys that `offerbook login` stored, in a file that only its owner can read. */
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
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
    return JSON.parse(await readFile(file, 'utf8'));
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
  // Written aside and moved, so that a crash does not leave half a file.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, text, { mode: OWNER_ONLY });
  await chmod(draft, OWNER_ONLY);
  await rename(draft, file);
  return file;
}

/** OFFERBOOK_URL, OFFERBOOK_USER and OFFERBOOK_PASS win over the profile. */
export async function chosenProfile(variables: NodeJS.ProcessEnv, name: string | undefined): Promise<Profile> {
  const chosen = name ?? variables.OFFERBOOK_PROFILE ?? DEFAULT_PROFILE;
  const stored = (await readProfiles(variables))[chosen];
  if (name !== undefined && stored === undefined)
    throw new UsageError(`--profile: there is no profile ${name}. "offerbook login --profile ${name}" adds it.`);
  const url = variables.OFFERBOOK_URL || stored?.url;
  const user = variables.OFFERBOOK_USER || stored?.user;
  const pass = variables.OFFERBOOK_PASS || stored?.pass;
  if (!url || !user || !pass) {
    throw new UsageError(
      'No server is chosen. Run "offerbook login", or set OFFERBOOK_URL, OFFERBOOK_USER and OFFERBOOK_PASS.',
    );
  }
  return { url, user, pass };
}
