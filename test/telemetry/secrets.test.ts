/** Tests that no secret, token, header or body of a client is ever logged, at any level, whatever fails. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { OpenEndpoint } from '../../src/http/endpoint.ts';
import { StoreUnavailableError } from '../../src/store/port/errors.ts';
import { EventLog } from '../../src/telemetry/event-log.ts';
import { Telemetry } from '../../src/telemetry/telemetry.ts';
import { minimalSku } from '../harness/api-client.ts';
import { offerbookJson } from '../harness/command-line.ts';
import { withEdgeServer } from '../harness/edge-server.ts';
import { sendBytes, sendRaw } from '../harness/raw-http.ts';
import { startServeProcess } from '../harness/serve-process.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** Sent secrets, which must not be found in the output. */
const MARKS = {
  wrongSecret: 'mark-wrong-secret',
  wrongToken: 'mark-wrong-token',
  header: 'mark-header',
  body: 'mark-body',
  query: 'mark-query',
  skuId: 'mark-sku-id',
  garbage: 'mark-garbage',
};

type Credentials = Record<'test' | 'live', { user: string; secret: string }>;

it('a server at log level trace, with successful and failing requests', async (t) => {
  const variables = { DATA_DIR: await tempFolder(), LOG_LEVEL: 'trace', METRICS_PORT: '0' };
  const added = await offerbookJson({ DATA_DIR: variables.DATA_DIR }, 'merchant', 'add', 'acme', '--name', 'Acme');
  const { test, live } = added.credentials as Credentials;
  const server = await startServeProcess(variables, []);
  t.after(() => server.stop('SIGKILL'));

  const askToken = (pass: string) =>
    sendRaw(server.url, { method: 'POST', target: '/token', body: JSON.stringify({ user: test.user, pass }) });
  const { id_token: token } = (await askToken(test.secret)).body as { id_token: string };
  for (let n = 0; n < 25; n++) await askToken(`${MARKS.wrongSecret}-${n}`);
  const target = `/merchant-skus/${MARKS.skuId}?a=${MARKS.query}`;
  const good = { authorization: `Bearer ${token}`, 'x-extra': MARKS.header, cookie: MARKS.header };
  const body = JSON.stringify({ ...minimalSku(), product_title: `${MARKS.body} in a title` });
  const statuses: number[] = [];
  for (const request of [
    { method: 'PUT', target, headers: good, body },
    { target, headers: good },
    { method: 'PUT', target, headers: good, body: `{"${MARKS.body}` },
    { method: 'PUT', target, headers: good, body: MARKS.body.repeat(200_000) },
    { target, headers: { authorization: `Bearer ${token}${MARKS.wrongToken}` } },
    { target, headers: { authorization: `Basic ${MARKS.wrongToken}` } },
    { target: `/${MARKS.query}`, headers: good },
    { target, headers: { ...good, x: MARKS.header.repeat(2000) } },
  ]) {
    statuses.push((await sendRaw(server.url, request)).status);
  }
  assert.deepEqual(statuses, [202, 200, 400, 400, 401, 401, 404, 400]);
  await sendBytes(server.url, `${MARKS.garbage} ${token}\r\n\r\n`);
  const signature = await sendBulkFile(server.url, good);
  await server.stop();

  const output = server.output();
  for (const event of [
    'request_answered',
    'login_throttled',
    'body_too_large',
    'headers_too_large',
    'request_unreadable',
  ]) {
    assert.ok(output.includes(`"event":"${event}"`), `${event} was not logged`);
  }
  assertUnmarked(output, [test.secret, live.secret, token, token.split('.')[2] ?? token, signature]);
});

/** Uploads a bad row to a URL that is used, reused and altered; returns the signature of the URL. */
async function sendBulkFile(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const { url: address } = (await sendRaw(url, { target: '/files/uploadToken', headers })).body as { url: string };
  const target = address.slice(url.length);
  const body = JSON.stringify({ [MARKS.skuId]: { price: MARKS.body } });
  const statuses: number[] = [];
  for (const bad of ['', '', MARKS.query]) {
    statuses.push((await sendRaw(url, { method: 'PUT', target: `${target}${bad}`, body })).status);
  }
  assert.deepEqual(statuses, [201, 403, 403]);
  const submission = JSON.stringify({ url: address, file_type: 'Price', file_name: MARKS.body });
  const file = (await sendRaw(url, { method: 'POST', target: '/files/uploaded', headers, body: submission })).body;
  const { marketplace_file_id: id } = file as { marketplace_file_id: string };
  await waitUntil('the file', 60_000, async () => {
    const record = (await sendRaw(url, { target: `/files/${id}`, headers })).body as { status: string };
    return record.status === 'Processed with errors' || undefined;
  });
  return new URL(address).searchParams.get('signature') ?? '';
}

it('an internal failure, even if its error carries the request', async () => {
  const lines: string[] = [];
  const log = new EventLog('trace', { write: (line) => void lines.push(line) });
  const telemetry = new Telemetry(log);
  const failures = {
    '/bug': Object.assign(new Error('a bug'), { request: { headers: MARKS.header }, body: MARKS.body }),
    '/store': new StoreUnavailableError('disk I/O error', { cause: new Error('SQLITE_IOERR') }),
    '/thing': { body: MARKS.body },
  };
  const endpoints = Object.entries(failures).map(
    ([path, error]): OpenEndpoint => ({
      id: path,
      method: 'PUT',
      path,
      access: 'open',
      summary: '',
      tag: '',
      requestBody: {} as never,
      handle: () => Promise.reject(error),
    }),
  );
  await withEdgeServer({ endpoints, telemetry }, async (url) => {
    const headers = { authorization: `Bearer ${MARKS.wrongToken}`, 'x-extra': MARKS.header };
    for (const [target, status] of [
      ['/bug', 500],
      ['/store', 503],
      ['/thing', 500],
    ] as const) {
      const answer = await sendRaw(url, { method: 'PUT', target, headers, body: JSON.stringify({ a: MARKS.body }) });
      assert.equal(answer.status, status);
    }
  });
  const output = lines.join('');
  assert.match(output, /"event":"request_failed".*"message":"a bug".*"stack":/);
  assert.match(output, /"event":"store_unavailable".*disk I\/O error.*SQLITE_IOERR/);
  assertUnmarked(output, []);
});

function assertUnmarked(output: string, secrets: readonly string[]): void {
  for (const mark of [...Object.values(MARKS), ...secrets]) {
    assert.ok(mark.length > 7 && !output.includes(mark), `${mark} is in the output:\n${output.slice(0, 5000)}`);
  }
}
