/** Tests that the log is JSON lines, or readable text on a terminal, and reports the life of a server in a few lines. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { offerbookJson } from '../harness/command-line.ts';
import { startServeProcess } from '../harness/serve-process.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** Returns the events in the output, in order. */
function eventsIn(output: string): Record<string, unknown>[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

/** Leaves out pauses, which a busy machine may cause at any time. */
const namesIn = (output: string) =>
  eventsIn(output)
    .map(({ event }) => event)
    .filter((event) => event !== 'request_thread_paused');

describe('the log of a server', () => {
  it('reports start, changed configuration and stop, and no successful requests', async (t) => {
    const DATA_DIR = await tempFolder();
    const server = await startServeProcess({ DATA_DIR }, []);
    t.after(() => server.stop('SIGKILL'));
    for (let n = 0; n < 3; n++) assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
    await offerbookJson({ DATA_DIR }, 'merchant', 'add', 'acme', '--name', 'Acme');
    await waitUntil('the change to be noticed', 60_000, async () =>
      namesIn(server.output()).includes('setup_changed') ? true : undefined,
    );
    assert.equal(await server.stop(), 0);
    const [started] = eventsIn(server.output());
    assert.deepEqual([started?.event, started?.level, started?.url], ['server_started', 'info', server.url]);
    assert.deepEqual(
      new Set(namesIn(server.output())),
      new Set(['server_started', 'setup_changed', 'server_stopping', 'server_stopped']),
    );
    assert.equal(eventsIn(server.output()).at(-1)?.cutConnections, false);
  });

  it('reports where the server listens and, if it differs, PUBLIC_URL', async (t) => {
    const PUBLIC_URL = 'https://offers.example';
    for (const [settings, publicUrl] of [
      [{ PUBLIC_URL }, PUBLIC_URL],
      [{}, undefined],
    ] as const) {
      const server = await startServeProcess({ DATA_DIR: await tempFolder(), ...settings }, []);
      t.after(() => server.stop('SIGKILL'));
      await server.stop();
      const [started] = eventsIn(server.output());
      assert.match(String(started?.url), /^http:\/\/127\.0\.0\.1:\d+$/);
      assert.equal(started?.publicUrl, publicUrl);
      const listening = /^Listening on {3}(.+)$/m.exec(server.output())?.[1];
      assert.equal(listening, publicUrl && started?.url);
    }
  });

  it('has a line per request at level debug, with the route pattern', async (t) => {
    const server = await startServeProcess({ DATA_DIR: await tempFolder(), LOG_LEVEL: 'debug' }, []);
    t.after(() => server.stop('SIGKILL'));
    const response = await fetch(`${server.url}/merchant-skus/secret-plan/price`);
    await server.stop();
    const {
      time: _,
      seconds,
      ...line
    } = eventsIn(server.output()).find(({ event }) => event === 'request_answered') ?? {};
    assert.ok(typeof seconds === 'number' && seconds > 0);
    assert.deepEqual(line, {
      level: 'debug',
      event: 'request_answered',
      requestId: response.headers.get('x-request-id'),
      method: 'GET',
      route: '/merchant-skus/{user_defined_sku_id}/price',
      status: 401,
      message: 'A request was completed.',
    });
  });

  it('can be turned off', async () => {
    const server = await startServeProcess({ DATA_DIR: await tempFolder(), LOG_LEVEL: 'silent' }, []);
    await server.stop();
    assert.deepEqual(eventsIn(server.output()), []);
  });
});

it('a line for a terminal is text, with a readable error stack', () => {
  const script = `
    import { EventLog } from './src/telemetry/event-log.ts';
    import { openLogDestination } from './src/telemetry/event-log.ts';
    const log = new EventLog('info', await openLogDestination(true));
    log.write('request_failed', { requestId: 'r-1', route: '/token', error: new Error('a bug') });
  `;
  const { stderr, stdout, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  assert.deepEqual([status, stdout], [0, ''], stderr);
  assert.match(stderr, /ERROR.*A request failed with an internal error\..*"requestId":"r-1"/);
  assert.match(stderr, /^ +Error: a bug\n +at /m);
});
