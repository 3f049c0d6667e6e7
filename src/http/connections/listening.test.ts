/** Tests that a server reports its address, when it closes connections, and that it closes even if it never listened. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, get, type Server } from 'node:http';
import os from 'node:os';
import { describe, it, mock } from 'node:test';
import { timedIt } from '../../../test/harness/lost-time.ts';
import { type ConnectionsStop, listen, stopListening } from './listening.ts';

const hasIpv6 = Object.values(os.networkInterfaces()).some((own) => own?.some(({ family }) => family === 'IPv6'));

describe('a server', () => {
  for (const [host, address] of [
    ['127.0.0.1', /^127\.0\.0\.1:\d+$/],
    ['::1', /^\[::1\]:\d+$/],
    ['localhost', /^(127\.0\.0\.1|\[::1\]):\d+$/],
    ['0.0.0.0', /^(?!0\.0\.0\.0:)\d+\.\d+\.\d+\.\d+:\d+$/],
    ['::', /^\[(?!::\])[0-9a-f:]+\]:\d+$/],
  ] as const) {
    const skip = host.includes(':') && !hasIpv6;
    it(`that listens on ${host} is reachable at the address that it reports`, { skip }, async () => {
      const server = greeter();
      const said = await listen(server, { host, port: 0 });
      assert.match(said, address);
      assert.equal(await (await fetch(`http://${said}/`)).text(), 'hello');
      assert.equal(await stopListening(server, 60, closing(server)), false);
      await assert.rejects(fetch(`http://${said}/`));
    });
  }

  it('that may not read the addresses of its machine reports a loopback address', async (t) => {
    const forbidden = mock.method(os, 'networkInterfaces', () => {
      throw new Error('uv_interface_addresses returned Unknown system error 97');
    });
    t.after(() => forbidden.mock.restore());
    const server = greeter();
    assert.match(await listen(server, { host: '0.0.0.0', port: 0 }), /^127\.0\.0\.1:\d+$/);
    await stopListening(server, 60, closing(server));
  });

  it('whose port is in use reports it, and can be stopped although it never listened', async () => {
    const first = greeter();
    const port = Number((await listen(first, { host: '127.0.0.1', port: 0 })).split(':')[1]);
    const second = greeter();
    await assert.rejects(listen(second, { host: '127.0.0.1', port }), {
      code: 'EADDRINUSE',
      address: '127.0.0.1',
      port,
    });
    assert.equal(await stopListening(second, 60, closing(second)), false);
    assert.equal(await stopListening(first, 60, closing(first)), false);
  });
});

describe('a stop', () => {
  timedIt('takes at most half a second until clients are asked to leave, even if the process is busy', async () => {
    const server = greeter();
    await listen(server, { host: '127.0.0.1', port: 0 });
    let isBusy = true;
    const spin = () => {
      for (const endMs = performance.now() + 20; performance.now() < endMs; );
      if (isBusy) setImmediate(spin);
    };
    setImmediate(spin);
    const startMs = performance.now();
    await stopListening(server, 60, {
      begin: () => {
        isBusy = false;
      },
      closeIdle: () => server.closeIdleConnections(),
    });
    assert.ok(performance.now() - startMs < 1500, `it took ${performance.now() - startMs} ms`);
  });

  it('asks clients to leave only when none of them can reach the server again', async () => {
    const server = greeter();
    const said = await listen(server, { host: '127.0.0.1', port: 0 });
    const steps: string[] = [];
    const refused = Promise.withResolvers<unknown>();
    const agent = new Agent({ keepAlive: true });
    await once(get(`http://${said}/`, { agent }), 'response');
    const stopped = stopListening(server, 60, {
      begin: () => {
        steps.push('begin');
        fetch(`http://${said}/`).then(refused.resolve, (error: Error) => refused.resolve(error.cause));
      },
      closeIdle: () => {
        steps.push('closeIdle');
        server.closeIdleConnections();
      },
    });
    assert.deepEqual(steps, []);
    assert.equal(((await refused.promise) as NodeJS.ErrnoException).code, 'ECONNREFUSED');
    assert.equal(await stopped, false);
    assert.deepEqual(steps.slice(0, 2), ['begin', 'closeIdle']);
    agent.destroy();
  });
});

function closing(server: Server): ConnectionsStop {
  return { begin: () => {}, closeIdle: () => server.closeIdleConnections() };
}

function greeter(): Server {
  return createServer((_message, response) => void response.end('hello'));
}
