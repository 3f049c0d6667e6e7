// Installs the packages of a folder from its lock file.

import { spawnSync } from 'node:child_process';

/** Returns the reason of a failure, or undefined. */
export function npmInstall(folder) {
  // Names the dependency groups, because a machine's npm settings may omit them, including the packaged Node.js.
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  const options = { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] };
  const npmPath = process.env.npm_execpath;
  const result = npmPath?.endsWith('npm-cli.js')
    ? spawnSync(process.execPath, [npmPath, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  if (result.status === 0) return undefined;
  return result.error?.message ?? `npm ended with ${result.signal ?? `exit code ${result.status}`}`;
}
