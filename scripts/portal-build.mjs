// Builds the portal into portal/dist when its sources changed since the last time. It is a package of its own, so that its
// packages are needed only here: a server needs nothing but what was built.

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

/** What the pages are built from; words of the contract stand once, with the server. */
const SOURCES = ['index.html', 'package-lock.json', 'public', 'src', 'vite.config.ts', '../src/domain/vocabulary'];

/** Made for the type check; nothing of it is in the pages. */
const MADE = 'schema.d.ts';

/** True also where the sources are not: an installed server has the built pages alone. */
export function isPortalBuilt() {
  return !existsSync(lockPath) || readIfThere(buildStampPath) === digest(SOURCES.flatMap(filesOf));
}

/** A server without the portal still serves the API, so a failure is told and does not end the setup. True when it is built. */
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
    // The machine's own where it does: a packaged one may not start here.
    const node = isNewEnough(process.versions.node) ? process.execPath : (packagedNode() ?? process.execPath);
    const args = ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'];
    const result = spawnSync(node, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    if (result.status === 0) return undefined;
    return result.error?.message ?? `the build ended with ${result.signal ?? `exit code ${result.status}`}`;
  }
}

/** The platform belongs to it: a checkout that is shared or copied between machines needs other binaries. */
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
