/** Opens the folder of bulk files and reports, and limits each account to a share of its disk. */
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { filesFolder, SettingError, type Settings } from '../config/settings.ts';
import { DiskFileStorage } from '../files/disk-file-storage.ts';
import { type FileStorage, StorageFullError } from '../files/file-storage.ts';

type PlaceSettings = Pick<Settings, 'filesDir' | 'dataDir' | 'filesWaitingBytesMax' | 'filesKeptBytesMax'>;

/** Fails if the folder is not writable. A full disk is accepted, because space may be freed later. */
export async function openFileStorage(
  settings: Pick<Settings, 'filesDir' | 'dataDir' | 'databaseUrl' | 'filesFreeBytesMin'>,
): Promise<FileStorage> {
  const folder = filesFolder(settings);
  const storage = new DiskFileStorage(folder, settings.filesFreeBytesMin);
  try {
    await storage.prepare();
    // SQLite has one process only, so all drafts are left over from an earlier run.
    if (settings.databaseUrl === undefined) await storage.sweep('drafts', Number.POSITIVE_INFINITY);
  } catch (error) {
    if (error instanceof StorageFullError) return storage;
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingError(`FILES_DIR must be a folder that this user may read and write (${folder}: ${code})`);
  }
  return storage;
}

/**
 * Share of the disk for unprocessed uploads, and the same again for kept files, so an account uses at most an eighth of
 * the disk.
 */
const DISK_SHARE = 1 / 16;

/** Lowers the account limits on a small disk. If the disk grows, the limits follow at the next start. */
export async function limitToDisk<T extends PlaceSettings>(settings: T): Promise<T> {
  const size_bytes = await diskBytes(filesFolder(settings));
  // Some network and FUSE file systems report no size.
  if (size_bytes === 0) return settings;
  const share_bytes = Math.ceil(size_bytes * DISK_SHARE);
  return {
    ...settings,
    filesWaitingBytesMax: Math.min(settings.filesWaitingBytesMax, share_bytes),
    filesKeptBytesMax: Math.min(settings.filesKeptBytesMax, share_bytes),
  };
}

/** Checks the parent if the folder is missing, because a full disk may have no space for it. */
async function diskBytes(folder: string): Promise<number> {
  try {
    const { blocks, bsize } = await statfs(folder);
    return blocks * bsize;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || path.dirname(folder) === folder) throw error;
    return diskBytes(path.dirname(folder));
  }
}
