// Builds the portal into portal/dist if its sources changed since the last build. It is a separate package, so a server needs
// only the built files.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { npmInstall } from './npm-install.mjs';
import { isNewEnough, packagedNode, root } from './packaged-node.mjs';

const folder = `${root}portal/`;
const lockPath = `${folder}package-lock.json`;
const packagesStampPath = `${folder}node_modules/.offerbook-setup`;
const buildStampPath = `${folder}dist/.offerbook-build`;

/** Sources of the pages, including the contract's vocabulary, which is shared with the server. */
const SOURCES = ['index.html', 'package-lock.json', 'public', 'src', 'vite.config.ts', '../src/domain/vocabulary'];

/** Generated for the type check; not part of the pages. */
const MADE = 'schema.d.ts';

/** Also true without sources: an installed server has only the built pages. */
export function isPortalBuilt() {
  return !existsSync(lockPath) || readIfThere(buildStampPath) === digest(SOURCES.flatMap(filesOf));
}

/** Returns whether it was built. A failure is printed and does not end the setup, because the API works without the portal. */
export function buildPortal(say) {
  const stamp = digest(SOURCES.flatMap(filesOf));
  const reason = installed() ?? built();
  if (reason === undefined) writeFileSync(buildStampPath, stamp);
  else
    say(`The portal could not be built: ${reason}. The API works without it; run "npm run build:portal" to try again.`);
  return reason === undefined;

  function installed() {
    const packages = digest(['package-lock.json']);
    if (readIfThere(packagesStampPath) === packages) return undefined;
    say('Installing the packages of the portal (first run only)...');
    const failure = npmInstall(folder);
    if (failure === undefined) writeFileSync(packagesStampPath, packages);
    return failure;
  }

  function built() {
    say('Building the portal...');
    // Prefer the machine's own Node.js if it is new enough: a packaged one may not start here.
    const node = isNewEnough(process.versions.node) ? process.execPath : (packagedNode() ?? process.execPath);
    const args = ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'];
    const result = spawnSync(node, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    if (result.status === 0) return undefined;
    return result.error?.message ?? `the build ended with ${result.signal ?? `exit code ${result.status}`}`;
  }
}

/** Includes the platform: a checkout that is shared or copied between machines needs other binaries. */
function digest(files) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const file of files)
    hash
      .update(`${file}\n`)
      .update(readFileSync(`${folder}${file}`))
      .update('\n');
  return hash.digest('hex');
}

function filesOf(source) {
  if (!statSync(`${folder}${source}`).isDirectory()) return [source];
  return readdirSync(`${folder}${source}`, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name !== MADE)
    .map((entry) => path.relative(folder, path.join(entry.parentPath ?? entry.path, entry.name)).replaceAll('\\', '/'))
    .sort();
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
