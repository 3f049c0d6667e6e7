/** Tests conditional writes: `ETag` on reads, `If-Match` and `If-None-Match: *` on writes. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type ApiAnswer, type ApiClient, assertProblems, minimalSku, requestProblem } from '../harness/api-client.ts';
import { describeSharedApi } from '../harness/contract-cases.ts';
import { finished, sendFile } from './fixtures/bulk-files.ts';
import { archive, archivedSku, skuArchived, skuUnknown } from './fixtures/check-order.ts';
import { EAST, RETURNS_EAST, RETURNS_WEST, WEST } from './fixtures/merchant-setup.ts';
import { exception, METHOD, nodeWith } from './fixtures/shipping-bodies.ts';
import { attribute, COLOR, groupOf, putGroup, SIZE, uploadMember, uploadSizes } from './fixtures/variation-members.ts';

const RACES = 20;
/** Stands for the SKU itself, which may be listed among the children of its group. */
const ITSELF = '{sku}';

const stock = (quantity: number, node = EAST) => ({
  fulfillment_nodes: [{ fulfillment_node_id: node, quantity }],
});
const shipping = (type: string) => ({ fulfillment_nodes: [nodeWith(EAST, exception(type, METHOD))] });
const sized = (title: string) => ({
  ...minimalSku(),
  product_title: title,
  attributes_node_specific: [attribute(SIZE, 'L')],
});

/** Each part that has a tag: its write, with two bodies. */
const PARTS = {
  sku: { method: 'PUT', part: '', bodies: [sized('A first title'), sized('A second title')] },
  price: { method: 'PUT', part: '/price', bodies: [{ price: 5 }, { price: 6 }] },
  inventory: { method: 'PATCH', part: '/inventory', bodies: [stock(5), stock(6)] },
  variation: {
    method: 'PUT',
    part: '/variation',
    bodies: [groupOf([ITSELF], { group_title: 'One' }), groupOf([ITSELF], { group_title: 'Two' })],
  },
  'shipping exception': {
    method: 'PUT',
    part: '/shippingexception',
    bodies: [shipping('include'), shipping('exclusive')],
  },
  'returns exception': {
    method: 'PUT',
    part: '/returnsexception',
    bodies: [{ return_location_ids: [RETURNS_EAST] }, { return_location_ids: [RETURNS_WEST] }],
  },
} as const;

type Part = (typeof PARTS)[keyof typeof PARTS];

/** Writes the first body of the part to a new SKU; returns the path of the SKU. */
async function written(api: ApiClient, part: Part): Promise<string> {
  const path = await api.uploadedSku({ attributes_node_specific: [attribute(SIZE, 'L')] });
  await write(api, path, part, 0);
  return path;
}

async function tagAt(api: ApiClient, path: string): Promise<string> {
  const tag = (await api.get(path)).headers.get('etag');
  assert.match(String(tag), /^"[\w-]{27}"$/);
  return String(tag);
}

function assertFailed(answer: ApiAnswer, path: string, tag: string | null): void {
  const skuId = skuOf(path);
  const text =
    tag === null
      ? `SKU ${skuId} does not have the data that If-Match requires. Nothing was changed.`
      : `The stored data of SKU ${skuId} does not match If-Match or If-None-Match. Nothing was changed; read it again.`;
  assertProblems(answer, [requestProblem('precondition_failed', text)], 412);
  assert.equal(answer.headers.get('etag'), tag);
}

function bodyOf({ bodies }: Part, place: 0 | 1, path: string): string {
  return JSON.stringify(bodies[place]).replace(ITSELF, skuOf(path));
}

async function write(api: ApiClient, path: string, part: Part, place: 0 | 1): Promise<void> {
  await api.accepted(part.method, path + part.part, bodyOf(part, place, path));
}

/** Sends the second body of the part with these headers. */
const writeIf = (api: ApiClient, path: string, part: Part, headers: Record<string, string>) =>
  api.send(part.method, path + part.part, bodyOf(part, 1, path), headers);

const skuOf = (path: string) => path.split('/')[2] ?? '';

