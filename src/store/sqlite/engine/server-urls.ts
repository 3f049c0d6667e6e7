/**
 * Keeps the URLs of the running server in a file of the data folder, so that commands find a server whose address was set only for its own
 * process. The file counts only while a server holds the lock, so one that a killed server left behind is not used.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDataDirLocked } from './lock.ts';

export interface ServerUrls {
  /** URL it listens on. */
  readonly url: string;
  /** URL that clients use. */
  readonly publicUrl: string;
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/** Call it with the lock held. Without `urls`, it removes the file. */
export function writeServerUrls(dataDir: string, urls?: ServerUrls): void {
  const file = urlsFile(dataDir);
  rmSync(file, { force: true });
  if (urls === undefined) return;
  try {
    writeFileSync(file, JSON.stringify(urls), { mode: 0o600 });
  } catch (error) {
    rmSync(file, { force: true });
    // On a full disk the server still serves reads, and commands use their settings.
    if (!FULL.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** Returns undefined if no server runs, or if it is not listening yet. */
export function readServerUrls(dataDir: string): ServerUrls | undefined {
  if (!isDataDirLocked(dataDir)) return undefined;
  try {
    const { url, publicUrl } = JSON.parse(readFileSync(urlsFile(dataDir), 'utf8'));
    return URL.canParse(url) && URL.canParse(publicUrl) ? { url, publicUrl } : undefined;
  } catch {
    // The server has not written it yet, or is writing it.
    return undefined;
  }
}

function urlsFile(dataDir: string): string {
  return join(dataDir, 'server.json');
}
