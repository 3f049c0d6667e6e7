/** Tests that a test server can be crashed and restarted, and leaves nothing behind when its parent process exits. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { postgresSkipped } from './availability.ts';
import { createTestDatabase } from './test-database.ts';
import { startTestServer } from './test-server.ts';

describe('PostgreSQL for tests', { skip: postgresSkipped() }, () => {
  test('each database is new, empty and gone when dropped, even while a client is connected', async () => {
    const [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    assert.notEqual(first.url, second.url);
    const client = new Client({ connectionString: first.url });
    const cut = new Promise<Error>((resolve) => client.on('error', resolve));
    await client.connect();
    const tables = await client.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'");
    assert.equal(tables.rowCount, 0);
    await first.drop();
    await cut;
    const again = new Client({ connectionString: first.url });
    await assert.rejects(again.connect(), { code: '3D000' });
    await second.drop();
  });

  test('a server that crashed comes back at its address, and is gone when closed', async (t) => {
    const server = await startTestServer({ durable: true });
    t.after(() => server.close());
    const connects = async () => {
      const client = new Client({ connectionString: server.url });
      await client.connect();
      const { rows } = await client.query({ text: 'SHOW fsync', rowMode: 'array' });
      await client.end();
      return rows[0]?.[0];
    };
    assert.equal(await connects(), 'on');
    await server.stop('SIGQUIT');
    await assert.rejects(connects());
    await server.start();
    assert.equal(await connects(), 'on');
    await server.close();
    assert.equal(await listens(server.url), false);
  });

  test('it ends when the process that started it is killed', async () => {
    const source = `import { startTestServer } from './test-server.ts';
      console.log((await startTestServer()).url);
      setInterval(() => {}, 1000);`;
    const starter = spawn(process.execPath, ['--input-type=module', '--eval', source], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const failed = once(starter, 'exit').then(() => assert.fail('It did not start a server.'));
    const [line] = await Promise.race([once(starter.stdout.setEncoding('utf8'), 'data'), failed]);
    assert.equal(await listens(line.trim()), true);
    failed.catch(() => {});
    starter.kill('SIGKILL');
    const deadline = AbortSignal.timeout(60_000);
    while (await listens(line.trim())) await setTimeout(20, undefined, { signal: deadline });
  });
});

async function listens(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
