/** Promise: a server that is told to end answers the requests under way and ends without delay. */
import assert from 'node:assert/strict';
import http from 'node:http';
import { it } from 'node:test';
import { minimalSku, requestToken } from '../harness/api-client.ts';
import { startTestServer } from '../harness/test-server.ts';

const CONNECTIONS = 20;

it('requests under way are answered, and their keep-alive connections do not hold up the end', async (t) => {
  const server = await startTestServer();
  const token = await requestToken(server.url, 'test');
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  t.after(() => agent.destroy());
  const uploads = await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, n) => beginUpload(`${server.url}/merchant-skus/slow-${n}`, token, agent)),
  );
  const startMs = performance.now();
  const closed = server.close();
  const statuses = await Promise.all(uploads.map((finish) => finish()));
  await closed;
  assert.ok(performance.now() - startMs < 3000, `closing took ${performance.now() - startMs} ms`);
  assert.deepEqual(statuses, Array(CONNECTIONS).fill(202));
});

/** Resolves when the server has seen the head of the request; the function returned sends the body. */
function beginUpload(url: string, token: string, agent: http.Agent): Promise<() => Promise<number | undefined>> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, expect: '100-continue' };
    const request = http.request(url, { method: 'PUT', agent, headers });
    const answered = new Promise<number | undefined>((settle) => {
      request.on('response', (response) => {
        response.resume().on('end', () => settle(response.statusCode));
      });
    });
    request.on('error', reject);
    request.on('continue', () =>
      resolve(() => {
        request.end(JSON.stringify(minimalSku()));
        return answered;
      }),
    );
    request.flushHeaders();
  });
}
