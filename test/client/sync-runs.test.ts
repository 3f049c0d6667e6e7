/** Tests how `offerbook-client diff` and `offerbook-client sync` report refusals and faults, wait, continue, and compare values. */
import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream';
import { describe, it } from 'node:test';
import { readCatalog } from '../../client/src/cli/sync/catalog.ts';
import { fileIdOf } from '../../client/src/files.ts';
import { skuPath } from '../../client/src/parts.ts';
import { type CatalogLine, catalogCommands, EAST, sku, stock } from '../harness/catalog-commands.ts';
import { freePort } from '../harness/free-port.ts';

describe('a catalog', () => {
  const { client, clientWith, serverUrl, fileOf, run, started, offerbook, offerbookWith, sync } = catalogCommands();

  it('reports rows that the server refuses, and sends the others', async () => {
    const lines = [
      { id: 'good', sku: sku('A good one'), price: { price: 1 } },
      { id: 'bad', sku: sku('A bad price'), price: { price: 1e12 } },
      { id: 'unknown', inventory: stock(1) },
      { id: 'typo', sku: sku('A typo'), returns_exception: { return_location_ids: 'demo-returns-east' } },
    ];
    const { isDone, plan, failed } = await sync(lines);
    assert.deepEqual([isDone, plan, failed], [false, { sku: 3, price: 2, inventory: 1, returns_exception: 1 }, 3]);
    const { results } = await run('sync', [await fileOf(lines), '--yes']);
    assert.deepEqual(results[0].plan, { price: 1, inventory: 1, returns_exception: 1 });
    const refused: { sku: string; line: number; details: { code: string }[] }[] = results[0].files.flatMap(
      (file: { refused: unknown[] }) => file.refused,
    );
    assert.deepEqual(
      refused.map(({ sku, line, details }) => [sku, line, details[0]?.code]),
      [
        ['bad', 2, 'too_large'],
        ['unknown', 3, 'sku_unknown'],
        ['typo', 4, 'wrong_type'],
      ],
    );
    assert.equal((await client().getPrice('good'))?.value.price, 1);
  });

  it('reports a SKU that was not created once, and names the parts that were not sent', async () => {
    const parts = { price: { price: 2 }, inventory: stock(1) };
    const lines = [
      { id: 'refused', sku: { ...sku('A SKU without a brand'), brand: 5, product_title: 7 }, ...parts },
      { id: 'created', sku: sku('A SKU with a brand'), price: { price: 2 } },
      { id: 'no-data', ...parts },
    ];
    const file = await fileOf(lines);
    const { exitCode, stdout, stderr } = await offerbook('sync', file, '--yes', '--json');
    assert.equal(exitCode, 1);
    const { plan, files, not_sent } = JSON.parse(stdout);
    assert.deepEqual(
      [plan, not_sent],
      [
        { sku: 2, price: 3, inventory: 2 },
        { price: 1, inventory: 2 },
      ],
    );
    assert.deepEqual(
      files.map((record: { file_type: string; rows_processed: number }) => [record.file_type, record.rows_processed]),
      [
        ['MerchantSKUs', 2],
        ['Price', 2],
      ],
    );
    const refused = files.flatMap((record: { refused: { sku: string; not_sent: string[] }[] }) => record.refused);
    assert.deepEqual(
      refused.map(({ sku, not_sent }: { sku: string; not_sent: string[] }) => [sku, not_sent]),
      [
        ['refused', ['price', 'inventory']],
        ['no-data', ['inventory']],
      ],
    );
    const named =
      / {2}line 1, refused: .*\n {2}line 1, refused: .*\n {2}line 1, refused: not sent, .*: price, inventory\.\n/;
    assert.match(stderr, named);
    assert.match(stderr, /\nRows not sent, because the SKU does not exist: price 1, inventory 2\.\n$/);
    assert.equal((await client().getPrice('created'))?.value.price, 2);
    // A SKU that exists keeps its data if an update is refused, and its other parts are sent.
    await client().call('PUT', skuPath('refused'), { body: sku('A SKU with a brand') });
    const again = await run('sync', [file, '--yes']);
    assert.deepEqual(
      [again.results[0].plan, again.results[0].not_sent],
      [{ sku: 1, price: 2, inventory: 2 }, { inventory: 1 }],
    );
    assert.equal((await client().getPrice('refused'))?.value.price, 2);
    const fixed = lines.filter(({ id }) => id !== 'no-data').map((line) => ({ ...line, sku: sku('Fixed title') }));
    assert.equal((await sync(fixed)).isDone, true);
  });

  it('continues after an interruption', async () => {
    const lines = Array.from({ length: 50 }, (_, place) => {
      return { id: `cut-${place}`, sku: sku(`Title ${place}`), price: { price: 1 + place }, inventory: stock(place) };
    });
    const file = await fileOf(lines);
    const stop = new AbortController();
    // Interrupts as Ctrl+C does, right after the file of SKUs was submitted.
    const cut: typeof fetch = async (address, init) => {
      const response = await fetch(address, init);
      if (String(address).endsWith('/files/uploaded')) stop.abort();
      return response;
    };
    await assert.rejects(run('sync', [file, '--yes'], clientWith({ fetch: cut, signal: stop.signal })), {
      name: 'Interrupted',
      message: 'Interrupted while sending files. Files sent so far are kept. Run the same command again.',
    });
    assert.deepEqual((await sync(lines)).plan, { price: 50, inventory: 50 });
    assert.deepEqual((await sync(lines)).plan, {});
  });

  it('is sent again if the server does not respond while a file is sent', async () => {
    let failures = 0;
    const cut: typeof fetch = async (address, init) => {
      if (init?.method === 'PUT' && failures++ < 2) throw new TypeError('fetch failed');
      return fetch(address, init);
    };
    const file = await fileOf([{ id: 'cut-2', price: { price: 60 } }]);
    assert.equal((await run('sync', [file, '--yes'], clientWith({ fetch: cut }))).isDone, true);
    assert.deepEqual([failures, (await client().getPrice('cut-2'))?.value.price], [3, 60]);
  });

  it('reports what continues without it when it is stopped or gets no response', async () => {
    const stop = new AbortController();
    const cases: readonly (readonly [during: () => void, signal: AbortSignal | undefined, name: string, RegExp])[] = [
      [
        () => stop.abort(),
        stop.signal,
        'Interrupted',
        /^Interrupted; the server is still processing file [\w-]+\. Files .* again\.$/,
      ],
      [
        () => {
          throw new TypeError('fetch failed');
        },
        undefined,
        'UnreachableError',
        /cannot be reached: .* Files sent so far are kept\. Run the same command again\.$/,
      ],
    ];
    for (const [place, [during, signal, name, message]] of cases.entries()) {
      const lines = [{ id: 'cut-1', price: { price: 70 + place } }];
      let isSent = false;
      const cut: typeof fetch = async (address, init) => {
        if (isSent) during();
        const response = await fetch(address, init);
        const content = await response.arrayBuffer();
        if (String(address).endsWith('/files/uploaded')) isSent = true;
        return new Response(content.byteLength === 0 ? null : content, response);
      };
      const cutClient = clientWith({ fetch: cut, patience_ms: 1, ...(signal === undefined ? {} : { signal }) });
      await assert.rejects(run('sync', [await fileOf(lines), '--yes'], cutClient), { name, message });
      assert.deepEqual((await sync(lines)).plan, {});
    }
  });

  it('is not sent without a confirmation, which does not cover archiving most SKUs', async () => {
    const changed = await fileOf([{ id: 'good', price: { price: 99 } }]);
    const expected = (message: RegExp) => ({ name: 'UsageError', message });
    await assert.rejects(run('sync', [changed]), expected(/^Nothing was sent\. Confirm the plan with --yes\.$/));
    const most = /^\d+ of \d+ SKUs would be archived, because they are not in the file\. Nothing was sent\. /;
    await assert.rejects(run('sync', [changed, '--prune=archive']), expected(most));
    await assert.rejects(run('sync', [changed, '--prune=archive', '--yes']), expected(most));
    await assert.rejects(run('sync', [changed, '--prune=delete']), expected(/^--prune: must be "archive"\.$/));
    for (const wrong of ['half', '101%', '-1'])
      await assert.rejects(run('sync', [changed, `--prune-max=${wrong}`]), expected(/^--prune-max: must be/));
    const empty = await fileOf('sku,price\n');
    const noSkus = expected(/ cannot be used: it has no SKUs\. Nothing was sent\.$/);
    await assert.rejects(run('sync', [empty, '--prune=archive', '--yes', '--prune-max=100%']), noSkus);
    await assert.rejects(run('sync', [empty, '--yes']), noSkus);
    await assert.rejects(run('diff', [empty]), noSkus);
    assert.equal((await client().getPrice('good'))?.value.price, 1);
  });

  it('is refused with the line of its fault, before anything is sent', async () => {
    const faults: readonly (readonly [string, RegExp])[] = [
      ['', /it is empty/],
      ['{"id":"a"}\n{"id":', /line 2 is not JSON/],
      ['{"sku":"a","price":1}', /line 1 has no "id"/],
      ['{"id":"a","prise":{}}', /line 1 has the unknown part "prise"/],
      ['{"id":"a","price":1}', /line 1: price must be an object/],
      ['{"id":"a"}\n{"id":"a","sku":{"colour":"red"}}', /line 2: sku has the unknown field "colour"/],
      ['{"id":"a","price":{"price":1,"currency":"USD"}}', /line 1: price has the unknown field "currency"/],
      ['{"id":"a","price":{"price":0}}', /line 1: price must be at least 0\.01/],
      ['{"id":"a","price":{"price":"5"}}', /line 1: price must be a number, not text/],
      ['[\n{"id":"a"}]', /: it is a JSON array\. A catalog has one object per line\.$/],
      ['{\n"id":"a"}', /: its first object has several lines\. A catalog has one object per line\.$/],
      ['sku,price\na,1\nb,0', /line 3: price must be at least 0\.01/],
      ['sku,node_id,quantity\na,n,1.5', /line 2: quantity must be a whole number of 0 or more/],
      ['sku,node_id,quantity\na,n,0\na,m,1\na,n,1', /: line 4: the node n occurs twice in the rows of this SKU\.$/],
      ['sku,prise\na,1', /the column "prise" is unknown\. .* for other data, such as titles, use NDJSON\.$/],
      ['price\n1', /the column "sku" is missing/],
      ['sku,quantity\na,1', /must be used together/],
      ['sku,price\na,"1,5"', /line 2: price must be a number/],
      ['sku,price\na,1\na,2', /line 3: price and is_archived must be the same/],
      ['sku,price\na,1,2', /line 2 has more cells/],
      ['sku,price\n"a,1', /line 2 has an unclosed quote/],
    ];
    for (const [content, message] of faults) {
      const read = Array.fromAsync(readCatalog(await fileOf(content)));
      await assert.rejects(read, { name: 'UsageError', message }, content);
    }
    const changes = '{"id":"good","price":{"price":98}}\n';
    for (const [content, message] of [
      [`${changes}{"id":"a"}\n{"id":"a"}`, /: line 3: SKU a occurs twice\. A SKU has one line\.$/],
      [
        'sku,price\ngood,98\nb,1\ngood,98',
        /: line 4: SKU good occurs twice\. Rows for the same SKU must be consecutive\.$/,
      ],
      [
        'sku,price\ngood,98\nb,0\ngood,98\nc,x\n',
        /:\n {2}line 3: price .*\n {2}line 4: SKU good .*\n {2}line 5: price .*\.$/,
      ],
      [
        `${changes}{"id":"a","colour":1,"price":{"price":0,"cost":1,"tax":2},"is_archived":"no","sku":[]}\n{"price":{}}\n`,
        /:\n {2}line 2: is_archived .*\n.*"colour".*\n.*"cost".*\n.*"tax".*\n {2}line 2: sku must.*\n {2}line 2: price .*\n {2}line 3 has no "id".*\.$/,
      ],
      [
        'sku,price,node_id,quantity,is_archived\ngood,98,n,1,no\n,x,n,1.5,maybe\n,2,,1,\n',
        /:\n {2}line 3 has no SKU id\.\n {2}line 3: price .*\n {2}line 3: quantity .*\n {2}line 3: is_archived .*\n {2}line 4 has no SKU id\.\n {2}line 4: node_id and quantity .*\.$/,
      ],
      [
        'id,prise,prise\n1,2,3\n',
        /:\n {2}.*"id" is unknown.*\n {2}.*"prise".*\n {2}a column is repeated\.\n {2}.*"sku" is missing\.$/,
      ],
      [
        `{"id":"a","sku":{${Array.from({ length: 30 }, (_, at) => `"f${at}":1`)}}}`,
        /:(?:\n {2}line 1: sku has .*){20}\nFurther/,
      ],
      [`${changes}${'{\n'.repeat(30)}`, /:(?:\n {2}line \d+ is not JSON.*){20}\nFurther errors are not listed\.$/],
      [`${changes}{`, /line 2 is not JSON/],
    ] as const) {
      await assert.rejects(run('sync', [await fileOf(content), '--yes']), { name: 'UsageError', message }, content);
    }
    assert.equal((await client().getPrice('good'))?.value.price, 1);
  });

  it('reports which of its SKUs cannot be created', async () => {
    const shown = await offerbook('diff', await fileOf('sku,price\nmissing-1,5\ngood,5\nmissing-2,5\n'));
    const said =
      /\n {2}price: 3\nSKUs that do not exist and have no product data: 2\. Their rows will be refused: only NDJSON with the part "sku" creates a SKU\.\n$/;
    assert.match(shown.stderr, said);
  });

  it('is compared on the command line, with exit codes', async () => {
    const file = await fileOf([{ id: 'good', price: { price: 5 }, inventory: stock(2) }]);
    const shown = await offerbook('diff', file);
    assert.deepEqual([shown.exitCode, shown.stdout], [1, 'line 1, good: price, inventory\n']);
    assert.match(
      shown.stderr,
      /^Server: http:\S+, user: demo-test-user\nSKUs in the file: 1\. .*\nWhat differs:\n {2}price: 1\n {2}inventory: 1\n$/,
    );
    const sent = await offerbook('sync', file, '--yes');
    assert.equal(sent.exitCode, 0);
    assert.match(
      sent.stdout,
      /^File \S+ \(Price\): Processed successfully\. 1 row processed, 0 failed\.\nFile \S+ \(Inventory\): .*\n$/,
    );
    assert.deepEqual((await offerbook('diff', file)).exitCode, 0);
    const again = await offerbook('sync', file, '--yes');
    assert.deepEqual([again.exitCode, again.stdout], [0, '']);
    assert.equal((await offerbook('diff', 'none')).exitCode, 2);
  });

  it('is compared by value with --values, and nothing is stored', async () => {
    const nodes = [{ fulfillment_node_id: EAST, fulfillment_node_price: 7 }];
    for (const id of ['valued', 'valued-archived']) {
      await client().call('PUT', skuPath(id), { body: sku(`Title of ${id}`) });
      await client().putPrice(id, { price: 8, fulfillment_nodes: nodes });
    }
    await client().archive('valued-archived');
    const group = { relationship: 'Variation', variation_refinements: [119], children_skus: ['valued-new'] };
    const file = await fileOf([
      { id: 'valued', sku: sku('Another title'), inventory: stock(3), variation: group },
      { id: 'valued-new', sku: { ...sku('Long '.repeat(60)), brand: 5 }, price: { price: 2 } },
      { id: 'valued-archived', price: { price: 9 } },
    ]);
    const { results } = await run('diff', [file, '--values']);
    const [changed, refused, archived] = results;
    assert.deepEqual(changed.changes, [
      { pointer: '/sku/product_title', before: 'Title of valued', after: 'Another title' },
      { pointer: `/inventory/${EAST}`, before: null, after: 3 },
    ]);
    const codes = ({ refused: parts }: { refused: { parts: string[]; details: { code: string }[] }[] }) =>
      parts.map((refusal) => [refusal.parts.join(), ...refusal.details.map(({ code }) => code)]);
    assert.deepEqual(codes(changed), [['variation', 'child_unknown']]);
    assert.deepEqual([refused.changes, codes(refused)], [[], [['sku,price', 'wrong_type']]]);
    assert.deepEqual(archived.changes, [{ pointer: '/archive/is_archived', before: true, after: false }]);
    assert.deepEqual(codes(archived), [['price', 'sku_archived']]);
    const plain = await run('diff', [file]);
    assert.deepEqual(
      plain.results,
      results.map(({ sku: id, line, parts }) => ({ sku: id, line, parts })),
    );
    // A price in CSV keeps the prices of nodes.
    const csv = await fileOf('sku,price\nvalued,9.5\n');
    const shown = await offerbook('diff', csv, '--values');
    assert.deepEqual([shown.exitCode, shown.stdout], [1, 'line 2, valued: price\n  /price/price: 8 -> 9.5\n']);
    const created = await fileOf([{ id: 'valued-new', sku: sku('Long '.repeat(60)) }]);
    assert.match((await offerbook('diff', created, '--values')).stdout, /^line 1.*\n {2}\/sku: none -> \{.{199}…\n$/);
    const kept: CatalogLine[] = [];
    for await (const id of client().skus()) if (id !== 'valued') kept.push({ id, is_archived: true });
    const pruned = await run('diff', [await fileOf(kept), '--prune=archive', '--values']);
    assert.deepEqual(pruned.results.at(-1), {
      sku: 'valued',
      line: undefined,
      parts: ['archive'],
      changes: [{ pointer: '/archive/is_archived', before: false, after: true }],
      refused: [],
    });
    const price = (await client().getPrice('valued'))?.value;
    assert.deepEqual([price?.price, price?.fulfillment_nodes], [8, nodes]);
    assert.equal((await client().getSku('valued-archived'))?.value.is_archived, true);
  });

  it('is compared by value for 1,000 SKUs at most, and not by a server that fails', async () => {
    const stubbed = (answer: () => Response) => {
      let tried = 0;
      const stub: typeof fetch = async (address, init) => {
        if (!String(address).endsWith('?dry_run=true')) return fetch(address, init);
        tried++;
        return answer();
      };
      return { api: clientWith({ fetch: stub, patience_ms: 1 }), tried: () => tried };
    };
    const file = await fileOf(
      Array.from({ length: 1001 }, (_, place) => ({ id: `many-${place}`, price: { price: 1 } })),
    );
    const good = stubbed(() => Response.json({ changes: [] }));
    const { results } = await run('diff', [file, '--values'], good.api);
    assert.deepEqual([good.tried(), results.length], [1000, 1001]);
    assert.deepEqual([results[999].changes, results[1000].changes], [[], undefined]);
    const details = [{ code: 'internal_error', field: '', message: 'Internal error.' }];
    const failing = stubbed(() => Response.json({ details }, { status: 500 }));
    await assert.rejects(run('diff', [file, '--values'], failing.api), { name: 'OfferbookError', status: 500 });
  });

  it('has failures in the log too if the result is JSON, with lines of the catalog and without signed links', async () => {
    const wrong = await fileOf('sku,node_id,quantity\n\ngood,nowhere,1\n');
    const { exitCode, stdout, stderr } = await offerbook('sync', wrong, '--yes', '--json');
    assert.equal(exitCode, 1);
    const [record] = JSON.parse(stdout).files;
    assert.deepEqual([record.rows_failed, record.error_url, record.retry_url], [1, undefined, undefined]);
    assert.equal(record.file_name, `sync-inventory-${path.basename(wrong)}.ndjson`);
    const id = fileIdOf(record);
    assert.match(
      stderr,
      /^File \S+ \(Inventory\): Processed with errors\. 1 row processed, 1 failed\.\n {2}line 3, good: fulfillment_nodes/m,
    );
    assert.ok(stderr.endsWith(`\nAll errors: offerbook-client files errors ${id} --catalog ${wrong}\n`), stderr);
    const errors = await offerbook('files', 'errors', id);
    assert.match(errors.stdout, /^good\n {2}.* \[fulfillment_node_unknown\]\n$/);
    const placed = await offerbook('files', 'errors', id, '--catalog', wrong);
    assert.match(placed.stdout, /^good \(line 3\)\n {2}.* \[fulfillment_node_unknown\]\n$/);
  });

  it('waits for a server that does not respond, if no confirmation is needed', async (t) => {
    const port = await freePort();
    const env = { OFFERBOOK_URL: `http://127.0.0.1:${port}` };
    const file = await fileOf([{ id: 'good', price: { price: 6 } }]);
    const asked = await offerbookWith(env, 'diff', file);
    assert.equal(asked.exitCode, 3);
    assert.match(asked.stderr, /cannot be reached: the connection was refused\.\n$/);
    const { child, ended } = started(env, 'sync', file, '--yes');
    for await (const line of createInterface({ input: child.stderr })) if (line.includes('Retrying for up to')) break;
    const proxy = createServer((socket) => {
      const upstream = connect(Number(new URL(serverUrl()).port), '127.0.0.1');
      pipeline(socket, upstream, socket, () => {});
    });
    t.after(() => proxy.close());
    proxy.listen(port, '127.0.0.1');
    assert.deepEqual(await ended, [0, null]);
    assert.equal((await client().getPrice('good'))?.value.price, 6);
  });
});
