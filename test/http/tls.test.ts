/** Tests that with TLS_CERT and TLS_KEY the server uses HTTPS, says so, and names a setting that does not match. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import https from 'node:https';
import path from 'node:path';
import { describe, it } from 'node:test';
import tls from 'node:tls';
import { readTlsFiles } from '../../src/config/tls-files.ts';
import { runOfferbook } from '../harness/command-line.ts';
import { timedIt } from '../harness/lost-time.ts';
import { limitHits, scrape } from '../harness/metrics.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { RawConnection, requestBytes } from '../harness/raw-http.ts';
import { withPlace } from '../harness/store-place.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { startTestServer } from '../harness/test-server.ts';
import { waitUntil } from '../harness/wait-until.ts';

const TLS_CERT = path.resolve(import.meta.dirname, '../fixtures/tls-cert.pem');
const TLS_KEY = path.resolve(import.meta.dirname, '../fixtures/tls-key.pem');

async function getOverTls(url: string): Promise<{ status: number | undefined; text: string }> {
  const request = https.get(url, { ca: readFileSync(TLS_CERT), agent: false });
  const [response] = await once(request, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, text };
}

describe('TLS', () => {
  it('works, and the addresses in logs and responses are https', async () => {
    await withPlace('sqlite', async (place) => {
      const { said } = await withOfferbook(place, { settings: { TLS_CERT, TLS_KEY } }, async (url) => {
        assert.match(url, /^https:\/\/127\.0\.0\.1:\d+$/);
        assert.deepEqual(await getOverTls(`${url}/healthz`), { status: 200, text: '{"status":"ok"}' });
        const { text } = await getOverTls(`${url}/openapi.json`);
        assert.deepEqual(JSON.parse(text).servers, [{ url }]);
      });
      assert.match(said.join('\n'), /^API {12}https:\/\/127\.0\.0\.1:\d+\nDocs {11}https:/m);
    });
  });

  timedIt('plain HTTP on the TLS port and a missing handshake end only the connection', async (t) => {
    const server = await startTestServer({ TLS_CERT, TLS_KEY, METRICS_PORT: '0', HEADERS_TIMEOUT_SECONDS: '1' });
    t.after(() => server.close());
    const plain = await RawConnection.open(server.url);
    plain.write(requestBytes({ target: '/healthz' }));
    await plain.closed();
    const silent = await RawConnection.open(server.url);
    await silent.closed();
    assert.equal((await getOverTls(`${server.url}/readyz`)).status, 200);
    const samples = await waitUntil('the silent client to be counted', 30_000, async () => {
      const found = await scrape(server.metricsUrl);
      return limitHits(found, 'time') === 1 ? found : undefined;
    });
    assert.ok((samples.get('offerbook_tls_certificate_end_seconds') ?? 0) > Date.now() / 1000);
  });
});

it('a TLS connection that is idle after its request is closed', async (t) => {
  const server = await startTestServer({ TLS_CERT, TLS_KEY, KEEP_ALIVE_SECONDS: '1' });
  t.after(() => server.close());
  const { hostname, port } = new URL(server.url);
  const socket = tls.connect({ host: hostname, port: Number(port), ca: readFileSync(TLS_CERT) });
  t.after(() => socket.destroy());
  const closed = once(socket, 'close', { signal: AbortSignal.timeout(30_000) });
  socket.write(requestBytes({ target: '/healthz' }));
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 200 OK\r\n/);
  await closed;
});

describe('TLS settings', () => {
  it('must be set together', async () => {
    for (const half of [{ TLS_CERT }, { TLS_KEY }] as Record<string, string>[]) {
      const { exitCode, stderr } = await runOfferbook({ PORT: '0', ...half }, 'serve');
      assert.deepEqual([exitCode, stderr], [1, 'offerbook: TLS_CERT and TLS_KEY must be set together, or neither\n']);
    }
  });

  it('that cannot be read or do not match are named, with the file', async () => {
    const folder = await tempFolder();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const otherKey = path.join(folder, 'other-key.pem');
    await writeFile(otherKey, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const missing = path.join(folder, 'missing.pem');
    for (const [tlsCert, tlsKey, message] of [
      [missing, TLS_KEY, `TLS_CERT must name a file that can be read (${missing}: ENOENT)`],
      [TLS_CERT, missing, `TLS_KEY must name a file that can be read (${missing}: ENOENT)`],
      [folder, TLS_KEY, `TLS_CERT must name a file that can be read (${folder}: EISDIR)`],
      [TLS_KEY, TLS_KEY, `TLS_CERT must name a PEM certificate (${TLS_KEY} does not contain one)`],
      [
        TLS_CERT,
        TLS_CERT,
        `TLS_KEY must name a PEM private key without a passphrase (${TLS_CERT} does not contain one)`,
      ],
      [TLS_CERT, otherKey, `TLS_KEY must be the private key for the certificate in TLS_CERT (${otherKey} is not)`],
    ] as const) {
      assert.throws(() => readTlsFiles({ tlsCert, tlsKey }), { name: 'SettingError', message });
    }
  });

  it('stop the start before the database is opened', async () => {
    const DATA_DIR = path.join(await tempFolder(), 'data');
    const run = await runOfferbook({ DATA_DIR, PORT: '0', TLS_CERT: 'none.pem', TLS_KEY }, 'serve');
    assert.equal(run.exitCode, 1);
    assert.match(run.stderr, /^offerbook: TLS_CERT must name a file that can be read \(\S+none\.pem: ENOENT\)\n$/);
    assert.throws(() => readFileSync(DATA_DIR), { code: 'ENOENT' });
  });
});
