/**
 * Installs Chromium's headless shell for tests on Debian-like machines. It takes half the CPU time of the whole Chromium, which
 * also draws a window for each test: 6.4 s instead of 13 s for three sign-ins with three pages each.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { BROWSER_VARIABLE, findBrowser, isHeadlessShell } from './browser.ts';

const PACKAGE = 'chromium-headless-shell';
const MINUTES_MAX = 10;
/** Machines without network must not wait long for a browser that they can do without. */
const QUICK_FAILURE = [
  '-o',
  'Acquire::Retries=0',
  '-o',
  'Acquire::http::Timeout=10',
  '-o',
  'Acquire::https::Timeout=10',
];

/**
 * Does nothing if there is one, a browser is named, or this user may not install packages. If it fails, the tests use another
 * browser; without one they are skipped by name.
 */
export function installBrowser(): void {
  const other = findBrowser();
  if (process.env[BROWSER_VARIABLE] || (other !== undefined && isHeadlessShell(other))) return;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.error(`Installing ${PACKAGE} for the tests of the portal...`);
  const install = ['install', '--yes', '--no-install-recommends', PACKAGE];
  for (const args of other === undefined ? [['update'], install] : [[...QUICK_FAILURE, ...install]]) {
    const result = spawnSync('/usr/bin/apt-get', ['--quiet=2', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: MINUTES_MAX * 60_000,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    if (result.status !== 0) {
      console.error(`apt-get failed; tests in a browser ${other === undefined ? 'cannot run' : `use ${other}`}.`);
      return;
    }
  }
}
