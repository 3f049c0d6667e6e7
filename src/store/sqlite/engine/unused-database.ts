/** Deletes a database that a failed command created and that has no data. */
import { rmSync } from 'node:fs';
import { StoreUnavailableError } from '../../port/errors.ts';
import type { Connection } from './connection.ts';
import { markFile } from './data-dir.ts';
import { readContents } from './database-check.ts';
import { isBusy, openExclusively, openWithoutLog } from './engine.ts';

/** A server adds a signing key; every other command that changes a database adds an act. */
const TABLES_OF_USE = ['merchant', 'signing_key', 'operator_act'];

/** Returns whether it was deleted. */
export function deleteUnused(file: string): boolean {
  using connection = openAlone(file);
  if (connection === undefined) return false;
  const contents = readContents(connection);
  if (TABLES_OF_USE.some((table) => contents[table] !== 0)) return false;
  rmSync(file);
  rmSync(markFile(file), { force: true });
  return true;
}

/** Returns undefined if another process has the database open: then its log cannot be removed. */
function openAlone(file: string): Connection | undefined {
  try {
    openWithoutLog(file).close();
    return openExclusively(file);
  } catch (error) {
    if (error instanceof StoreUnavailableError && isBusy(error.cause)) return undefined;
    throw error;
  }
}
