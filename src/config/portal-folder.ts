/** The folder of the built portal pages. */
import { existsSync } from 'node:fs';
import path from 'node:path';

export const PORTAL_FOLDER = path.resolve(import.meta.dirname, '../../portal/dist');

export function isPortalBuilt(folder = PORTAL_FOLDER): boolean {
  return existsSync(path.join(folder, 'index.html'));
}
