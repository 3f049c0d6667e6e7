/** Tests which requests the log keeps in memory, and what it removes from them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AnsweredRequest, RequestLog } from './request-log.ts';

const REQUEST: AnsweredRequest = {
  requestId: 'r-1',
  atMs: 1_000,
  call: 'PUT /merchant-skus/{user_defined_sku_id}/price',
  status: 202,
  took_ms: 1.2345,
  url: '/merchant-skus/shirt%201/price',
  problems: [],
  rawSkuId: 'shirt%201',
  by: 'key:test-1',
  body: undefined,
};

function recordMany(log: RequestLog, accountId: number, count: number, status = 200): void {
  for (let place = 0; place < count; place++) {
    if (log.hasRoom(accountId, status)) log.record(accountId, { ...REQUEST, requestId: `${status}-${place}`, status });
  }
}

test('keeps the fields that a developer looks for, and drains them once', () => {
  const log = new RequestLog();
  log.record(7, REQUEST);
  const problems = ['too_small', 'unknown_node', 'too_small'].map((code) => ({ code, field: '/price', message: code }));
  const refused = { ...REQUEST, status: 400, problems, by: undefined };
  log.record(7, { ...refused, rawSkuId: '' });
  log.record(8, { ...REQUEST, rawSkuId: `%00${'x'.repeat(10_000)}` });
  const taken = log.take();
  const first = {
    requestId: 'r-1',
    atMs: 1_000,
    call: 'PUT /merchant-skus/{user_defined_sku_id}/price',
    status: 202,
    took_us: 1_235,
    codes: [],
    skuId: 'shirt 1',
    user: 'test-1',
    unlogged: 0,
    url: null,
    problems: null,
    body: null,
  };
  assert.deepEqual(taken.get(7), [
    first,
    {
      ...first,
      status: 400,
      codes: ['too_small', 'unknown_node'],
      skuId: null,
      user: null,
      url: REQUEST.url,
      problems,
    },
  ]);
  assert.equal(taken.get(8)?.[0]?.skuId, null);
  assert.equal(log.take().size, 0);
});

test('keeps 3,000 successful requests of an account between two drains and counts the rest; it keeps all failed ones', () => {
  const log = new RequestLog();
  recordMany(log, 7, 3_000);
  recordMany(log, 8, 1);
  assert.equal(log.take().get(7)?.at(-1)?.unlogged, 0);
  recordMany(log, 7, 3_001);
  recordMany(log, 7, 2, 400);
  recordMany(log, 8, 1);
  const taken = log.take();
  assert.equal(taken.get(7)?.length, 3_002);
  assert.equal(taken.get(7)?.at(-1)?.unlogged, 1);
  assert.equal(taken.get(8)?.at(-1)?.unlogged, 0);
  recordMany(log, 7, 1);
  assert.equal(log.take().get(7)?.at(-1)?.unlogged, 0);
});

test('holds 10,000 successful requests and 20,000 in all; the count of dropped ones is kept until the next request', () => {
  const log = new RequestLog();
  for (const accountId of [1, 2, 3]) recordMany(log, accountId, 3_000);
  recordMany(log, 4, 1_001);
  recordMany(log, 5, 2);
  recordMany(log, 4, 10_001, 500);
  const taken = log.take();
  assert.equal(
    [...taken.values()].reduce((sum, requests) => sum + requests.length, 0),
    20_000,
  );
  assert.equal(taken.get(4)?.at(-1)?.unlogged, 2);
  assert.equal(taken.has(5), false);
  recordMany(log, 5, 1);
  assert.equal(log.take().get(5)?.at(-1)?.unlogged, 2);
});

test('requests that could not be stored come first in the next drain, as far as there is room', () => {
  const log = new RequestLog();
  recordMany(log, 7, 3_002);
  const taken = log.take().get(7) ?? assert.fail();
  recordMany(log, 7, 1, 400);
  log.putBack(7, taken);
  const again = log.take().get(7) ?? assert.fail();
  assert.equal(again.length, 3_001);
  assert.equal(again.at(-1)?.requestId, '400-0');
  assert.equal(again[2_999]?.unlogged, 2);

  recordMany(log, 8, 19_999, 500);
  log.putBack(7, taken);
  const last = log.take().get(7) ?? assert.fail();
  assert.equal(last.length, 1);
  assert.equal(last[0]?.unlogged, 2_999 + 2);
});

test('keeps bodies without secrets, up to a limit for each and for all', () => {
  const log = new RequestLog();
  const failed = { ...REQUEST, status: 400 };
  log.record(7, { ...failed, body: { price: -1, pass: 'hunter2' } });
  log.record(7, { ...failed, body: 'x'.repeat(1_000_000) });
  log.record(7, { ...failed, body: null });
  const [masked, cut, none] = log.take().get(7) ?? assert.fail();
  assert.equal(masked?.body, '{"price":-1,"pass":"[removed]"}');
  assert.equal(cut?.body?.length, 4_097);
  assert.equal(none?.body, 'null');

  for (let place = 0; place < 2_000; place++) log.record(7, { ...failed, body: 'x'.repeat(5_000) });
  const bodies = (log.take().get(7) ?? []).filter(({ body }) => body !== null);
  assert.equal(bodies.length, Math.ceil(4_000_000 / (4_097 + REQUEST.url.length)));
});

test('keeps the URL and the first 20 errors of failed requests without secrets, shortened', () => {
  const log = new RequestLog();
  const problem = (place: number) => ({ code: 'too_small', field: `/${place}`, message: `Bearer abcdef ${place}` });
  const long = { code: 'too_long', field: `/${'f'.repeat(500)}`, message: `${'m'.repeat(499)}\ud83d\ude00` };
  const url = `/files/x?signature=s3cret&q=${'y'.repeat(500)}`;
  const problems = Array.from({ length: 21 }, (_, place) => problem(place));
  log.record(7, { ...REQUEST, status: 400, url, problems });
  log.record(7, { ...REQUEST, status: 400, problems: [long] });
  const [first, second] = log.take().get(7) ?? assert.fail();
  assert.equal(first?.url, `${url.slice(0, 500).replace('s3cret', '[removed]')}…`);
  assert.deepEqual(
    first?.problems,
    problems.slice(0, 20).map((one, place) => ({ ...one, message: `[removed] ${place}` })),
  );
  assert.deepEqual(second?.problems, [
    { ...long, field: `${long.field.slice(0, 500)}…`, message: `${'m'.repeat(499)}\ufffd…` },
  ]);
});
