/** Tests the `Idempotency-Key` header: stored responses, other requests, running and interrupted requests. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type ApiAnswer, type ApiClient, assertProblems, minimalSku, requestProblem } from '../harness/api-client.ts';
import { describeSharedApi } from '../harness/contract-cases.ts';
import { runSql } from '../harness/run-sql.ts';
import { follow, newUpload } from './fixtures/bulk-files.ts';
import { EAST, RETURNS_EAST } from './fixtures/merchant-setup.ts';
import { attribute, COLOR, SIZE } from './fixtures/variation-members.ts';

const INVALID = requestProblem(
  'idempotency_key_invalid',
  'The Idempotency-Key header must have 1 to 255 visible ASCII characters.',
);
const REUSED = requestProblem(
  'idempotency_key_reused',
  'This Idempotency-Key was used for another request. Use a new key for each new write, and the same key only for its retries.',
);
const IN_USE = requestProblem(
  'idempotency_key_in_use',
  'The first request with this Idempotency-Key is still running. Retry after the number of seconds in Retry-After.',
);
/** The cases use the live environment, where they request fewer reports than may be pending. */
const REPORT = '/reports/ProductStatus';

/** Enough tries for an archive call to come between two steps of a repeat. */
const ARCHIVE_ROUNDS = 40;
/** A fast machine leaves little time between the steps, so there may be more tries. */
const ARCHIVE_ROUNDS_MAX = 1000;
const SIZED = (size: number) => ({ attributes_node_specific: [attribute(SIZE, `size ${size}`)] });
const SHOE = {
  ...minimalSku(),
  marketplace_browse_node_id: undefined,
  product_type_id: 37_005_032_000,
  product_description: 'Leather shoes.',
  attributes_node_specific: [attribute(SIZE, '44'), attribute(COLOR, 'Black')],
};
const stock = (quantity: number) => ({ fulfillment_nodes: [{ fulfillment_node_id: EAST, quantity }] });
const group = (group_title: string) => ({ relationship: 'Variation', variation_refinements: [SIZE], group_title });

/** Each part of an offer: the body that a late repeat sends, and the newer one that it must not replace. */
const PARTS: Readonly<Record<string, { method?: string; part: string; first: object; newer: object }>> = {
  document: {
    part: '',
    first: { ...minimalSku(), ...SIZED(1), brand: 'Old' },
    newer: { ...minimalSku(), ...SIZED(1), brand: 'New' },
  },
  price: { part: '/price', first: { price: 1 }, newer: { price: 2 } },
  stock: { method: 'PATCH', part: '/inventory', first: stock(1), newer: stock(2) },
  group: { part: '/variation', first: group('Old'), newer: group('New') },
  'returns exception': {
    part: '/returnsexception',
    first: { return_location_ids: [RETURNS_EAST] },
    newer: {},
  },
  'archive flag': { part: '/status/archive', first: { is_archived: true }, newer: { is_archived: false } },
};

type Send = (method: string, path: string, body?: unknown) => Promise<ApiAnswer>;

/** Sends a request with this key. */
function keyed(api: ApiClient, key: string = randomUUID()): Send {
  return (method, path, body) => api.send(method, path, body, { 'idempotency-key': key });
}

async function priceOf(api: ApiClient, path: string): Promise<unknown> {
  return (await api.found(`${path}/price`)).price;
}

/** Removes the results of the review. */
async function storedPart(api: ApiClient, path: string, part: string): Promise<unknown> {
  const { body } = await api.get(part === '/status/archive' ? path : path + part);
  return { ...(body as object), status: undefined, sub_status: undefined };
}

async function changesOf(api: ApiClient): Promise<number> {
  return Number((await runSql(api.server.place, 'SELECT count(*) FROM offer_history'))[0]);
}

function isReplayed({ headers }: ApiAnswer): boolean {
  return headers.get('idempotent-replayed') === 'true';
}

