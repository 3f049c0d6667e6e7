// Installs the packages of a folder as its lock file says.

import { spawnSync } from 'node:child_process';

/** Says why it failed; undefined when it did not. */
export function npmInstall(folder) {
  // The included groups are named because a machine's npm settings may leave them out, the packaged Node.js with them.
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  const options = { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] };
  const npmPath = process.env.npm_execpath;
  const result = npmPath?.endsWith('npm-cli.js')
    ? spawnSync(process.execPath, [npmPath, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  if (result.status === 0) return undefined;
  return result.error?.message ?? `npm ended with ${result.signal ?? `exit code ${result.status}`}`;
}
