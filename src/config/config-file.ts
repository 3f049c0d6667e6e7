/** Reads the configuration file: one setting per line, as `NAME=value`. Environment variables take precedence over it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suggestion } from '../domain/check/near-names.ts';
import { SETTINGS, SettingError, valueFault } from './settings.ts';

export const CONFIG_VARIABLE = 'OFFERBOOK_CONFIG';
/** Read from the working directory when no other file is named. */
export const CONFIG_FILE_DEFAULT = 'offerbook.env';

type Variables = Readonly<Record<string, string | undefined>>;

/** Relative paths in the file are relative to its folder, so that every command finds the same database. */
const PATH_NAMES: readonly string[] = [SETTINGS.dataDir, SETTINGS.filesDir, SETTINGS.tlsCert, SETTINGS.tlsKey].map(
  ({ name }) => name,
);

/**
 * Returns `variables`, with the file's settings for variables that are not set, and the file's path as OFFERBOOK_CONFIG. Throws
 * SettingError when the file cannot be read or a line is invalid.
 */
export function withConfigFile(variables: Variables, named = variables[CONFIG_VARIABLE]): Variables {
  const file = path.resolve(named || CONFIG_FILE_DEFAULT);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!named && code === 'ENOENT') return variables;
    throw new SettingError(`The configuration file ${file} ${readingFault(code)}`);
  }
  return { ...parseConfig(file, text, variables), ...variables, [CONFIG_VARIABLE]: file };
}

function readingFault(code = ''): string {
  if (code === 'ENOENT') return 'does not exist';
  if (code === 'EISDIR') return 'is a folder';
  if (code !== 'EACCES') return `cannot be read (${code})`;
  return `cannot be read by user ${process.geteuid?.()}: run the command as root or as the server's user`;
}

/** Does not check values that `overriding` replaces. */
function parseConfig(file: string, text: string, overriding: Variables): Record<string, string> {
  const known = new Map(Object.values(SETTINGS).map((setting) => [setting.name, setting]));
  const values: Record<string, string> = {};
  const faults: string[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const [, name, value] = /^\s*([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    const fault =
      name === undefined || value === undefined
        ? 'must be NAME=value, or a comment that starts with #'
        : !known.has(name)
          ? `${name} is not a setting${suggestion(name, known.keys())}`
          : Object.hasOwn(values, name)
            ? `${name} is set twice`
            : /^(["']).*\1$/.test(value)
              ? `${name} must be written without quotes`
              : /\s#/.test(value)
                ? `${name} is followed by a comment; put the comment on a line of its own`
                : overriding[name] === undefined
                  ? faultOf(known.get(name), value)
                  : undefined;
    if (fault !== undefined) faults.push(`${file}:${index + 1}: ${fault}`);
    else if (name !== undefined && value !== undefined) values[name] = absolute(file, name, value);
  }
  if (faults.length > 0) throw new SettingError(faults.join('; '));
  return values;
}

function faultOf(setting: (typeof SETTINGS)[keyof typeof SETTINGS] | undefined, value: string): string | undefined {
  try {
    setting?.parse(value);
    return undefined;
  } catch (error) {
    return setting && valueFault(setting, value, error as Error);
  }
}

function absolute(file: string, name: string, value: string): string {
  return PATH_NAMES.includes(name) && value !== '' ? path.resolve(path.dirname(file), value) : value;
}
