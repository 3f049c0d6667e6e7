// Finds out which Node.js Offerbook needs and where npm installed the packaged one. Runs on Node.js 20 before any package is
// installed, so it is plain JavaScript without dependencies.

import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The oldest supported Node.js, from `engines` in package.json: "24.12". */
export const oldestNode = JSON.parse(readFileSync(`${root}package.json`, 'utf8')).engines.node.replace('>=', '');

export function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestNode.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

const isWindows = process.platform === 'win32';
const linkPath = `${root}node_modules/.bin/node`;
const binary = `node-${isWindows ? 'win' : process.platform}-${process.arch}/bin/node${isWindows ? '.exe' : ''}`;

/** Returns the binary of the optional dependency for this platform, or undefined. */
export function packagedNode() {
  // On Windows `.bin` holds only shell wrappers, which cannot be started without a shell.
  const places = [...(isWindows ? [] : [linkPath]), `${root}node_modules/${binary}`];
  return places.find((path) => existsSync(path));
}

/** npm 10, which comes with Node.js 20 and 22, installs that package but omits the link that npm scripts use. */
export function linkPackagedNode() {
  if (isWindows || existsSync(linkPath) || !existsSync(`${root}node_modules/${binary}`)) return;
  mkdirSync(`${root}node_modules/.bin`, { recursive: true });
  symlinkSync(`../${binary}`, linkPath);
}
