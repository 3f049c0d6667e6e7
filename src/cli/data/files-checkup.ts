/** Checks whether the folder of bulk files can be written to and has enough space. Leaves nothing behind. */
import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { filesFolder, type Settings } from '../../config/settings.ts';
import type { Finding } from '../../domain/health.ts';
import { sizeText } from '../../domain/vocabulary/sizes.ts';
import { reasonOf } from '../../store/sqlite/engine/data-dir.ts';

const CHECK = 'files';

export function inspectFilesFolder(settings: Pick<Settings, 'filesDir' | 'dataDir' | 'filesFreeBytesMin'>): Finding {
  const folder = filesFolder(settings);
  const existing = nearestExisting(path.resolve(folder));
  try {
    accessSync(existing, constants.R_OK | constants.W_OK | constants.X_OK);
    // Permissions are not enough: some file systems refuse new files.
    rmdirSync(mkdtempSync(path.join(existing, 'doctor-')));
  } catch (error) {
    const what = existing === path.resolve(folder) ? 'be written to' : 'be created';
    const text = `The folder ${folder} cannot ${what}: ${reasonOf(error)}. Set FILES_DIR to a folder that this user can write to.`;
    return { check: CHECK, state: 'fail', text };
  }
  const { bavail, bsize } = statfsSync(existing);
  return inspectRoom(folder, bavail * bsize, settings.filesFreeBytesMin);
}

function inspectRoom(folder: string, free: number, freeMin: number): Finding {
  const found = `${sizeText(free)} free for ${folder}`;
  if (free >= freeMin) return { check: CHECK, state: 'ok', text: `${found}.` };
  const text = `${found}, but FILES_FREE_BYTES_MIN is ${sizeText(freeMin)}. Bulk files are refused until you free disk space or lower the setting.`;
  return { check: CHECK, state: 'fail', text };
}

function nearestExisting(folder: string): string {
  return existsSync(folder) ? folder : nearestExisting(path.dirname(folder));
}
