/**
 * Checks who can access the data folder, whether the folder of bulk files can be written to, and whether both have space. Changes nothing.
 */
import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import { filesFolder, type Settings } from '../../config/settings.ts';
import { type Finding, fail, ok, warn } from '../../domain/health.ts';
import { sizeText } from '../../domain/vocabulary/sizes.ts';
import { DISK_BYTES_FREE_MIN, databaseFile, reasonOf, userName } from '../../store/sqlite/engine/data-dir.ts';

const CHECK = 'permissions';
const FILES_CHECK = 'files';
const DISK_BYTES_ROOMY = 1_073_741_824;
const DISK_SHARE_FREE_MIN = 0.1;

/** Returns an empty list if the folder does not exist. */
export function inspectFolder(dataDir: string): Finding[] {
  const isFolder = statSync(dataDir, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isFolder ? [...inspectPermissions(dataDir), inspectDisk(dataDir)] : [];
}

function inspectPermissions(dataDir: string): Finding[] {
  const file = databaseFile(dataDir);
  const files = [file, `${file}-wal`, `${file}-shm`, `${dataDir}/serve.lock`].filter((path) => existsSync(path));
  const paths = [dataDir, ...files];
  const findings = [inspectOwner(dataDir, paths), inspectPrivacy(dataDir, paths)].filter((one) => one !== undefined);
  return findings.length > 0 ? findings : [ok(CHECK, 'Only the owner can access the folder and its files.')];
}

function inspectPrivacy(dataDir: string, paths: readonly string[]): Finding | undefined {
  const open = paths.filter((path) => (statSync(path).mode & 0o077) !== 0);
  if (open.length === 0) return undefined;
  const advice = `chmod 700 ${dataDir} and chmod 600 the files in it`;
  return warn(CHECK, `Other users can open ${open.join(', ')}, which hold secrets: ${advice}.`);
}

function inspectOwner(dataDir: string, paths: readonly string[]): Finding | undefined {
  const user = process.geteuid?.();
  const foreign = paths.filter((path) => user !== undefined && statSync(path).uid !== user);
  if (foreign.length === 0) return undefined;
  const owner = statSync(foreign[0] ?? dataDir).uid;
  const found = `${foreign.join(', ')} ${foreign.length === 1 ? 'belongs' : 'belong'} to`;
  if (user === 0) return warn(CHECK, `${found} user ${owner}: run offerbook as that user.`);
  const advice = `run "chown -R ${userName()} ${dataDir}" as root`;
  return owner === 0
    ? fail(CHECK, `${found} root: ${advice}.`)
    : fail(CHECK, `${found} user ${owner}: run offerbook as that user, or ${advice}.`);
}

function inspectDisk(dataDir: string): Finding {
  const { bavail, blocks, bsize } = statfsSync(dataDir);
  const free = bavail * bsize;
  const share = blocks === 0 ? 1 : bavail / blocks;
  const found = `${sizeText(free)} free, ${Math.round(share * 100)}% of the disk`;
  if (free < DISK_BYTES_FREE_MIN) {
    return fail('disk', `${found}: the disk is full. Writes are refused until you free some space; reads still work.`);
  }
  return free < DISK_BYTES_ROOMY || share < DISK_SHARE_FREE_MIN
    ? warn('disk', `${found}. Writes are refused when the disk is full: free some space.`)
    : ok('disk', `${found}.`);
}

/** Leaves nothing behind. */
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
    return fail(FILES_CHECK, text);
  }
  const { bavail, bsize } = statfsSync(existing);
  return inspectRoom(folder, bavail * bsize, settings.filesFreeBytesMin);
}

function inspectRoom(folder: string, free: number, freeMin: number): Finding {
  const found = `${sizeText(free)} free for ${folder}`;
  if (free >= freeMin) return ok(FILES_CHECK, `${found}.`);
  const text = `${found}, but FILES_FREE_BYTES_MIN is ${sizeText(freeMin)}. Bulk files are refused until you free disk space or lower the setting.`;
  return fail(FILES_CHECK, text);
}

function nearestExisting(folder: string): string {
  return existsSync(folder) ? folder : nearestExisting(path.dirname(folder));
}
