// Finds out which Node.js Offerbook needs and where npm installed the packaged one. Runs on Node.js 20 before any package is
// installed, so it is plain JavaScript without dependencies.

import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

/** The oldest supported Node.js, from `engines` in package.json: "24.12". */
export const oldestNode = manifest.engines.node.replace('>=', '');

export function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestNode.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

const isWindows = process.platform === 'win32';
const linkPath = `${root}node_modules/.bin/node`;
const binary = `${packageOf(process.platform, process.arch)}/bin/node${isWindows ? '.exe' : ''}`;

function packageOf(platform, arch) {
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
}

export const needText = `Offerbook needs Node.js ${oldestNode} or newer; this is ${process.versions.node}.`;
export const installText = 'Install Node.js 24 (https://nodejs.org/en/download), then run the same command again.';

/** Says how to get a Node.js that is new enough. The registry has no package for macOS and Windows on ARM. */
export function nodeAdvice(platform, arch) {
  return packageOf(platform, arch) in manifest.optionalDependencies
    ? 'Run "npm ci" first: the packages include Node.js 24.'
    : `The packages include no Node.js for ${platform}-${arch}. ${installText}`;
}

/** Returns the binary of the optional dependency for this platform, or undefined. */
export function packagedNode() {
  // On Windows `.bin` holds only shell wrappers, which cannot be started without a shell. npm installs other
  // packages next to an installed Offerbook.
  const places = [...(isWindows ? [] : [linkPath]), `${root}node_modules/${binary}`, `${root}../${binary}`];
  return places.find((path) => existsSync(path));
}

/** npm 10, which comes with Node.js 20 and 22, installs that package but omits the link that npm scripts use. */
export function linkPackagedNode() {
  if (isWindows || existsSync(linkPath) || !existsSync(`${root}node_modules/${binary}`)) return;
  mkdirSync(`${root}node_modules/.bin`, { recursive: true });
  symlinkSync(`../${binary}`, linkPath);
}
