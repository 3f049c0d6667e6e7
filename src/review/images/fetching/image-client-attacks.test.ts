/** Tests that no SSRF attack reaches the trap, a server on this machine. */
import assert from 'node:assert/strict';
import net from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { startHost, type TestHost } from '../testing/image-host.ts';
import { clientOf, failureOfVisit } from '../testing/visit-once.ts';
import type { ImageClientOptions } from './image-client.ts';

/** Counts as a public address, but cannot be reached. */
const PUBLIC_AND_NOWHERE = '2000::1';

const LITERALS: readonly string[] = [
  '127.0.0.1',
  '127.0.0.2',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '017700000001',
  '0',
  '0.0.0.0',
  '127.0.0.1.',
  '①②⑦.0.0.1',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::1]',
  '[0:0:0:0:0:0:0:1]',
];

describe('literal addresses', () => {
  for (const literal of LITERALS) {
    it(`refuses ${literal}`, async (t) => {
      const trap = await startTrap(t);
      assert.equal(await failureOfVisit(t, `http://${literal}:${trap.port}/`), 'host_not_public');
      assert.equal(await failureOfVisit(t, `https://${literal}:${trap.port}/`), 'host_not_public');
      assert.equal(trap.connections, 0);
    });

    // Node's server cannot send such characters in a header.
    if (literal.startsWith('①')) continue;
    it(`refuses a redirect to ${literal}`, async (t) => {
      const trap = await startTrap(t);
      assert.equal(await failureOfRedirect(t, `http://${literal}:${trap.port}/`), 'host_not_public');
      assert.equal(trap.connections, 0);
    });
  }

  it('refuses the metadata services of clouds', async (t) => {
    for (const literal of ['169.254.169.254', '100.100.100.200', '192.0.0.192', '168.63.129.16', '[fd00:ec2::254]']) {
      assert.equal(await failureOfVisit(t, `http://${literal}/latest/meta-data/`), 'host_not_public', literal);
    }
  });

  it('refuses loopback even if a server listens there', async (t) => {
    const trap = await startHost(t, (_, response) => response.end('secret'), '::1');
    assert.equal(await failureOfVisit(t, trap.url), 'host_not_public');
    assert.equal(trap.connections, 0);
  });
});

describe('names', () => {
  for (const [kind, addresses] of Object.entries({
    'to this machine': ['127.0.0.1'],
    'to this machine by IPv6': ['::1'],
    'to a mapped address': ['::ffff:127.0.0.1'],
    'to the network': ['10.0.0.1'],
    'to a metadata service': ['169.254.169.254'],
    'to a public address and this machine': [PUBLIC_AND_NOWHERE, '127.0.0.1'],
    'to this machine and a public address': ['127.0.0.1', PUBLIC_AND_NOWHERE],
    'to this machine, the seventeenth of its addresses': [...Array(16).fill(PUBLIC_AND_NOWHERE), '127.0.0.1'],
    'to what is no address': ['localhost'],
  })) {
    it(`refuses a name that leads ${kind}`, async (t) => {
      const trap = await startTrap(t);
      const options = { resolvePublic: async () => addresses };
      assert.equal(await failureOfVisit(t, `http://evil.example:${trap.port}/`, options), 'host_not_public');
      assert.equal(await failureOfRedirect(t, `http://evil.example:${trap.port}/`, options), 'host_not_public');
      assert.equal(trap.connections, 0);
    });
  }

  it('resolves once and connects to the checked addresses, even if a second response would differ', async (t) => {
    const trap = await startTrap(t);
    let asked = 0;
    const resolvePublic = async () => {
      asked += 1;
      return asked === 1 ? [PUBLIC_AND_NOWHERE] : ['127.0.0.1'];
    };
    const options = { resolvePublic, limits: { fetch_ms_max: 300 } };
    const failure = await failureOfVisit(t, `http://rebind.example:${trap.port}/`, options);
    assert.match(failure, /^(?:connection_failed|timed_out)$/);
    assert.equal(asked, 1);
    assert.equal(trap.connections, 0);
  });

  it('checks again for each new connection', async (t) => {
    const trap = await startTrap(t);
    let answer = [PUBLIC_AND_NOWHERE];
    const client = clientOf(t, { resolvePublic: async () => answer, limits: { fetch_ms_max: 2_000 } });
    const failure = () =>
      client.visit(`http://rebind.example:${trap.port}/`, {}, (visit) => visit.kind === 'failed' && visit.failure);
    assert.match(String(await failure()), /^(?:connection_failed|timed_out)$/);
    answer = ['127.0.0.1'];
    assert.equal(await failure(), 'host_not_public');
    assert.equal(trap.connections, 0);
  });

  it('checks the connected address, in case it is not one of the checked ones', async (t) => {
    const trap = await startTrap(t);
    const connect = net.connect;
    t.mock.method(net, 'connect', (options: net.TcpNetConnectOpts) =>
      connect({
        ...options,
        host: '127.0.0.1',
        lookup: (_host, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]),
      }),
    );
    const options = { resolvePublic: async () => [PUBLIC_AND_NOWHERE] };
    assert.equal(await failureOfVisit(t, `http://evil.example:${trap.port}/`, options), 'host_not_public');
    assert.equal(trap.connections, 1);
    assert.equal(trap.requests.length, 0);
  });

  it('limits the time of name servers like that of hosts', async (t) => {
    const options = { resolvePublic: () => new Promise<never>(() => {}), limits: { fetch_ms_max: 200 } };
    assert.equal(await failureOfVisit(t, 'http://stuck.example/', options), 'timed_out');
  });
});

