/** Tests the server as people install it without a clone: packed, installed from the tarball into an empty folder, and started. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };
import { requestToken } from '../harness/api-client.ts';
import { startServeProcess } from '../harness/serve-process.ts';
import { ROOT } from '../harness/suites.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { waitUntil } from '../harness/wait-until.ts';

const PACKAGE_BYTES_MAX = 6_000_000;
/** The best of several starts, because a busy machine may slow down any single one. */
const START_MS_MAX = 15_000;
const STARTS_MAX = 3;
const PATIENCE_MS = 60_000;
const run = promisify(execFile);

describe('the package of the server', () => {
  let folder: string;
  let tarball: string;
  before(async () => {
    folder = await tempFolder();
    const packed = await tempFolder();
    await run(process.execPath, [path.join(ROOT, 'scripts/package.ts'), packed]);
    tarball = path.join(packed, `offerbook-${manifest.version}.tgz`);
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
  });

  it('is small, and has no TypeScript and no packages for development', async () => {
    assert.ok((await stat(tarball)).size < PACKAGE_BYTES_MAX);
    const installed = path.join(folder, 'node_modules/offerbook');
    const { devDependencies, scripts, ...own } = JSON.parse(
      await readFile(path.join(installed, 'package.json'), 'utf8'),
    );
    assert.deepEqual({ devDependencies, scripts }, { devDependencies: undefined, scripts: undefined });
    assert.deepEqual(own.dependencies, manifest.dependencies);
    const names = await readdir(installed, { recursive: true });
    assert.deepEqual(
      names.filter((name) => /^(?:src|client|bin|scripts)\/.*\.ts$/.test(name)),
      [],
    );
    const lock = JSON.parse(await readFile(path.join(folder, 'package-lock.json'), 'utf8'));
    const [developed] = Object.keys(manifest.devDependencies).filter((name) => `node_modules/${name}` in lock.packages);
    assert.equal(developed, undefined);
    assert.ok(!('node_modules/@scarf/scarf' in lock.packages), 'installs a package that reports the installation');
  });

  it('starts the demo, reviews its offers, serves its pages and stops', async () => {
    const variables = { DATA_DIR: path.join(folder, 'data'), IMAGE_CHECK: 'on', DEMO_OFFERS: 'on' };
    const command = [path.join(folder, 'node_modules/.bin/offerbook')] as const;
    const start = async () => {
      const startMs = performance.now();
      const server = await startServeProcess(variables, ['--demo'], PATIENCE_MS, command);
      return { server, took_ms: performance.now() - startMs };
    };
    let { server, took_ms } = await start();
    for (let starts = 1; took_ms >= START_MS_MAX && starts < STARTS_MAX; starts++) {
      assert.equal(await server.stop(), 0);
      ({ server, took_ms } = await start());
    }
    try {
      assert.ok(took_ms < START_MS_MAX, `it took ${took_ms} ms`);
      for (const page of ['/portal/', '/docs/', '/docs/api', '/docs/marketplace-api', '/shop/']) {
        assert.equal((await fetch(`${server.url}${page}`)).status, 200, page);
      }
      const headers = { authorization: `Bearer ${await requestToken(server.url, 'test')}` };
      const live = `${server.url}/merchant-skus?status=${encodeURIComponent('Available For Purchase')}`;
      // The demo uploads its offers as bulk files, and their images are decoded: threads and processes of the package start too.
      await waitUntil('live offers', PATIENCE_MS, async () => {
        const { sku_urls } = (await (await fetch(live, { headers })).json()) as { sku_urls: string[] };
        return sku_urls.length > 0 || undefined;
      });
    } finally {
      assert.equal(await server.stop(), 0);
    }
  });

  it('is installed by the command of the deploy guide, where the units and the command offerbook expect it', async () => {
    const guide = await readFile(path.join(ROOT, 'docs/operate/deploy.md'), 'utf8');
    const [, block = ''] = /```sh\n([^`]*\.tgz[^`]*)```/.exec(guide) ?? [];
    const opt = path.join(folder, 'opt');
    await mkdir(opt);
    const script = block.replace('offerbook-0.1.0.tgz', tarball).replaceAll('/opt/', `${opt}/`);
    await run('sh', ['-euc', script], { cwd: folder });
    const unit = await readFile(path.join(opt, 'offerbook/deploy/offerbook.service'), 'utf8');
    const [, start = ''] = /^ExecStart=(.+) serve /m.exec(unit) ?? [];
    const [node = '', ...args] = start.replaceAll('/opt/', `${opt}/`).split(' ');
    const { stdout } = await run(node, [...args, 'version']);
    assert.match(stdout, new RegExp(`^${manifest.version}\\b`));
  });
});
