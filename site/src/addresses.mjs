// Maps files of docs/ to their addresses below /docs/. All links between pages are relative, so that the site works below
// any path.

import path from 'node:path';

/** `guides/portal.md` is at `guides/portal`; `index.md` and `README.md` are at their folder. */
export function addressOf(file) {
  return file.replace(/(^|\/)(?:index|README)\.md$/, '$1').replace(/\.md$/, '');
}

/** The link from one page to another address below /docs/. */
export function linkTo(fromFile, address) {
  const folder = path.posix.dirname(`/${addressOf(fromFile)}x`);
  const relative = path.posix.relative(folder, `/${address}`);
  if (address !== '' && !address.endsWith('/')) return relative;
  return relative === '' ? './' : `${relative}/`;
}
