/** Tests resolve-host.ts with the test's own name server. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { timedIt } from '../../test/harness/lost-time.ts';
import { startHost } from '../review/images/testing/image-host.ts';
import { type Answers, startNameServer } from '../review/images/testing/name-server.ts';
import { failureOfVisit } from '../review/images/testing/visit-once.ts';
import { publicResolver, systemResolver } from './resolve-host.ts';

const IPV6 = '2606:4700:0:0:0:0:0:1';

describe('publicResolver', () => {
  it('returns IPv4 and IPv6 addresses', async (t) => {
    const server = await startNameServer(t, (_, type) => (type === 'A' ? ['8.8.8.8', '1.1.1.1'] : [IPV6]));
    const found = await publicResolver([server])('images.example');
    assert.deepEqual(found.toSorted(), ['1.1.1.1', '2606:4700::1', '8.8.8.8']);
  });

  timedIt('needs only one kind, even if the other is never resolved', async (t) => {
    for (const other of [[], undefined]) {
      const server = await startNameServer(t, (_, type) => (type === 'A' ? ['8.8.8.8'] : other));
      const started_ms = performance.now();
      assert.deepEqual(await publicResolver([server])('images.example'), ['8.8.8.8']);
      // Waiting for the other one would take 3 s.
      assert.ok(performance.now() - started_ms < 2_900);
    }
  });

  it('rejects a host without addresses', async (t) => {
    const server = await startNameServer(t, () => []);
    await assert.rejects(publicResolver([server])('nowhere.example'), { name: 'HostUnknownError' });
  });

  it('does not know names of this machine', async (t) => {
    const asked: string[] = [];
    const server = await startNameServer(t, (name) => {
      asked.push(name);
      return [];
    });
    await assert.rejects(publicResolver([server])('localhost'));
    assert.deepEqual(await systemResolver('localhost').then((found) => found.length > 0), true);
    assert.ok(asked.every((name) => name === 'localhost'));
  });

  for (const [kind, answers] of Object.entries({
    'A to this machine': (_, type) => (type === 'A' ? ['127.0.0.1'] : []),
    'AAAA to this machine, with a public A': (_, type) => (type === 'A' ? ['8.8.8.8'] : ['0:0:0:0:0:0:0:1']),
    'mapped AAAA': (_, type) => (type === 'A' ? [] : ['0:0:0:0:0:ffff:7f00:1']),
  } satisfies Record<string, Answers>)) {
    it(`no connection is opened for ${kind}`, async (t) => {
      const trap = await startHost(t, (_, response) => response.end('secret'));
      const resolvePublic = publicResolver([await startNameServer(t, answers)]);
      const address = `http://evil.example:${trap.port}/`;
      assert.equal(await failureOfVisit(t, address, { resolvePublic }), 'host_not_public');
      assert.equal(trap.connections, 0);
    });
  }
});
