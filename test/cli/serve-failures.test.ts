/** Tests that a server that cannot start says why in one line, without a stack trace, and exits with 1. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, it } from 'node:test';
import { runOfferbook } from '../harness/command-line.ts';
import { startServeProcess } from '../harness/serve-process.ts';
import { tempFolder } from '../harness/temp-folder.ts';

describe('serve', { concurrency: 4 }, () => {
  it('names every wrong setting', async () => {
    const DATA_DIR = await tempFolder();
    assert.deepEqual(await runOfferbook({ DATA_DIR, PORT: '70000', CARRIER_NAMES: 'one' }, 'serve'), {
      exitCode: 1,
      stdout: '',
      stderr:
        'offerbook: PORT must be a whole number from 0 to 65535 (it is "70000"); CARRIER_NAMES must be five different ' +
        'names of at most 50 characters, separated by commas (it is "one")\n',
    });
  });

  it('names the address that is in use', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const variables = { DATA_DIR: await tempFolder(), PORT: String(port), LOG_LEVEL: 'silent' };
    const message = `Cannot listen on 127.0.0.1 port ${port}: another program uses it. Set another HOST, PORT or METRICS_PORT, such as PORT=8090.`;
    assert.deepEqual(await runOfferbook(variables, 'serve'), {
      exitCode: 1,
      stdout: '',
      stderr: `offerbook: ${message}\n`,
    });
    const asJson = await runOfferbook(variables, 'serve', '--json');
    assert.deepEqual([asJson.exitCode, asJson.stdout], [1, '']);
    assert.deepEqual(JSON.parse(asJson.stderr), {
      errors: [message],
      details: [{ code: 'address_unavailable', field: '', message }],
    });
  });

  it('leaves no database behind when a port is taken, and names the database that it uses otherwise', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const port = String((other.address() as { port: number }).port);
    const DATA_DIR = path.join(await tempFolder(), 'data');
    for (const ports of [
      { PORT: port, METRICS_PORT: '0' },
      { PORT: '0', METRICS_PORT: port },
    ]) {
      const { exitCode, stdout, stderr } = await runOfferbook({ DATA_DIR, ...ports }, 'serve');
      assert.deepEqual([exitCode, stdout], [1, '']);
      assert.match(stderr, /another program uses it/);
      assert.equal(existsSync(DATA_DIR), false);
    }
    for (const note of [' (new)', '']) {
      const server = await startServeProcess({ DATA_DIR, LOG_LEVEL: 'info' }, []);
      t.after(() => server.stop('SIGKILL'));
      assert.ok(server.output().includes(`Database       sqlite:${DATA_DIR}${note}\n`), server.output());
      assert.ok(server.output().includes(`"database":"sqlite:${DATA_DIR}${note}"`), server.output());
      await server.stop();
    }
  });

  it('names the folder that another server is using', async (t) => {
    const DATA_DIR = await tempFolder();
    const server = await startServeProcess({ DATA_DIR, LOG_LEVEL: 'silent' }, []);
    t.after(() => server.stop('SIGKILL'));
    assert.deepEqual(await runOfferbook({ DATA_DIR, PORT: '0', LOG_LEVEL: 'silent' }, 'serve'), {
      exitCode: 1,
      stdout: '',
      stderr: `offerbook: The data folder ${DATA_DIR} is in use by another server. Stop that server, or set DATA_DIR to another folder.\n`,
    });
  });

  it('refuses the demo where others could reach it', async () => {
    const variables = { DATA_DIR: await tempFolder(), PORT: '0', HOST: '0.0.0.0' };
    const { exitCode, stdout, stderr } = await runOfferbook(variables, 'serve', '--demo', '--json');
    const message = '--demo is refused: HOST 0.0.0.0 is not a loopback address. Set it to 127.0.0.1.';
    assert.deepEqual([exitCode, stdout], [1, '']);
    assert.deepEqual(JSON.parse(stderr), {
      errors: [message],
      details: [{ code: 'demo_refused', field: '', message }],
    });
  });

  for (const command of [['serve'], ['merchant', 'list']]) {
    it(`and other commands name a folder that cannot be used: ${command.join(' ')}`, async () => {
      const file = path.join(await tempFolder(), 'a-file');
      await writeFile(file, '');
      const { exitCode, stdout, stderr } = await runOfferbook({ DATA_DIR: file, PORT: '0' }, ...command);
      assert.deepEqual([exitCode, stdout], [1, '']);
      assert.match(stderr, /^offerbook: [^\n]+\n$/);
      assert.ok(stderr.includes(file), stderr);
    });
  }

  it('names a file that is not a database', async () => {
    const DATA_DIR = await tempFolder();
    await writeFile(path.join(DATA_DIR, 'offerbook.db'), 'not a database '.repeat(100));
    const { exitCode, stdout, stderr } = await runOfferbook({ DATA_DIR }, 'merchant', 'list', '--json');
    assert.deepEqual([exitCode, stdout], [1, '']);
    assert.equal(JSON.parse(stderr).details[0].code, 'store_unavailable');
  });
});
