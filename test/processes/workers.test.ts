/** Tests that `serve --processes N` acts as one server: one address, one welcome, workers that are restarted, one stop. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { startTestServer } from '../../src/store/postgres/testing/test-server.ts';
import { requestToken } from '../harness/api-client.ts';
import { runOfferbook } from '../harness/command-line.ts';
import { waitForLines } from '../harness/log-lines.ts';
import { scrape } from '../harness/metrics.ts';
import { postgresPlace } from '../harness/postgres-place.ts';
import { type ServeProcess, startServeProcess } from '../harness/serve-process.ts';
import { PATIENCE, type StorePlace } from '../harness/store-place.ts';
import { waitUntil } from '../harness/wait-until.ts';

describe('serve --processes 2', { skip: postgresSkipped(), concurrency: 2 }, () => {
  it('prints its address once, serves from both workers, and stops cleanly at Ctrl+C', async (t) => {
    const server = await startWorkers(t, await postgresPlace(), { METRICS_PORT: '0' });
    assert.equal(server.output().match(/^API {12}/gm)?.length, 1);
    assert.equal(server.output().match(/^Request a token:/gm)?.length, 1);
    const token = await requestToken(server.url, 'test');
    const started = await waitForLines(server, 'server_started', 2);
    assert.deepEqual(started.map(({ worker }) => worker).sort(), [1, 2]);
    assert.deepEqual(
      started.map(({ url }) => url),
      [server.url, server.url],
      'a free port is one for all',
    );
    const metricsUrls = started.map(({ metricsUrl }) => String(metricsUrl));
    assert.notEqual(metricsUrls[0], metricsUrls[1]);
    const series = 'offerbook_http_requests_total{method="GET",route="/authcheck",status="200"}';
    // The system chooses a worker for each connection.
    await waitUntil('responses of both workers', 60_000, async () => {
      assert.equal(await authcheck(server.url, token), 200);
      const counts = await Promise.all(metricsUrls.map(async (url) => (await scrape(url)).get(series) ?? 0));
      return counts.every((count) => count > 0) || undefined;
    });

    // A terminal sends the signal to all processes.
    for (const pid of await workerPids(server, 2)) process.kill(pid, 'SIGINT');
    assert.equal(await server.stop('SIGINT'), 0);
    const stopped = await waitForLines(server, 'server_stopped', 2);
    // A worker that stops before the first process has its signal is restarted, and then stopped.
    assert.deepEqual(new Set(stopped.map(({ worker }) => worker)), new Set([1, 2]));
  });

  it('finishes a request in flight when it is stopped', async (t) => {
    const server = await startWorkers(t, await postgresPlace(), {});
    const slow = await halfSentRequest(t, server.url);
    const exited = server.stop('SIGTERM');
    await waitForLines(server, 'server_stopping', 2);
    slow.write('}'.padStart(20));
    const [answer] = (await once(slow, 'data')) as [Buffer];
    assert.match(answer.toString('latin1'), /^HTTP\/1\.1 400 /);
    assert.equal(await exited, 0);
  });

  it('ends immediately at a second signal, and leaves no worker behind', async (t) => {
    const server = await startWorkers(t, await postgresPlace(), { STOP_SECONDS: '3600' });
    const pids = await workerPids(server, 2);
    await halfSentRequest(t, server.url);
    server.process.kill('SIGTERM');
    const exit = await waitUntil('the end', 60_000, async () => {
      server.process.kill('SIGTERM');
      return server.process.exitCode ?? undefined;
    });
    assert.equal(exit, 1);
    await allGone(pids);
  });

  it('reports a worker that was killed instead of stopping', async (t) => {
    const server = await startWorkers(t, await postgresPlace(), { STOP_SECONDS: '3600' });
    const [, pid = 0] = await workerPids(server, 2);
    // So many unfinished requests that each worker gets one (the chance of none is below one in a million), so that neither exits early.
    const requests = await Promise.all(Array.from({ length: 20 }, () => halfSentRequest(t, server.url)));
    const exited = server.stop('SIGTERM');
    await waitForLines(server, 'server_stopping', 2);
    process.kill(pid, 'SIGKILL');
    for (const request of requests) request.destroy();
    assert.equal(await exited, 1);
    await waitUntil('the line about it', 30_000, async () =>
      /^offerbook: Process 2 did not stop cleanly \(SIGKILL\)\.$/m.test(server.output()) ? true : undefined,
    );
  });

  it('leaves no worker behind when the first process is killed', async (t) => {
    const server = await startWorkers(t, await postgresPlace(), {});
    const pids = await workerPids(server, 2);
    assert.equal(await server.stop('SIGKILL'), 'SIGKILL');
    await allGone(pids);
  });

  it('restarts workers that die or stop, and keeps responding', async (t) => {
    const server = await startWorkers(t, await postgresPlace(), {});
    const token = await requestToken(server.url, 'test');
    for (const [round, signal] of (['SIGKILL', 'SIGTERM'] as const).entries()) {
      const victim = (await workerPids(server, 2 + round)).at(-1) ?? 0;
      process.kill(victim, signal);
      const ended = (await waitForLines(server, 'worker_ended', 1 + round)).at(-1);
      assert.deepEqual([ended?.worker, ended?.how], [0, signal === 'SIGKILL' ? 'SIGKILL' : 0]);
      assert.equal(await authcheck(server.url, token), 200);
      const next = (await waitForLines(server, 'worker_ready', 3 + round)).at(-1);
      assert.equal(next?.number, ended?.number);
    }
    for (let n = 0; n < 4; n++) assert.equal(await authcheck(server.url, token), 200);
    assert.equal(await server.stop(), 0);
  });

  it('restarts a worker that dies during a database outage, once the database is back', async (t) => {
    const postgres = await startTestServer();
    t.after(() => postgres.close());
    const variables = { DATABASE_URL: postgres.url, ...PATIENCE };
    const server = await startServeProcess(variables, ['--demo', '--processes', '2']);
    t.after(() => server.stop('SIGKILL'));
    await postgres.stop();
    process.kill((await workerPids(server, 2)).at(-1) ?? 0, 'SIGKILL');
    const [, again] = await waitForLines(server, 'worker_ended', 2);
    assert.match(String(again?.reason), /^offerbook: The database /);
    await postgres.start();
    await waitForLines(server, 'worker_ready', 3);
    const token = await requestToken(server.url, 'test');
    // The other worker may notice later that the database is back.
    await waitUntil('the response', 60_000, async () => (await authcheck(server.url, token)) === 200 || undefined);
    assert.equal(await server.stop(), 0);
  });

  it('refuses connections beyond the limit when all workers are full', async (t) => {
    const server = await startWorkers(t, await postgresPlace(), {
      CONNECTIONS_MAX: '1',
      HEADERS_TIMEOUT_SECONDS: '120',
    });
    const { hostname, port } = new URL(server.url);
    // The system chooses a worker for each connection: one after the other until both have theirs.
    const open = new Set<Socket>();
    for (let n = 0; n < 20; n++) {
      const socket = connect(Number(port), hostname);
      t.after(() => socket.destroy());
      open.add(socket);
      socket.on('error', () => {}).once('close', () => open.delete(socket));
    }
    await waitUntil('18 refusals', 60_000, async () => (open.size === 2 ? true : undefined));
    await waitForLines(server, 'connection_refused', 1);
  });
});

describe('serve --processes 2 that cannot start', { skip: postgresSkipped(), concurrency: 2 }, () => {
  it('reports once that the address is in use', async (t) => {
    const port = await takenPort(t);
    const variables = { ...(await postgresPlace()), PORT: String(port), LOG_LEVEL: 'silent' };
    assert.deepEqual(await runOfferbook(variables, 'serve', '--processes', '2'), {
      exitCode: 1,
      stdout: '',
      stderr: `offerbook: Cannot listen on 127.0.0.1 port ${port}: another program uses it. Set another HOST, PORT or METRICS_PORT, such as PORT=8090.\n`,
    });
    const asJson = await runOfferbook(variables, 'serve', '--processes', '2', '--json');
    assert.equal(JSON.parse(asJson.stderr).details[0].code, 'address_unavailable');
  });

  it('does not share the address of another such server', async (t) => {
    const place = await postgresPlace();
    const { url } = await startWorkers(t, place, {});
    const variables = { ...place, PORT: new URL(url).port, LOG_LEVEL: 'silent' };
    const { exitCode, stderr } = await runOfferbook(variables, 'serve', '--processes', '2');
    assert.equal(exitCode, 1);
    assert.match(stderr, /^offerbook: Cannot listen on 127\.0\.0\.1 port \d+: another program uses it\./);
  });

  it('reports which metrics port is in use: the port of its worker', async (t) => {
    const port = await takenPort(t);
    const variables = { ...(await postgresPlace()), PORT: '0', METRICS_PORT: String(port - 1), LOG_LEVEL: 'silent' };
    assert.deepEqual(await runOfferbook(variables, 'serve', '--processes', '2'), {
      exitCode: 1,
      stdout: '',
      stderr: `offerbook: METRICS_PORT must be a free port on 127.0.0.1 (${port}: another program uses it)\n`,
    });
  });

  it('reports that the database does not respond', async () => {
    const place = await postgresPlace();
    const url = new URL(place.DATABASE_URL ?? '');
    url.port = '1';
    const variables = { ...place, DATABASE_URL: url.href, PORT: '0', LOG_LEVEL: 'silent' };
    const { exitCode, stdout, stderr } = await runOfferbook(variables, 'serve', '--processes', '2');
    assert.deepEqual([exitCode, stdout], [1, '']);
    assert.match(stderr, /^offerbook: The database [^\n]+\n$/);
  });
});

async function startWorkers(
  t: TestContext,
  place: StorePlace,
  variables: Readonly<Record<string, string>>,
): Promise<ServeProcess> {
  const server = await startServeProcess({ ...place, ...variables }, ['--demo', '--processes', '2']);
  t.after(() => server.stop('SIGKILL'));
  return server;
}

/** Uses a new connection, so that any worker may respond. */
async function authcheck(url: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, connection: 'close' };
  const response = await fetch(`${url}/authcheck`, { headers });
  await response.arrayBuffer();
  return response.status;
}

/** Starts a request whose headers are received and whose last 20 bytes are missing. */
async function halfSentRequest(t: TestContext, url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  socket.write('POST /token HTTP/1.1\r\nHost: here\r\nContent-Length: 21\r\nExpect: 100-continue\r\n\r\n');
  const [received] = (await once(socket, 'data')) as [Buffer];
  assert.match(received.toString('latin1'), /^HTTP\/1\.1 100 /, 'the request is under way');
  socket.write('{');
  return socket;
}

async function workerPids(server: ServeProcess, count: number): Promise<number[]> {
  return (await waitForLines(server, 'worker_ready', count)).map(({ pid }) => Number(pid));
}

async function allGone(pids: readonly number[]): Promise<void> {
  assert.equal(pids.length, 2);
  await waitUntil('the workers to be gone', 30_000, async () => (pids.some(isAlive) ? undefined : true));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function takenPort(t: TestContext): Promise<number> {
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  return (other.address() as { port: number }).port;
}
