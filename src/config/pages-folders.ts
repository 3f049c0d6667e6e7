/** Where the builds of the portal and of the documentation leave their pages, and whether those of the portal are there. */
import { existsSync } from 'node:fs';
import path from 'node:path';

export const PORTAL_FOLDER = path.resolve(import.meta.dirname, '../../portal/dist');
export const DOCS_FOLDER = path.resolve(import.meta.dirname, '../../site/dist');

export function isPortalBuilt(folder = PORTAL_FOLDER): boolean {
  return existsSync(path.join(folder, 'index.html'));
}
