// Makes a checkout runnable: installs the packages if package-lock.json changed since the last time, checks that the npm scripts
// will find a Node.js that is new enough, and builds the portal and the documentation if their sources changed. With --pages-later, it ends
// before they are built, so that a server can start meanwhile.
// Every npm script that needs packages runs this first, with whatever Node.js the machine has (20 or newer), so it is plain
// JavaScript without dependencies.

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { npmInstall } from './npm-install.mjs';
import { installText, isNewEnough, linkPackagedNode, needText, packagedNode, root } from './packaged-node.mjs';
import { arePagesBuilt, buildPages } from './pages-build.mjs';

const LOCK_WAIT_MS = 200;
const LOCK_AGE_MAX_MS = 15 * 60 * 1000;
const lockPath = `${root}.setup.lock`;
const stampPath = `${root}node_modules/.offerbook-setup`;
const buildsLater = process.argv.includes('--pages-later');
const lockfile = readFileSync(`${root}package-lock.json`, 'utf8');
// Includes the platform, because a checkout that is shared or copied between machines needs other binaries.
const stamp = createHash('sha256').update(`${process.platform} ${process.arch}\n${lockfile}`).digest('hex');

if (!isSetup() || !(buildsLater || arePagesBuilt())) {
  await lock();
  try {
    // Another process may have installed the packages while this one waited for the lock.
    if (!isSetup()) setup();
    if (!process.exitCode && !buildsLater && !arePagesBuilt()) buildPages(say);
  } finally {
    rmSync(lockPath, { force: true });
  }
} else if (!isNewEnough(process.versions.node)) {
  checkNode();
}

if (buildsLater && !process.exitCode && !arePagesBuilt()) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url)], { stdio: ['ignore', 'inherit', 'inherit'] });
  // The server that starts now comes first.
  if (child.pid !== undefined) os.setPriority(child.pid, os.constants.priority.PRIORITY_BELOW_NORMAL);
  child.unref();
}

function isSetup() {
  return existsSync(stampPath) && readFileSync(stampPath, 'utf8') === stamp;
}

function setup() {
  if (!isInstalledByHand()) install();
  if (process.exitCode) return;
  checkNode();
  if (process.exitCode) return;
  writeFileSync(stampPath, stamp);
}

/** Returns whether node_modules matches package-lock.json, for example after `npm ci`. npm records there what it installed. */
function isInstalledByHand() {
  const notePath = `${root}node_modules/.package-lock.json`;
  if (!existsSync(notePath)) return false;
  const installed = JSON.parse(readFileSync(notePath, 'utf8')).packages;
  return Object.entries(JSON.parse(lockfile).packages).every(([path, wanted]) => {
    if (path === '') return true;
    const found = installed[path];
    return found ? found.integrity === wanted.integrity && existsSync(`${root}${path}`) : wanted.optional === true;
  });
}

function install() {
  say('Installing packages (first run only; it can take several minutes)...');
  const reason = npmInstall(root);
  if (reason === undefined) return;
  fail(`Installing the packages failed: ${reason}. See the messages above, or run "npm ci" to try again.`);
}

/** Checks node_modules/.bin/node first, because npm scripts prefer it to the machine's own Node.js. */
function checkNode() {
  linkPackagedNode();
  const path = packagedNode();
  const version = path && versionOf(path);
  if (version && isNewEnough(version)) return;
  // A binary that does not start here (Alpine Linux has another C library) must not hide the machine's own.
  for (const ending of ['', '.cmd', '.ps1']) rmSync(`${root}node_modules/.bin/node${ending}`, { force: true });
  if (isNewEnough(process.versions.node)) return;
  fail(`${needText} No packaged one runs on ${process.platform}-${process.arch}. ${installText}`);
}

function versionOf(path) {
  const result = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return result.status === 0 ? result.stdout.trim().replace('v', '') : undefined;
}

/** Waits until no other process sets up this checkout. Takes over a lock whose owner died or that is very old. */
async function lock() {
  for (;;) {
    try {
      writeFileSync(lockPath, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isLockAbandoned()) rmSync(lockPath, { force: true });
    else await sleep(LOCK_WAIT_MS);
  }
}

function isLockAbandoned() {
  try {
    if (Date.now() - statSync(lockPath).mtimeMs > LOCK_AGE_MAX_MS) return true;
    const pid = Number(readFileSync(lockPath, 'utf8'));
    // The file is empty between creation and write. A signal to process 0 would reach this whole process group.
    if (pid > 0) process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

function say(message) {
  console.error(message);
}

function fail(message) {
  say(message);
  process.exitCode = 1;
}