/** Puts the key into the state of a request without a response: one that runs, or one whose process died. */
async function interrupt(api: ApiClient, key: string, state: 'running' | 'died'): Promise<void> {
  const ends = state === 'running' ? Date.now() + 600_000 : 0;
  const sql = `UPDATE idempotency_key SET answer = NULL, lease_ends_ms = ${ends} WHERE key = '${key}'`;
  await runSql(api.server.place, sql);
}

describeSharedApi('Idempotency-Key', ({ accepts, refuses }) => {
  accepts('IDEM-01', 'a key of 1 to 255 visible characters on every write', async (api) => {
    const path = await api.uploadedSku();
    for (const key of ['!', '~'.repeat(255), '"quoted, or not"'.replaceAll(' ', '')]) {
      assert.equal((await keyed(api, key)('PUT', `${path}/price`, { price: 1 })).status, 202);
    }
    await api.accepted('PUT', `${path}/price`, { price: 2 });
    const { changes } = (await api.found(`${path}/history`)) as { changes: readonly { id: number }[] };
    const { url, fileId } = await newUpload(api);
    await follow(api, url, { method: 'PUT', body: '{}' });
    const { body: webhook } = await api.send('POST', '/webhooks', { url: 'https://hooks.example/' });
    const webhookPath = `/webhooks/${(webhook as { webhook_id: string }).webhook_id}`;
    for (const [method, address, body, status] of [
      ['PUT', path, minimalSku(), 202],
      ['PUT', `${path}/v2`, SHOE, 202],
      ['PATCH', `${path}/inventory`, stock(1), 202],
      ['PUT', `${path}/shippingexception`, {}, 202],
      ['PUT', `${path}/returnsexception`, {}, 202],
      ['PUT', `${path}/status/archive`, { is_archived: false }, 202],
      ['POST', `${path}/review`, undefined, 202],
      ['POST', `${path}/history/${changes[0]?.id}/restore`, undefined, 202],
      ['POST', '/files/uploaded', { url, file_type: 'Price', file_name: 'prices.json' }, 200],
      ['POST', `/files/${fileId}/cancel`, undefined, 200],
      ['PATCH', webhookPath, { enabled: false }, 200],
      ['DELETE', webhookPath, undefined, 202],
    ] as const) {
      const send = keyed(api);
      const first = await send(method, address, body);
      assert.deepEqual([first.status, isReplayed(first)], [status, false], `${address} ${first.text}`);
      const repeat = await send(method, address, body);
      assert.deepEqual([repeat.status, repeat.text, isReplayed(repeat)], [status, first.text, true], address);
    }
  });
  refuses('IDEM-01', 'an empty key, one that is too long, and other characters', async (api) => {
    const path = await api.uploadedSku();
    for (const key of ['', '~'.repeat(256), 'two words', 'é']) {
      assertProblems(await keyed(api, key)('PUT', `${path}/price`, { price: 1 }), [INVALID]);
    }
    assert.equal((await api.get(`${path}/price`)).status, 404);
  });
  accepts('IDEM-01', 'any key on a read, which it does not change', async (api) => {
    const path = await api.uploadedSku();
    const send = keyed(api, 'not a key');
    assert.equal((await send('GET', path)).status, 200);
    assert.equal((await api.send('POST', '/token', {}, { 'idempotency-key': '' })).status, 400);
  });

  accepts('IDEM-02', 'a repeat after a newer update, which stays', async (api) => {
    const path = await api.uploadedSku();
    const send = keyed(api);
    const first = await send('PUT', `${path}/price`, { price: 1, colour: 'red' });
    await api.accepted('PUT', `${path}/price`, { price: 2 });
    const spelled = `/api${path.replace('merchant-skus', 'Merchant-SKUs')}/price/`;
    const repeat = await send('PUT', spelled, { price: 1, colour: 'red' });
    assert.deepEqual([repeat.status, repeat.text, isReplayed(repeat)], [202, '', true]);
    assert.equal(repeat.headers.get('x-ignored-fields'), '%2Fcolour');
    assert.equal(first.headers.get('x-ignored-fields'), '%2Fcolour');
    assert.notEqual(repeat.headers.get('x-request-id'), first.headers.get('x-request-id'));
    assert.equal(await priceOf(api, path), 2);
  });
  accepts('IDEM-02', 'a repeated request of a report, which creates one report', async (api) => {
    const live = await api.inEnvironment('live');
    const send = keyed(live);
    const first = await send('POST', REPORT);
    assert.equal(first.status, 200, first.text);
    const repeat = await send('POST', REPORT);
    assert.deepEqual([repeat.status, repeat.text, isReplayed(repeat)], [200, first.text, true]);
    const other = await keyed(live)('POST', REPORT);
    assert.notEqual(other.text, first.text);
  });
  accepts('IDEM-02', 'a repeated refusal, although the body would now be accepted', async (api) => {
    const path = `/merchant-skus/${api.newSkuId()}`;
    const send = keyed(api);
    const first = await send('PUT', `${path}/price`, { price: 1 });
    assert.equal(first.status, 404);
    await api.accepted('PUT', path, minimalSku());
    const repeat = await send('PUT', `${path}/price`, { price: 1 });
    assert.deepEqual([repeat.status, repeat.text, isReplayed(repeat)], [404, first.text, true]);
    assert.equal((await keyed(api)('PUT', `${path}/price`, { price: 1 })).status, 202);
  });

  refuses('IDEM-03', 'the key with another body, address or method', async (api) => {
    const path = await api.uploadedSku();
    const other = await api.uploadedSku();
    const send = keyed(api);
    assert.equal((await send('PUT', `${path}/price`, { price: 1 })).status, 202);
    for (const [method, address, body] of [
      ['PUT', `${path}/price`, { price: 2 }],
      ['PUT', `${other}/price`, { price: 1 }],
      ['PUT', `${path}/price?a=b`, { price: 1 }],
      ['PATCH', `${path}/inventory`, { price: 1 }],
      ['POST', REPORT, undefined],
    ] as const) {
      assertProblems(await send(method, address, body), [REUSED], 422);
    }
    assert.equal(await priceOf(api, path), 1);
    assert.equal((await send('PUT', `${path}/price`, { price: 1 })).status, 202);
  });

  refuses('IDEM-03', 'the key with another precondition', async (api) => {
    const path = `${await api.uploadedSku()}/price`;
    const key = randomUUID();
    const send = (tag: string) =>
      api.send('PUT', path, { price: 1 }, { 'idempotency-key': key, 'if-match': `"${tag}"` });
    const first = await send('a');
    assert.equal(first.status, 412);
    const repeat = await send('a');
    assert.deepEqual([repeat.status, repeat.text], [first.status, first.text]);
    assertProblems(await send('b'), [REUSED], 422);
  });

  accepts('IDEM-03', 'the same key in the other environment', async (api) => {
    const key = randomUUID();
    const live = await api.inEnvironment('live');
    for (const [client, price] of [
      [api, 1],
      [live, 2],
    ] as const) {
      const path = await client.uploadedSku({}, `env-${key}`);
      assert.equal((await keyed(client, key)('PUT', `${path}/price`, { price })).status, 202);
      assert.equal(await priceOf(client, path), price);
    }
  });

  refuses('IDEM-04', 'a repeat while the first request runs', async (api) => {
    const path = await api.uploadedSku();
    const key = randomUUID();
    const send = keyed(api, key);
    assert.equal((await send('PUT', `${path}/price`, { price: 1 })).status, 202);
    await interrupt(api, key, 'running');
    const repeat = await send('PUT', `${path}/price`, { price: 1 });
    assertProblems(repeat, [IN_USE], 409);
    // The rest of the lease, which `interrupt` sets to 600 seconds.
    const seconds = Number(repeat.headers.get('retry-after'));
    assert.ok(seconds > 500 && seconds <= 600, `${seconds}`);
  });
  accepts('IDEM-04', '20 concurrent requests with one key, and writes once', async (api) => {
    const live = await api.inEnvironment('live');
    const path = await live.uploadedSku();
    const before = await changesOf(api);
    for (const [method, address, body, status] of [
      ['PUT', `${path}/price`, { price: 1 }, 202],
      ['POST', REPORT, undefined, 200],
    ] as const) {
      const send = keyed(live);
      const answers = await Promise.all(Array.from({ length: 20 }, () => send(method, address, body)));
      const good = answers.filter((answer) => answer.status === status);
      assert.ok(good.length > 0);
      assert.equal(new Set(good.map(({ text }) => text)).size, 1);
      assert.equal(good.filter((answer) => !isReplayed(answer)).length, 1, 'one of them ran');
      for (const answer of answers) if (answer.status !== status) assertProblems(answer, [IN_USE], 409);
    }
    assert.equal(await changesOf(api), before + 1);
  });

  for (const [what, { method = 'PUT', part, first, newer }] of Object.entries(PARTS)) {
    accepts(
      'IDEM-05',
      'a repeat of a request that was refused before its key was read, as the first request',
      async (api) => {
        const path = await api.uploadedSku();
        const headers = { 'idempotency-key': randomUUID() };
        const unsigned = await api.send(
          'PUT',
          `${path}/price`,
          { price: 1 },
          { ...headers, authorization: 'Bearer wrong' },
        );
        assert.equal(unsigned.status, 401);
        await api.accepted('PUT', `${path}/price`, { price: 2 });
        const repeat = await api.send('PUT', `${path}/price`, { price: 1 }, headers);
        assert.deepEqual([repeat.status, isReplayed(repeat), await priceOf(api, path)], [202, false, 1]);
      },
    );
    accepts('IDEM-05', `a repeat after the process died, and keeps a newer ${what}`, async (api) => {
      const path = await api.uploadedSku(SIZED(1));
      const child = await api.uploadedSku(SIZED(2));
      const children_skus = [child.split('/').at(-1)];
      const fill = (body: object) => (what === 'group' ? { ...body, children_skus } : body);
      const key = randomUUID();
      const send = keyed(api, key);
      assert.equal((await send(method, path + part, fill(first))).status, 202);
      await api.accepted(method, path + part, fill(newer));
      const stored = await storedPart(api, path, part);
      await interrupt(api, key, 'died');
      const late = await send(method, path + part, fill(first));
      assert.deepEqual([late.status, isReplayed(late)], [202, false], late.text);
      assert.deepEqual(await storedPart(api, path, part), stored);
      assert.ok(isReplayed(await send(method, path + part, fill(first))), 'the response of the repeat is stored');
    });
  }
  const offer = {
    method: 'PUT',
    part: '/offer',
    first: { sku: minimalSku(), price: { price: 1 }, inventory: stock(1) },
  };
  for (const [what, { method = 'PUT', part, first }] of Object.entries({ ...PARTS, 'whole offer': offer })) {
    accepts(
      'IDEM-05',
      `a repeat of a conditional write that was stored before the process died: ${what}`,
      async (api) => {
        const path = part === '/offer' ? `/merchant-skus/${api.newSkuId()}` : await api.uploadedSku(SIZED(1));
        const child = await api.uploadedSku(SIZED(2));
        const body = what === 'group' ? { ...first, children_skus: [child.split('/').at(-1)] } : first;
        const readFrom = { '/status/archive': '', '/offer': '' }[part] ?? part;
        const tag = (await api.get(path + readFrom)).headers.get('etag');
        const key = randomUUID();
        const headers = { 'idempotency-key': key, ...(tag === null ? { 'if-none-match': '*' } : { 'if-match': tag }) };
        const send = () => api.send(method, path + part, body, headers);
        assert.equal((await send()).status, 202);
        const changes = await changesOf(api);
        await interrupt(api, key, 'died');
        const late = await send();
        assert.deepEqual([late.status, isReplayed(late)], [202, false], late.text);
        assert.equal(await changesOf(api), changes);
        assert.ok(isReplayed(await send()), 'the response of the repeat is stored');
      },
    );
  }
  refuses('IDEM-05', 'a repeat of a conditional write whose first run was refused too', async (api) => {
    const path = `${await api.uploadedSku()}/price`;
    await api.accepted('PUT', path, { price: 2 });
    const key = randomUUID();
    const send = () => api.send('PUT', path, { price: 1 }, { 'idempotency-key': key, 'if-none-match': '*' });
    assert.equal((await send()).status, 412);
    await interrupt(api, key, 'died');
    const late = await send();
    assert.deepEqual([late.status, isReplayed(late)], [412, false]);
  });
  accepts('IDEM-05', 'a repeat whose first request wrote nothing, and writes it', async (api) => {
    const path = `/merchant-skus/${api.newSkuId()}`;
    const key = randomUUID();
    const send = keyed(api, key);
    assert.equal((await send('PUT', `${path}/price`, { price: 1 })).status, 404);
    await api.accepted('PUT', path, minimalSku());
    await interrupt(api, key, 'died');
    assert.equal((await send('PUT', `${path}/price`, { price: 1 })).status, 202);
    assert.equal(await priceOf(api, path), 1);
  });
  accepts('IDEM-05', 'a repeat after the process died, with the same report', async (api) => {
    const key = randomUUID();
    const send = keyed(await api.inEnvironment('live'), key);
    const first = await send('POST', REPORT);
    assert.equal(first.status, 200, first.text);
    await interrupt(api, key, 'died');
    const late = await send('POST', REPORT);
    assert.deepEqual([late.status, late.text, isReplayed(late)], [200, first.text, false]);
  });
  accepts('IDEM-05', 'a repeat after the process died, with the same webhook', async (api) => {
    const live = await api.inEnvironment('live');
    const key = randomUUID();
    const add = () => keyed(live, key)('POST', '/webhooks', { url: `https://hooks.example/${key}` });
    const first = await add();
    assert.equal(first.status, 200, first.text);
    await interrupt(api, key, 'died');
    const late = await add();
    assert.deepEqual([late.status, late.text, isReplayed(late)], [200, first.text, false]);
    const { webhooks } = (await live.found('/webhooks')) as { webhooks: readonly { url: string }[] };
    assert.equal(webhooks.filter(({ url }) => url.endsWith(key)).length, 1);
  });
  accepts('IDEM-02', 'repeats of calls that issue a webhook secret, without the secret', async (api) => {
    const live = await api.inEnvironment('live');
    const url = `https://hooks.example/${randomUUID()}`;
    let webhookPath = '/webhooks';
    for (const [suffix, body] of [
      ['', { url }],
      ['/secret', {}],
    ] as const) {
      const send = keyed(live);
      const first = await send('POST', webhookPath + suffix, body);
      const { secret, ...shown } = first.body as Record<string, unknown>;
      assert.match(String(secret), /^whsec_/);
      const repeat = await send('POST', webhookPath + suffix, body);
      assert.deepEqual([repeat.status, repeat.body, isReplayed(repeat)], [200, shown, true]);
      webhookPath = `/webhooks/${shown.webhook_id}`;
    }
    const stored = await runSql(api.server.place, "SELECT count(*) FROM idempotency_key WHERE answer LIKE '%whsec_%'");
    assert.equal(Number(stored[0]), 0);
    await live.accepted('DELETE', webhookPath, undefined);
  });
  accepts('IDEM-05', 'a repeat of a whole offer, all of it or nothing', async (api) => {
    const body = { price: { price: 1 }, inventory: stock(1) };
    let refused = 0;
    for (let round = 0; round < ARCHIVE_ROUNDS || (refused === 0 && round < ARCHIVE_ROUNDS_MAX); round++) {
      const path = `/merchant-skus/${api.newSkuId()}`;
      const key = randomUUID();
      const send = () => keyed(api, key)('PUT', `${path}/offer`, body);
      assert.equal((await send()).status, 404);
      await api.accepted('PUT', path, minimalSku());
      await interrupt(api, key, 'died');
      const late = send();
      await setTimeout(round % 5);
      const archiving = api.accepted('PUT', `${path}/status/archive`, { is_archived: true });
      const { status } = await late;
      await archiving;
      const isPriced = (await api.get(`${path}/price`)).status === 200;
      assert.equal(isPriced, status === 202, `${status}`);
      if (status === 400) refused++;
    }
    assert.ok(refused > 0, 'the archive call must be first sometimes');
  });
});
