/** In charge of where the build of the portal leaves its pages, and of whether they are there. */
import { existsSync } from 'node:fs';
import path from 'node:path';

export const PORTAL_FOLDER = path.resolve(import.meta.dirname, '../../portal/dist');

export function isPortalBuilt(folder = PORTAL_FOLDER): boolean {
  return existsSync(path.join(folder, 'index.html'));
}
