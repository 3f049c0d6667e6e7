/** Tests that the delivery to a webhook continues within 5 seconds after the process that delivered to it was killed. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { minimalSku, requestToken } from '../harness/api-client.ts';
import { waitForLines } from '../harness/log-lines.ts';
import { postgresPlace } from '../harness/postgres-place.ts';
import { startServeProcess } from '../harness/serve-process.ts';
import { tempFolder } from '../harness/temp-folder.ts';

const RESUMED_MS_MAX = 5_000;
const SETTINGS = { WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' };

describe('a webhook whose process is killed', () => {
  it('gets its next message from another process within 5 seconds', { skip: postgresSkipped() }, async (t) => {
    const args = ['--demo', '--processes', '2'];
    const server = await startServeProcess({ ...(await postgresPlace()), ...SETTINGS }, args);
    t.after(() => server.stop('SIGKILL'));
    const receiver = await sentOneMessage(t, server.url);
    for (const [kills, { pid }] of (await waitForLines(server, 'worker_ready', 2)).entries()) {
      // Another process must run that can take over.
      await waitForLines(server, 'worker_ready', 2 + kills);
      process.kill(Number(pid), 'SIGKILL');
      const startMs = performance.now();
      // Only one of the workers had sent the message.
      if (!(await Promise.race([receiver.isCut, sleep(1000, false)]))) continue;
      await assertSoon(receiver, startMs);
      return;
    }
    assert.fail('No worker had sent the message.');
  });

  it('gets its next message from the restarted server within 5 seconds, on SQLite', async (t) => {
    const variables = { DATA_DIR: await tempFolder(), ...SETTINGS };
    const server = await startServeProcess(variables);
    t.after(() => server.stop('SIGKILL'));
    const receiver = await sentOneMessage(t, server.url);
    await server.stop('SIGKILL');
    const again = await startServeProcess(variables);
    t.after(() => again.stop('SIGKILL'));
    await assertSoon(receiver, performance.now());
  });
});

interface Receiver {
  /** Resolves when the connection of the first message is closed. */
  readonly isCut: Promise<boolean>;
  readonly second: Promise<void>;
}

/** Resolves when the receiver of a webhook has a message, to which it does not respond. */
async function sentOneMessage(t: TestContext, url: string): Promise<Receiver> {
  const [first, isCut, second] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<boolean>(),
    Promise.withResolvers<void>(),
  ];
  let messages = 0;
  const receiver = createServer((request, response) => {
    request.resume();
    if (++messages === 1) {
      request.socket.once('close', () => isCut.resolve(true));
      first.resolve();
    } else {
      response.writeHead(204).end();
      second.resolve();
    }
  }).listen(0, '127.0.0.1');
  t.after(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  await once(receiver, 'listening');
  const headers = { authorization: `Bearer ${await requestToken(url, 'test')}` };
  const hook = { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` };
  const added = await fetch(`${url}/webhooks`, { method: 'POST', headers, body: JSON.stringify(hook) });
  assert.equal(added.status, 200);
  const body = JSON.stringify(minimalSku());
  assert.equal((await fetch(`${url}/merchant-skus/a`, { method: 'PUT', headers, body })).status, 202);
  await first.promise;
  return { isCut: isCut.promise, second: second.promise };
}

async function assertSoon({ second }: Receiver, startMs: number): Promise<void> {
  await second;
  const took_ms = performance.now() - startMs;
  assert.ok(took_ms < RESUMED_MS_MAX, `it took ${took_ms} ms`);
}
