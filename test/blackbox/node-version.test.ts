/** Tests what the command says on a Node.js that is too old, on platforms with and without a packaged one. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';
// @ts-expect-error: plain JavaScript without types, because it also runs before any package is installed.
import { nodeAdvice } from '../../scripts/packaged-node.mjs';

const INSTALL = 'Install Node.js 24 (https://nodejs.org/en/download), then run the same command again.';
const NOT_PACKAGED = (platform: string) => `The packages include no Node.js for ${platform}. ${INSTALL}`;
const NEED = 'Offerbook needs Node.js 24.12 or newer; this is 22.1.0.';

for (const [platform, arch, advice] of [
  ['win32', 'x64', 'Run "npm ci" first: the packages include Node.js 24.'],
  ['win32', 'arm64', NOT_PACKAGED('win32-arm64')],
] as const) {
  it(`offerbook on an old Node.js says what to do on ${platform}-${arch}`, () => {
    const { status, stderr } = runAsIf(platform, arch);
    assert.deepEqual([status, stderr], [1, `${NEED} ${advice}\n`]);
  });
}

it('npm ci is advised only where the packages include a Node.js', () => {
  for (const platform of ['linux-x64', 'linux-arm64', 'darwin-x64', 'win32-x64'])
    assert.match(nodeAdvice(...platform.split('-')), /^Run "npm ci"/, platform);
  for (const platform of ['darwin-arm64', 'win32-arm64', 'freebsd-x64'])
    assert.equal(nodeAdvice(...platform.split('-')), NOT_PACKAGED(platform));
});

/** Windows, because there the link in node_modules/.bin is not used. */
function runAsIf(platform: string, arch: string): { status: number | null; stderr: string } {
  const faked = `Object.defineProperties(process, {
    platform: { value: '${platform}' }, arch: { value: '${arch}' }, versions: { value: { node: '22.1.0' } } });`;
  const url = `data:text/javascript,${encodeURIComponent(faked)}`;
  return spawnSync(process.execPath, ['--import', url, 'bin/offerbook.mjs', 'version'], { encoding: 'utf8' });
}
