// Maps files of docs/ to their addresses below /docs/. All links between pages are relative, so that the site works below
// any path.

import path from 'node:path';

/** The one page that is not in docs/. */
export const CHANGELOG = '../CHANGELOG.md';

/** Returns the address of a file: `guides/portal.md` is at `guides/portal`, and `index.md` and `README.md` are at their folder. */
export function addressOf(file) {
  if (file === CHANGELOG) return 'changelog';
  return file.replace(/(^|\/)(?:index|README)\.md$/, '$1').replace(/\.md$/, '');
}

/** Returns the link from a page to another address below /docs/. */
export function linkTo(fromFile, address) {
  const folder = path.posix.dirname(`/${addressOf(fromFile)}x`);
  const relative = path.posix.relative(folder, `/${address}`);
  if (address !== '' && !address.endsWith('/')) return relative;
  return relative === '' ? './' : `${relative}/`;
}
