// Knows which Node.js Offerbook needs and where npm put the packaged one. Runs on Node.js 20, before any package is
// installed, so it is plain JavaScript without dependencies.

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The oldest Node.js that runs Offerbook, as `engines` in package.json says it: "24.12". */
export const oldestNode = JSON.parse(readFileSync(`${root}package.json`, 'utf8')).engines.node.replace('>=', '');

export function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestNode.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/** The binary of the optional dependency for this platform, or undefined where there is none. */
export function packagedNode() {
  // On Windows `.bin` holds only shell wrappers, which cannot be started without a shell.
  const path =
    process.platform === 'win32'
      ? `${root}node_modules/node-win-${process.arch}/bin/node.exe`
      : `${root}node_modules/.bin/node`;
  return existsSync(path) ? path : undefined;
}
