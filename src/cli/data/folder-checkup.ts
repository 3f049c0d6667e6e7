/** Checks who can read the data folder, and whether its disk has space. Changes nothing. */
import { existsSync, statfsSync, statSync } from 'node:fs';
import { type Finding, fail, ok, warn } from '../../store/shared/finding.ts';
import { DISK_BYTES_FREE_MIN, databaseFile, userName } from '../../store/sqlite/engine/data-dir.ts';

const GIB = 1_073_741_824;
const DISK_BYTES_ROOMY = GIB;
const DISK_SHARE_FREE_MIN = 0.1;

/** Returns nothing if there is no such folder. */
export function inspectFolder(dataDir: string): Finding[] {
  const isFolder = statSync(dataDir, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isFolder ? [inspectPrivacy(dataDir), inspectDisk(dataDir)] : [];
}

function inspectPrivacy(dataDir: string): Finding {
  const check = 'permissions';
  const file = databaseFile(dataDir);
  const files = [file, `${file}-wal`, `${file}-shm`, `${dataDir}/serve.lock`].filter((path) => existsSync(path));
  const open = [dataDir, ...files].filter((path) => (statSync(path).mode & 0o077) !== 0);
  if (open.length > 0) {
    const advice = `chmod 700 ${dataDir} and chmod 600 the files in it`;
    return warn(check, `Other users can open ${open.join(', ')}, which hold secrets: ${advice}.`);
  }
  const user = process.geteuid?.();
  const foreign = [dataDir, ...files].filter((path) => user !== undefined && statSync(path).uid !== user);
  if (foreign.length > 0) {
    const owner = statSync(foreign[0] ?? dataDir).uid;
    const found = `${foreign.join(', ')} ${foreign.length === 1 ? 'belongs' : 'belong'} to`;
    if (user === 0) return warn(check, `${found} user ${owner}: run offerbook as that user.`);
    const advice = `run "chown -R ${userName()} ${dataDir}" as root`;
    return owner === 0
      ? fail(check, `${found} root: ${advice}.`)
      : fail(check, `${found} user ${owner}: run offerbook as that user, or ${advice}.`);
  }
  return ok(check, 'The folder and its files are for their owner only.');
}

function inspectDisk(dataDir: string): Finding {
  const { bavail, blocks, bsize } = statfsSync(dataDir);
  const free = bavail * bsize;
  const share = blocks === 0 ? 1 : bavail / blocks;
  const found = `${gib(free)} GiB free, ${Math.round(share * 100)}% of the disk`;
  if (free < DISK_BYTES_FREE_MIN) {
    return fail('disk', `${found}: the disk is full. Writes are refused until you free some space; reads still work.`);
  }
  return free < DISK_BYTES_ROOMY || share < DISK_SHARE_FREE_MIN
    ? warn('disk', `${found}. Writes are refused when the disk is full: free some space.`)
    : ok('disk', `${found}.`);
}

function gib(bytes: number): string {
  return (bytes / GIB).toFixed(1);
}
