/** In charge of the place where bulk files and reports lie, which the settings name. */
import { DiskFilePlace } from '../bulk/disk-file-place.ts';
import { type FilePlace, PlaceFullError } from '../bulk/file-place.ts';
import { filesFolder, SettingError, type Settings } from '../config/settings.ts';

/** Fails at start where nothing could ever be written; a disk that is full now may have room later. */
export async function openFilePlace(
  settings: Pick<Settings, 'filesDir' | 'dataDir' | 'databaseUrl' | 'filesFreeBytesMin'>,
): Promise<FilePlace> {
  const folder = filesFolder(settings);
  const place = new DiskFilePlace(folder, settings.filesFreeBytesMin);
  try {
    await place.prepare();
    // The embedded store has one process, which is this one: whoever was writing is gone.
    if (settings.databaseUrl === undefined) await place.sweep('drafts', Number.POSITIVE_INFINITY);
  } catch (error) {
    if (error instanceof PlaceFullError) return place;
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingError(`FILES_DIR must be a folder that this user may read and write (${folder}: ${code})`);
  }
  return place;
}
