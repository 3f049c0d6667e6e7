/** Names for help texts: the configured ones, or the neutral ones while a setting is wrong. */
import { nameSettings, readSettings, SettingError } from '../config/settings.ts';
import { Names, NEUTRAL_NAMES } from '../domain/names.ts';
import type { Shell } from './shell.ts';

export function helpNames(shell: Shell): Names {
  try {
    return new Names(nameSettings(readSettings(shell.variables)));
  } catch (error) {
    if (error instanceof SettingError) return new Names(NEUTRAL_NAMES);
    throw error;
  }
}
