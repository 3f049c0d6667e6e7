/** Installs a browser for tests on Debian-like machines that have none. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findBrowser } from './browser.ts';

const PACKAGE = 'chromium-headless-shell';
const MINUTES_MAX = 10;

/** Does nothing if there is a browser. Also does nothing if this user may not install packages; browser tests are then skipped by name. */
export function installBrowser(): void {
  if (findBrowser() !== undefined || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.error(`Installing ${PACKAGE} for the tests of the portal...`);
  for (const args of [['update'], ['install', '--yes', '--no-install-recommends', PACKAGE]]) {
    const result = spawnSync('/usr/bin/apt-get', ['--quiet=2', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: MINUTES_MAX * 60_000,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    if (result.status !== 0) {
      console.error(`apt-get ${args[0]} failed; tests in a browser cannot run.`);
      return;
    }
  }
}
