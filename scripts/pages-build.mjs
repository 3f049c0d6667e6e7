// Builds the pages of the portal and of the documentation when their sources changed since the last time. Each has its own packages, which
// are needed only here: a server needs only the built pages.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { npmInstall } from './npm-install.mjs';
import { isNewEnough, packagedNode, root } from './packaged-node.mjs';

const STAMP = '.offerbook-build';
/** Built here and then renamed, because a running server reads the pages as soon as they are there. */
const DRAFT = 'dist.draft';

/** A file that is generated for the type check and is not part of the pages. */
const MADE = 'schema.d.ts';

/** The sources include parts of the server, which defines the names of the contract and the rules for the rows of a sheet. */
const PACKAGES = [
  {
    name: 'portal',
    folder: `${root}portal/`,
    sources: ['index.html', 'package-lock.json', 'public', 'src', 'vite.config.ts', '../src/domain'],
    command: ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn', '--outDir', DRAFT],
  },
  {
    name: 'documentation',
    folder: `${root}site/`,
    sources: [
      'package-lock.json',
      'assets',
      'src',
      '../docs',
      '../CHANGELOG.md',
      '../src/domain/names.ts',
      '../src/domain/vocabulary',
    ],
    command: ['src/build.mjs', DRAFT],
  },
];

/** Also returns true without the sources, because an installed server has only the built pages. */
export function arePagesBuilt() {
  return PACKAGES.every(isBuilt);
}

/**
 * Returns whether all pages are built. A failure is reported and does not end the setup, because a server without pages still serves the
 * API.
 */
export function buildPages(say) {
  const results = PACKAGES.filter((one) => !isBuilt(one)).map((one) => build(one, say));
  return results.every((isDone) => isDone);
}

function isBuilt({ folder, sources }) {
  if (!existsSync(`${folder}package-lock.json`)) return true;
  return readIfThere(`${folder}dist/${STAMP}`) === digest(folder, sources);
}

function build({ name, folder, sources, command }, say) {
  const stamp = digest(folder, sources);
  const reason = installed() ?? built();
  if (reason === undefined) {
    writeFileSync(`${folder}${DRAFT}/${STAMP}`, stamp);
    rmSync(`${folder}dist`, { recursive: true, force: true });
    renameSync(`${folder}${DRAFT}`, `${folder}dist`);
  } else
    say(
      `The ${name} could not be built: ${reason}. The API works without it; run "npm run build:portal" to try again.`,
    );
  return reason === undefined;

  function installed() {
    const stampPath = `${folder}node_modules/.offerbook-setup`;
    const packages = digest(folder, ['package-lock.json']);
    if (readIfThere(stampPath) === packages) return undefined;
    say(`Installing the packages of the ${name} (first run only)...`);
    const failure = npmInstall(folder);
    if (failure === undefined) writeFileSync(stampPath, packages);
    return failure;
  }

  function built() {
    say(`Building the ${name}...`);
    // Uses the machine's own Node.js if it is new enough, because a packaged one may not start here.
    const node = isNewEnough(process.versions.node) ? process.execPath : (packagedNode() ?? process.execPath);
    const result = spawnSync(node, command, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    if (result.status === 0) return undefined;
    return result.error?.message ?? `the build ended with ${result.signal ?? `exit code ${result.status}`}`;
  }
}

/** Includes the platform, because a checkout that is shared or copied between machines needs other binaries. */
function digest(folder, sources) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const file of sources.flatMap((source) => filesOf(folder, source)))
    hash
      .update(`${file}\n`)
      .update(readFileSync(`${folder}${file}`))
      .update('\n');
  return hash.digest('hex');
}

function filesOf(folder, source) {
  if (!statSync(`${folder}${source}`).isDirectory()) return [source];
  return readdirSync(`${folder}${source}`, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name !== MADE)
    .map((entry) => path.relative(folder, path.join(entry.parentPath ?? entry.path, entry.name)).replaceAll('\\', '/'))
    .sort();
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