describe('redirects', () => {
  for (const location of [
    'file:///etc/passwd',
    'ftp://a.example/',
    'gopher://127.0.0.1:70/_x',
    'data:image/png,x',
    'http://user:secret@a.example/',
  ]) {
    it(`does not follow to ${location}`, async (t) => {
      assert.equal(await failureOfRedirect(t, location), 'redirect_refused');
    });
  }

  it('does not follow to an endless URL', async (t) => {
    assert.equal(await failureOfRedirect(t, `http://a.example/${'x'.repeat(4_000)}`), 'redirect_refused');
  });

  it('checks the last of three redirects like the first', async (t) => {
    const trap = await startTrap(t);
    const host = await startHost(t, (request, response) => {
      const location = request.url === '/3' ? '/2' : request.url === '/2' ? '/1' : `http://127.0.0.1:${trap.port}/`;
      response.writeHead(307, { location }).end();
    });
    assert.equal(await failureOfVisit(t, `${host.url}/2`, { allowedHosts: [host.host] }), 'host_not_public');
    assert.equal(await failureOfVisit(t, `${host.url}/3`, { allowedHosts: [host.host] }), 'host_not_public');
    assert.equal(trap.connections, 0);
  });
});

describe('the allow list', () => {
  it('opens one host and port, and no other', async (t) => {
    const host = await startHost(t, (_, response) => response.end('image'));
    const trap = await startTrap(t);
    assert.equal(await failureOfVisit(t, host.url, { allowedHosts: [host.host] }), 'fetched');
    assert.equal(await failureOfVisit(t, trap.url, { allowedHosts: [host.host] }), 'host_not_public');
    assert.equal(trap.connections, 0);
  });

  it('matches the name: another name for an allowed address stays refused', async (t) => {
    const host = await startHost(t, (_, response) => response.end('image'));
    const options = { allowedHosts: ['127.0.0.1'], resolvePublic: async () => ['127.0.0.1'] };
    assert.equal(await failureOfVisit(t, `http://evil.example:${host.port}/`, options), 'host_not_public');
    assert.equal(host.connections, 0);
  });

  it('resolves an allowed name as the machine does', async (t) => {
    const host = await startHost(t, (_, response) => response.end('image'));
    assert.equal(await failureOfVisit(t, `http://localhost:${host.port}/`, { allowedHosts: ['localhost'] }), 'fetched');
  });
});

function startTrap(t: TestContext): Promise<TestHost> {
  return startHost(t, (_, response) => response.end('secret'));
}

/** Redirects through an allowed host, which represents a host on the internet. */
async function failureOfRedirect(t: TestContext, location: string, options: ImageClientOptions = {}): Promise<string> {
  const host = await startHost(t, (_, response) => response.writeHead(302, { location }).end());
  return failureOfVisit(t, host.url, { ...options, allowedHosts: [host.host] });
}
