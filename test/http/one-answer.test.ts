/** Tests that a response is final and correct, whatever else a client sends on the connection. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { it } from 'node:test';
import { ApiClient } from '../harness/api-client.ts';

it('bytes after a request that are not HTTP do not replace its response', async (t) => {
  const api = await ApiClient.open();
  t.after(() => api.server.close());
  const path = await api.uploadedSku();
  const { hostname, port } = new URL(api.server.url);
  const body = '{"price":77}';
  const socket = net.connect(Number(port), hostname);
  const head = [`PUT ${path}/price HTTP/1.1`, `host: ${hostname}`, `authorization: Bearer ${api.token}`];
  socket.write(`${[...head, `content-length: ${body.length}`, '', body].join('\r\n')}\0garbage\r\n\r\n`);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  await once(socket, 'close');
  assert.match(answer, /^HTTP\/1\.1 202 Accepted\r\n/);
  assert.equal((await api.found(`${path}/price`)).price, 77);
});

it('a PUBLIC_URL with characters beyond ASCII is returned in ASCII', async (t) => {
  const api = await ApiClient.open(undefined, { PUBLIC_URL: 'http://localhost/münchen' });
  t.after(() => api.server.close());
  await api.uploadedSku();
  const skuId = api.newSkuId();
  await api.uploadedSku({}, skuId);
  const answer = await api.get('/merchant-skus?limit=1');
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('link') ?? '', /^<http:\/\/localhost\/m%C3%BCnchen\/merchant-skus\?after=/);
});
