/** Tests `npm run release` in a copy of the checkout, with a registry that knows no advisories. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };
import { copyClone } from '../harness/clone.ts';

const VERSION = '0.9.0';
const run = promisify(execFile);

describe('npm run release', () => {
  let clone: string;
  let registry: Server;
  before(async () => {
    clone = await copyClone();
    await git('init', '--quiet');
    await appendFile(path.join(clone, '.git/info/exclude'), 'node_modules\n');
    await commit();
    const { stdout } = await run('npm', ['config', 'get', 'registry'], { cwd: clone });
    registry = createServer(async (request, response) => {
      if (request.method === 'POST') return void response.setHeader('content-type', 'application/json').end('{}');
      try {
        const answer = await fetch(new URL(request.url ?? '', stdout.trim()));
        const body = Buffer.from(await answer.arrayBuffer());
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(body);
      } catch {
        // npm asks again. Without an answer, it would wait for minutes.
        response.writeHead(502).end();
      }
    });
    await once(registry.listen(0, '127.0.0.1'), 'listening');
  });
  after(() => registry.close());

  const git = (...args: readonly string[]) =>
    run('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: clone });
  async function commit() {
    await git('add', '--all');
    await git('commit', '--quiet', '--message', 'A');
  }
  async function release(...args: readonly string[]) {
    const { port } = registry.address() as AddressInfo;
    const env = { ...process.env, npm_config_registry: `http://127.0.0.1:${port}/` };
    return run('npm', ['run', '--silent', 'release', '--', ...args], { cwd: clone, env, maxBuffer: 1 << 28 }).then(
      ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
  }
  async function assertRefused(reason: RegExp, ...args: readonly string[]) {
    const { code, stderr } = await release('--tested', ...args);
    assert.equal(code, 1);
    assert.match(stderr, reason);
    assert.equal(JSON.parse(await readFile(path.join(clone, 'package.json'), 'utf8')).version, manifest.version);
  }

  it('refuses a version that is malformed, earlier or tagged, and changes that are not committed', async () => {
    await assertRefused(/^Not released: name the version/m);
    await assertRefused(/^Not released: name the version/m, '1.0');
    await assertRefused(/^Not released: 0\.0\.9 is before /m, '0.0.9');
    await git('tag', 'v0.8.0');
    await assertRefused(/^Not released: the tag v0\.8\.0 exists/m, '0.8.0');
    const file = path.join(clone, 'README.md');
    const text = await readFile(file, 'utf8');
    await writeFile(file, `${text}\n`);
    await assertRefused(/^Not released: commit or stash your changes first:\n M README\.md/m, VERSION);
    await writeFile(file, text);
  });

  it('sets the version, and writes packages, components and checksums that fit', async () => {
    const { code, stdout, stderr } = await release('--tested', VERSION);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /git tag -s v0\.9\.0/);
    for (const folder of ['.', 'client']) {
      assert.equal(JSON.parse(await readFile(path.join(clone, folder, 'package.json'), 'utf8')).version, VERSION);
    }
    const changelog = await readFile(path.join(clone, 'CHANGELOG.md'), 'utf8');
    assert.match(changelog, /^# Changelog\n\n## 0\.9\.0 \(\d{4}-\d\d-\d\d\)$/m);
    const build = path.join(clone, 'build');
    const sums = await readFile(path.join(build, 'SHA256SUMS'), 'utf8');
    assert.deepEqual(
      Array.from(sums.matchAll(/^[\da-f]{64} {2}(.+)$/gm), ([, name]) => name),
      ['offerbook-0.9.0.cdx.json', 'offerbook-0.9.0.tgz', 'offerbook-client-0.9.0.tgz'],
    );
    await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: build });
    const list = JSON.parse(await readFile(path.join(build, 'offerbook-0.9.0.cdx.json'), 'utf8'));
    const purls = new Set(list.components.map(({ purl }: { purl: string }) => purl));
    for (const [name, at] of Object.entries(manifest.dependencies)) {
      assert.ok(purls.has(`pkg:npm/${name.replace('@', '%40')}@${at}`), name);
    }
    assert.ok(!purls.has(`pkg:npm/typescript@${manifest.devDependencies.typescript}`));
  });

  it('stores a database, which a new migration must keep and an edited one breaks', async () => {
    const stored = path.join(clone, 'test/fixtures/releases');
    assert.deepEqual((await readdir(stored)).sort(), [`${VERSION}.db.gz`, `${VERSION}.json`]);
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const command = ['--test', '--test-reporter=tap', 'test/cli/upgrade.test.ts'];
    const upgrade = () => run(process.execPath, command, { cwd: clone, env });
    const list = path.join(clone, 'src/store/sqlite/schema/migration-list.ts');
    const text = await readFile(list, 'utf8');
    const withLater = (sql: string) => writeFile(list, text.replace('[SCHEMA]', `[SCHEMA, '${sql}']`));
    await withLater('CREATE TABLE later (a INTEGER PRIMARY KEY) STRICT;');
    assert.match((await upgrade()).stdout, /^# pass 2$/m);
    await withLater('DELETE FROM price;');
    await assert.rejects(upgrade(), ({ stdout }) => /^ +not ok 1 - keeps every offer$/m.test(stdout));
    await writeFile(list, text.replace("TEXT')", "TEXT')\n    .replaceAll('x', 'x ')"));
    await assert.rejects(upgrade(), ({ stdout }) =>
      /^ +not ok 2 - finds each migration as it was released$/m.test(stdout),
    );
  });
});
