/** Makes a copy of the checkout that shares its installed packages, for tests of commands that build or change a clone. */
import { cp, symlink } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from './suites.ts';
import { tempFolder } from './temp-folder.ts';

/** Files that are installed, built or stored, not copied; paths are relative to the root. */
const LEFT = /^(?:\.git|build|data|(?:.*\/)?(?:node_modules|dist))$/;

/** Nothing is built in it. */
export async function copyClone(): Promise<string> {
  const clone = await tempFolder();
  await cp(ROOT, clone, { recursive: true, filter: (file) => !LEFT.test(path.relative(ROOT, file)) });
  for (const folder of ['', 'portal', 'site']) {
    await symlink(path.join(ROOT, folder, 'node_modules'), path.join(clone, folder, 'node_modules'));
  }
  return clone;
}
