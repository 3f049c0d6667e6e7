/** Locates the built pages of the portal and the documentation, and tells whether the portal has been built. */
import { existsSync } from 'node:fs';
import path from 'node:path';

export const PORTAL_FOLDER = path.resolve(import.meta.dirname, '../../portal/dist');
export const DOCS_FOLDER = path.resolve(import.meta.dirname, '../../site/dist');

export function isPortalBuilt(folder = PORTAL_FOLDER): boolean {
  return existsSync(path.join(folder, 'index.html'));
}
