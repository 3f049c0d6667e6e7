/** Runs one operation on the account settings, alongside a running server or without one. */
import { nameSettings, readSettings, SettingError } from '../../config/settings.ts';
import { readBodyValue, type SentBody } from '../../domain/body-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import { Names, NEUTRAL_NAMES } from '../../domain/names.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { createSetupChecks } from '../../domain/setup/all-setup.ts';
import type { SetupContext } from '../../operations/setup/merchant-accounts.ts';
import { openSetupStore } from '../../store/open-store.ts';
import { sayCreated } from '../database-use.ts';
import { accepted } from '../failure.ts';
import type { Shell } from '../shell.ts';

/** Printed after a change to the settings. */
export const NOTICE = `A running server applies the change within ${LIMITS.setup_notice_seconds_max} seconds.`;

/** Throws RefusedError if the operation refuses. `sent` is the body for the operation. */
export async function changeSetup<T>(
  shell: Shell,
  sent: Readonly<Record<string, unknown>>,
  operation: (context: SetupContext, body: SentBody) => Promise<Outcome<T>>,
): Promise<{ readonly value: T; readonly names: Names }> {
  const settings = readSettings(shell.variables);
  const names = new Names(nameSettings(settings));
  const store = await openSetupStore(settings);
  sayCreated(shell);
  try {
    const context = { store, checks: createSetupChecks(names), nowMs: () => Date.now() };
    return { value: accepted(await operation(context, readBodyValue(sent)), sent), names };
  } finally {
    await store.close();
  }
}

export function readSetup<T>(
  shell: Shell,
  operation: (context: SetupContext) => Promise<Outcome<T>>,
): Promise<{ readonly value: T; readonly names: Names }> {
  return changeSetup(shell, {}, (context) => operation(context));
}

/** Returns the names for help texts: the configured ones, or the neutral ones while a setting is wrong. */
export function helpNames(shell: Shell): Names {
  try {
    return new Names(nameSettings(readSettings(shell.variables)));
  } catch (error) {
    if (error instanceof SettingError) return new Names(NEUTRAL_NAMES);
    throw error;
  }
}
