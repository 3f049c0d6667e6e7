/** Tests fetching against real servers: results, redirects, conditional requests, and every limit. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { timedIt } from '../../../../test/harness/lost-time.ts';
import { IMAGE_LIMITS } from '../image-limits.ts';
import { startHost, startRawHost, startTlsHost } from '../testing/image-host.ts';
import { clientOf, failureOfVisit, visitOnce } from '../testing/visit-once.ts';

const FIXTURES = path.resolve(import.meta.dirname, '../../../../test/fixtures');
const TLS_PAIR = {
  cert: readFileSync(path.join(FIXTURES, 'tls-cert.pem')),
  key: readFileSync(path.join(FIXTURES, 'tls-key.pem')),
};

describe('a visit', () => {
  it('returns the body, the final URL and the ETag', async (t) => {
    const host = await startHost(t, (_, response) => response.setHeader('etag', '"v1"').end('image'));
    const visit = await visitOnce(t, `${host.url}/a.jpg#part`, { allowedHosts: [host.host] });
    assert.equal(visit.kind, 'fetched');
    assert.deepEqual(
      { ...visit, fetch_ms: 0 },
      {
        kind: 'fetched',
        finalAddress: `${host.url}/a.jpg`,
        httpStatus: 200,
        fetch_ms: 0,
        body: Buffer.from('image'),
        etag: '"v1"',
      },
    );
    assert.equal(host.requests[0]?.headers['accept-encoding'], 'identity');
    assert.equal(host.requests[0]?.headers.cookie, undefined);
  });

  it('drops an ETag that could not be sent back', async (t) => {
    const etags = ['v1', '"a b"', `"${'x'.repeat(256)}"`, '"caf\u00e9"'];
    const host = await startHost(t, (request, response) =>
      response.setHeader('etag', etags[Number(request.url?.slice(1))] ?? '').end('image'),
    );
    for (const index of etags.keys()) {
      const visit = await visitOnce(t, `${host.url}/${index}`, { allowedHosts: [host.host] });
      assert.equal(visit.kind === 'fetched' ? visit.etag : '', null, etags[index]);
    }
  });

  it('sends a conditional request only to the host that has the image', async (t) => {
    const host = await startHost(t, (request, response) => {
      if (request.url === '/old') response.writeHead(302, { location: '/new' }).end();
      else response.writeHead(request.headers['if-none-match'] === '"v1"' ? 304 : 200).end();
    });
    const known = { finalAddress: `${host.url}/new`, etag: '"v1"' };
    const visit = await visitOnce(t, `${host.url}/old`, { allowedHosts: [host.host], visit: { known } });
    assert.equal(visit.kind, 'unchanged');
    assert.equal(visit.finalAddress, `${host.url}/new`);
    assert.deepEqual(
      host.requests.map(({ headers }) => headers['if-none-match']),
      [undefined, '"v1"'],
    );
    const changed = { finalAddress: `${host.url}/new`, etag: '"v0"' };
    const again = await visitOnce(t, `${host.url}/new`, { allowedHosts: [host.host], visit: { known: changed } });
    assert.equal(again.kind, 'fetched');
  });

  it('refuses an unsolicited 304', async (t) => {
    const host = await startHost(t, (_, response) => response.writeHead(304).end());
    assert.equal(await failureOfVisit(t, host.url, { allowedHosts: [host.host] }), 'http_refused');
  });

  for (const [status, failure] of [
    [204, 'http_refused'],
    [206, 'http_refused'],
    [300, 'http_refused'],
    [401, 'http_refused'],
    [403, 'http_refused'],
    [404, 'http_refused'],
    [410, 'http_refused'],
    [408, 'http_failed'],
    [429, 'http_failed'],
    [500, 'http_failed'],
    [503, 'http_failed'],
  ] as const) {
    it(`reports ${status} as ${failure}`, async (t) => {
      const host = await startHost(t, (_, response) => response.writeHead(status).end());
      const visit = await visitOnce(t, host.url, { allowedHosts: [host.host] });
      assert.equal(visit.kind === 'failed' ? visit.failure : visit.kind, failure);
      assert.equal(visit.httpStatus, status);
    });
  }

  it('follows three redirects and not a fourth', async (t) => {
    const host = await startHost(t, (request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end('image');
      else response.writeHead(301 + (left % 2), { location: `${left - 1}` }).end('elsewhere');
    });
    const options = { allowedHosts: [host.host] };
    const visit = await visitOnce(t, `${host.url}/3`, options);
    assert.deepEqual([visit.kind, visit.finalAddress], ['fetched', `${host.url}/0`]);
    assert.equal(await failureOfVisit(t, `${host.url}/4`, options), 'redirects_too_many');
    assert.equal(await failureOfVisit(t, `${host.url}/1000`, options), 'redirects_too_many');
  });

  it('trusts only valid certificates', async (t) => {
    const host = await startTlsHost(t, TLS_PAIR, (_, response) => response.end('image'));
    const options = { allowedHosts: ['localhost', '127.0.0.1', 'other.test'] };
    const ca = TLS_PAIR.cert.toString();
    const resolveAllowed = async () => ['127.0.0.1'];
    assert.equal(await failureOfVisit(t, host.url, options), 'certificate_invalid');
    assert.equal(await failureOfVisit(t, host.url, { ...options, ca }), 'fetched');
    const other = `https://other.test:${host.port}/`;
    assert.equal(await failureOfVisit(t, other, { ...options, ca, resolveAllowed }), 'certificate_invalid');
  });

  it('does not follow from https to http', async (t) => {
    const trap = await startHost(t, (_, response) => response.end('image'));
    const host = await startTlsHost(t, TLS_PAIR, (_, response) =>
      response.writeHead(302, { location: trap.url }).end(),
    );
    const options = { allowedHosts: ['127.0.0.1'], ca: TLS_PAIR.cert.toString() };
    assert.equal(await failureOfVisit(t, host.url, options), 'redirect_refused');
    assert.equal(trap.connections, 0);
  });

  it('distinguishes a host that is down, unknown, or hangs up', async (t) => {
    const gone = await startRawHost(t, (socket) => socket.destroy());
    const options = { allowedHosts: ['127.0.0.1', 'nowhere.test'], resolveAllowed: async () => [] };
    assert.equal(await failureOfVisit(t, `http://127.0.0.1:${await closedPort()}/`, options), 'connection_failed');
    assert.equal(await failureOfVisit(t, gone.url, options), 'connection_failed');
    assert.equal(await failureOfVisit(t, 'http://nowhere.test/', options), 'host_unknown');
    assert.equal(await failureOfVisit(t, 'http://nowhere.example/', options), 'host_unknown');
    assert.equal(await failureOfVisit(t, 'ftp://127.0.0.1/', options), 'address_refused');
  });

  it('rejects if the caller aborts', async (t) => {
    const control = new AbortController();
    const host = await startHost(t, () => control.abort(new Error('The process stops.')));
    const visit = visitOnce(t, host.url, { allowedHosts: [host.host], visit: { signal: control.signal } });
    await assert.rejects(visit, /The process stops/);
  });
});

describe('limits of a visit', () => {
  const limits = { body_bytes_max: 10_000 };
  const quickly = { fetch_ms_max: 400 };

  timedIt('times out a host that does not respond, and one that trickles', async (t) => {
    const silent = await startHost(t, () => {});
    const trickling = await startHost(t, (_, response) => {
      response.writeHead(200, { 'content-type': 'image/jpeg' });
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    });
    const drowsy = await startRawHost(t, (socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    for (const host of [silent, trickling, drowsy]) {
      const started_ms = performance.now();
      assert.equal(await failureOfVisit(t, host.url, { allowedHosts: [host.host], limits: quickly }), 'timed_out');
      assert.ok(performance.now() - started_ms < IMAGE_LIMITS.fetch_ms_max - 1_000);
    }
  });

  it('applies one timeout to all redirects together', async (t) => {
    const host = await startHost(t, (_, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), 250);
    });
    assert.equal(await failureOfVisit(t, host.url, { allowedHosts: [host.host], limits: quickly }), 'timed_out');
    assert.ok(host.requests.length <= 2, 'a third would come after 500 ms');
  });

  it('accepts a body up to the limit and not one byte more, whatever its header says', async (t) => {
    const host = await startHost(t, (request, response) => {
      const bytes = Number(request.url?.slice(1));
      // Even sizes have a length header, odd ones are chunked.
      if (bytes % 2 === 0) response.setHeader('content-length', bytes);
      else response.flushHeaders();
      response.end(Buffer.alloc(bytes));
    });
    const options = { allowedHosts: [host.host], limits };
    assert.equal(await failureOfVisit(t, `${host.url}/10000`, options), 'fetched');
    assert.equal(await failureOfVisit(t, `${host.url}/9999`, options), 'fetched');
    assert.equal(await failureOfVisit(t, `${host.url}/10001`, options), 'too_many_bytes');
    assert.equal(await failureOfVisit(t, `${host.url}/10002`, options), 'too_many_bytes');
  });

  it('cuts off an endless body', async (t) => {
    let written = 0;
    const host = await startHost(t, (_, response) => {
      const chunk = Buffer.alloc(4_096);
      const write = () => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length;
      };
      response.on('drain', write);
      write();
    });
    assert.equal(await failureOfVisit(t, host.url, { allowedHosts: [host.host], limits }), 'too_many_bytes');
    // The host sends only as much as fits into the buffers of both sides.
    assert.ok(written < 20_000_000, `${written}`);
  });

  it('refuses a body that is shorter than its header says', async (t) => {
    const host = await startRawHost(t, (socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\nonly this'),
    );
    assert.equal(await failureOfVisit(t, host.url, { allowedHosts: [host.host], limits }), 'connection_failed');
  });

  it('reads only the announced length of a longer body, and does not pass the rest to the next request', async (t) => {
    const host = await startRawHost(t, (socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfourHTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nwrong'),
    );
    const client = clientOf(t, { allowedHosts: [host.host], limits });
    for (let round = 0; round < 2; round += 1) {
      const visit = await client.visit(host.url, {}, (found) => found);
      if (visit.kind === 'fetched') assert.equal(visit.body.toString(), 'four');
      else assert.equal(visit.kind === 'failed' && visit.failure, 'connection_failed');
    }
  });

  it('refuses by the length header alone, before any body', async (t) => {
    const host = await startRawHost(t, (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n'));
    assert.equal(await failureOfVisit(t, host.url, { allowedHosts: [host.host], limits }), 'too_many_bytes');
  });

  it('decompresses nothing', async (t) => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    assert.ok(bomb.length < 60_000);
    const host = await startHost(t, (request, response) => {
      if (request.url === '/encoded') response.setHeader('content-encoding', 'gzip');
      response.end(bomb);
    });
    const options = { allowedHosts: [host.host] };
    assert.equal(await failureOfVisit(t, `${host.url}/encoded`, options), 'body_encoded');
    const visit = await visitOnce(t, `${host.url}/untold`, options);
    assert.equal(visit.kind === 'fetched' ? visit.body.length : 0, bomb.length);
  });

  it('refuses a flood of headers, and responses that are not HTTP', async (t) => {
    const flood = await startRawHost(t, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const line = `x-flood: ${'y'.repeat(1_000)}\r\n`;
      const write = () => {
        while (!socket.destroyed && socket.write(line)) {}
      };
      socket.on('drain', write);
      write();
    });
    const banner = await startRawHost(t, (socket) => socket.write('220 mail.example ESMTP\r\n'));
    for (const host of [flood, banner]) {
      assert.equal(await failureOfVisit(t, host.url, { allowedHosts: [host.host], limits }), 'answer_invalid');
    }
  });

  timedIt('limits connections per host, and a slow host delays only its own images', async (t) => {
    let open = 0;
    let most = 0;
    const slow = await startHost(t, (_, response) => {
      open += 1;
      most = Math.max(most, open);
      response.on('close', () => {
        open -= 1;
      });
    });
    const quick = await startHost(t, (_, response) => response.end('image'));
    const client = clientOf(t, {
      allowedHosts: ['127.0.0.1', 'localhost'],
      limits: { fetch_ms_max: 2_000, connections_per_host_max: 2, connections_max: 4 },
    });
    const slowUrl = slow.url.replace('127.0.0.1', 'localhost');
    const delayed = Array.from({ length: 6 }, () => client.visit(slowUrl, {}, (visit) => visit));
    const started_ms = performance.now();
    const visit = await client.visit(quick.url, {}, (found) => found);
    assert.equal(visit.kind, 'fetched');
    assert.ok(performance.now() - started_ms < 2_000);
    // Waiting does not count as fetch time: the host refused the last one, not the queue.
    const visits = await Promise.all(delayed);
    assert.ok(visits.every((found) => found.kind === 'failed' && found.failure === 'timed_out'));
    assert.equal(slow.requests.length, 6);
    assert.equal(most, 2);
  });

  it('keeps the slot until the body is reviewed', async (t) => {
    const host = await startHost(t, (_, response) => response.end('image'));
    const client = clientOf(t, { allowedHosts: [host.host], limits: { connections_max: 1 } });
    const reviewed = Promise.withResolvers<void>();
    const fetched = Promise.withResolvers<void>();
    const first = client.visit(host.url, {}, () => {
      fetched.resolve();
      return reviewed.promise;
    });
    await fetched.promise;
    const second = client.visit(host.url, {}, () => 'second');
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(host.requests.length, 1);
    reviewed.resolve();
    await first;
    assert.equal(await second, 'second');
  });
});

/** Returns a port that was free a moment ago. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