describeSharedApi('conditional writes', ({ accepts, refuses }) => {
  accepts('COND-10', 'stock at several nodes, the archive flag, restored versions, and cleared parts', async (api) => {
    const path = await api.uploadedSku();
    const etag = ({ headers }: ApiAnswer) => headers.get('etag');
    await api.accepted('PATCH', `${path}/inventory`, stock(1, WEST));
    const stocked = await api.accepted('PATCH', `${path}/inventory`, stock(2));
    assert.equal(etag(stocked), await tagAt(api, `${path}/inventory`));
    for (const is_archived of [true, false]) {
      const archived = await api.accepted('PUT', `${path}/status/archive`, { is_archived });
      assert.equal(etag(archived), await tagAt(api, path));
    }
    await api.accepted('PUT', `${path}/price`, { price: 1 });
    await api.accepted('PUT', `${path}/price`, { price: 2 });
    const { changes } = (await api.found(`${path}/history`)) as { changes: readonly { id: number }[] };
    const restored = await api.send('POST', `${path}/history/${changes[0]?.id}/restore`);
    assert.deepEqual([restored.status, etag(restored)], [202, await tagAt(api, `${path}/price`)]);
    await api.accepted('PUT', `${path}/returnsexception`, { return_location_ids: [RETURNS_EAST] });
    assert.equal(etag(await api.accepted('PUT', `${path}/returnsexception`, {})), null);
  });

  for (const [name, part] of Object.entries(PARTS)) {
    accepts('COND-01', `a read of the ${name} with a tag that changes with the content only`, async (api) => {
      const { part: address } = part;
      const path = await written(api, part);
      const first = await tagAt(api, path + address);
      await write(api, path, part, 0);
      assert.equal(await tagAt(api, path + address), first);
      await write(api, path, part, 1);
      assert.notEqual(await tagAt(api, path + address), first);
      await write(api, path, part, 0);
      assert.equal(await tagAt(api, path + address), first);
      const head = await api.send('HEAD', path + address);
      assert.equal(head.headers.get('etag'), first);
    });

    accepts('COND-10', `a chain of writes of the ${name} under the tag of the last response`, async (api) => {
      const path = await written(api, part);
      const address = path + part.part;
      let tag = await tagAt(api, address);
      for (const place of [1, 0, 1] as const) {
        const answer = await api.send(part.method, address, bodyOf(part, place, path), { 'if-match': tag });
        assert.deepEqual([answer.status, answer.text], [202, '']);
        tag = String(answer.headers.get('etag'));
        assert.equal(tag, await tagAt(api, address));
      }
      const plain = await api.send(part.method, address, bodyOf(part, 0, path));
      assert.equal(plain.headers.get('etag'), await tagAt(api, address), 'also without a precondition');
      const key = { 'idempotency-key': randomUUID() };
      const first = await api.send(part.method, address, bodyOf(part, 1, path), key);
      const repeat = await api.send(part.method, address, bodyOf(part, 1, path), key);
      assert.equal(repeat.headers.get('idempotent-replayed'), 'true');
      assert.deepEqual(
        [first, repeat].map(({ headers }) => headers.get('etag')),
        Array(2).fill(await tagAt(api, address)),
      );
      const dry = await api.send(part.method, `${address}?dry_run=true`, bodyOf(part, 0, path));
      assert.deepEqual([dry.status, dry.headers.get('etag')], [200, null], 'nothing is stored, so there is no new tag');
    });

    accepts('COND-02', `a write of the ${name} under its tag, a list with it, its weak form, and *`, async (api) => {
      for (const form of [(tag: string) => tag, (tag: string) => `"other", ${tag}`, (tag: string) => `W/${tag}`]) {
        const path = await written(api, part);
        const tag = await tagAt(api, path + part.part);
        assert.equal((await writeIf(api, path, part, { 'if-match': form(tag) })).status, 202);
        assert.notEqual(await tagAt(api, path + part.part), tag);
      }
      assert.equal((await writeIf(api, await written(api, part), part, { 'if-match': '*' })).status, 202);
    });
    refuses('COND-02', `a write of the ${name} under another tag, and changes nothing`, async (api) => {
      const path = await written(api, part);
      const tag = await tagAt(api, path + part.part);
      for (const ifMatch of ['"other"', '"other", "third"', `"${tag.slice(2)}`, '""']) {
        assertFailed(await writeIf(api, path, part, { 'if-match': ifMatch }), path, tag);
      }
      assert.equal(await tagAt(api, path + part.part), tag);
    });

    accepts('COND-03', `the first write of the ${name} under If-None-Match: *`, async (api) => {
      const skuId = api.newSkuId();
      const path = name === 'sku' ? `/merchant-skus/${skuId}` : await api.uploadedSku(sized('A title'), skuId);
      assertFailed(await writeIf(api, path, part, { 'if-match': '*' }), path, null);
      assert.equal((await api.get(path + part.part)).headers.get('etag'), null);
      assert.equal((await writeIf(api, path, part, { 'if-none-match': '*' })).status, 202);
      await tagAt(api, path + part.part);
    });
    refuses('COND-03', `a second write of the ${name} under If-None-Match: *`, async (api) => {
      const path = await written(api, part);
      const tag = await tagAt(api, path + part.part);
      assertFailed(await writeIf(api, path, part, { 'if-none-match': '*' }), path, tag);
      assertFailed(await writeIf(api, path, part, { 'if-match': tag, 'if-none-match': '*' }), path, tag);
      assert.equal(await tagAt(api, path + part.part), tag);
    });
  }

  accepts('COND-02', 'a shoe, and an archive flag, under the tag of the SKU', async (api) => {
    const path = await api.uploadedSku();
    const tag = await tagAt(api, path);
    const { method, part } = PARTS.sku;
    const shoe = {
      ...minimalSku(),
      marketplace_browse_node_id: undefined,
      product_type_id: 37_005_032_000,
      product_description: 'Leather shoes.',
      attributes_node_specific: [attribute(SIZE, '44'), attribute(COLOR, 'Black')],
    };
    assertFailed(await api.send(method, `${path}${part}/v2`, shoe, { 'if-match': '"other"' }), path, tag);
    assert.equal((await api.send(method, `${path}${part}/v2`, shoe, { 'if-match': tag })).status, 202);
    const now = await tagAt(api, path);
    const flag = { is_archived: true };
    assertFailed(await api.send('PUT', `${path}/status/archive`, flag, { 'if-match': tag }), path, now);
    assert.equal((await api.send('PUT', `${path}/status/archive`, flag, { 'if-match': now })).status, 202);
    assert.equal(await tagAt(api, path), now);
  });

  for (const header of ['', 'abc', '"a" "b"', '"a', 'W/*', '"a",', '*, "a"', 'w/"a"', '"é"']) {
    refuses('COND-04', `If-Match: ${header}`, async (api) => {
      const message = 'If-Match: must be * or a comma-separated list of ETags in double quotes.';
      const answer = await api.send('PUT', `${await api.uploadedSku()}/price`, { price: 5 }, { 'if-match': header });
      assertProblems(answer, [requestProblem('header_invalid', message)]);
    });
  }
  refuses('COND-04', 'If-None-Match with anything but *', async (api) => {
    const path = `${await api.uploadedSku()}/price`;
    const message = 'If-None-Match: must be * on a write.';
    for (const header of ['"a"', '', '*, "a"']) {
      const answer = await api.send('PUT', path, { price: 5 }, { 'if-none-match': header });
      assertProblems(answer, [requestProblem('header_invalid', message)]);
    }
    assert.equal((await api.get(path)).status, 404);
  });

  refuses('COND-04', 'a malformed If-None-Match before it claims the Idempotency-Key', async (api) => {
    const path = `${await api.uploadedSku()}/price`;
    const send = (header: string) =>
      api.send('PUT', path, { price: 5 }, { 'if-none-match': header, 'idempotency-key': path });
    assert.equal((await send('"a"')).status, 400);
    assert.equal((await send('*')).status, 202);
  });

  refuses('COND-05', 'other faults before the precondition', async (api) => {
    const headers = { 'if-match': '"other"' };
    const faulty = await api.send('PUT', `${await api.uploadedSku()}/price`, { price: 0 }, headers);
    assert.equal(faulty.status, 400, faulty.text);
    const unknown = api.newSkuId();
    const answer = await api.send('PUT', `/merchant-skus/${unknown}/price`, { price: 5 }, headers);
    assertProblems(answer, [skuUnknown(unknown)], 404);
    const archived = await archivedSku(api);
    const refused = await api.send('PUT', `/merchant-skus/${archived}/price`, { price: 5 }, headers);
    assertProblems(refused, [skuArchived(archived)]);
    const ignored = await api.send('PUT', `${await api.uploadedSku()}/price`, { price: 5, note: 1 }, headers);
    assert.equal(ignored.status, 412);
    assert.equal(ignored.headers.get('x-ignored-fields'), '%2Fnote');
  });

  accepts('COND-06', `exactly one of two writers with the same tag, ${RACES} times`, async (api) => {
    const path = `${await written(api, PARTS.price)}/price`;
    for (let race = 0; race < RACES; race++) {
      const headers = { 'if-match': await tagAt(api, path) };
      const prices = [2 * race + 10, 2 * race + 11];
      const answers = await Promise.all(prices.map((price) => api.send('PUT', path, { price }, headers)));
      const statuses = answers.map(({ status }) => status);
      assert.deepEqual([...statuses].sort(), [202, 412]);
      assert.equal((await api.foundNow(path)).price, prices[statuses.indexOf(202)]);
    }
  });

  accepts('COND-07', 'no write under a tag from before a bulk row, an archive, or the loss of a child', async (api) => {
    const priced = await written(api, PARTS.price);
    const price = await tagAt(api, `${priced}/price`);
    const file = await finished(api, await sendFile(api, 'Price', { [skuOf(priced)]: { price: 9 } }));
    assert.equal(file.rows_processed, 1);
    const afterFile = await tagAt(api, `${priced}/price`);
    assertFailed(await writeIf(api, priced, PARTS.price, { 'if-match': price }), priced, afterFile);

    const stocked = await written(api, PARTS.inventory);
    const five = await tagAt(api, `${stocked}/inventory`);
    await archive(api, stocked);
    await api.accepted('PUT', `${stocked}/status/archive`, { is_archived: false });
    const zero = await tagAt(api, `${stocked}/inventory`);
    assertFailed(await writeIf(api, stocked, PARTS.inventory, { 'if-match': five }), stocked, zero);

    const [parent, child, other] = await uploadSizes(api, 'S', 'M', 'L');
    await putGroup(api, parent, [child]);
    const whole = await tagAt(api, `/merchant-skus/${parent}/variation`);
    await putGroup(api, other, [child]);
    const group = `/merchant-skus/${parent}`;
    const less = await tagAt(api, `${group}/variation`);
    assert.notEqual(less, whole);
    assertFailed(await writeIf(api, group, PARTS.variation, { 'if-match': whole }), group, less);
    assert.equal((await writeIf(api, group, PARTS.variation, { 'if-match': less })).status, 202);
  });

  accepts('COND-08', 'other writes, which leave the tag of a SKU and of a part alone', async (api) => {
    const parent = await uploadMember(api, [attribute(SIZE, 'L')]);
    const path = `/merchant-skus/${parent}`;
    const first = await tagAt(api, path);
    for (const part of Object.values(PARTS)) {
      if (part !== PARTS.sku) await write(api, path, part, 0);
    }
    await api.found(path);
    assert.equal(await tagAt(api, path), first);
    const price = await tagAt(api, `${path}/price`);
    await api.accepted('PATCH', `${path}/inventory`, stock(1, WEST));
    await archive(api, path);
    assert.deepEqual([await tagAt(api, path), await tagAt(api, `${path}/price`)], [first, price]);
  });

  accepts('COND-09', 'a read with If-None-Match, which always has its body', async (api) => {
    const path = await written(api, PARTS.price);
    for (const address of [path, `${path}/price`]) {
      const answer = await api.send('GET', address, undefined, { 'if-none-match': await tagAt(api, address) });
      assert.equal(answer.status, 200);
      assert.ok(answer.body);
    }
  });
});
