/** Tests that a refused import names the line and the problem, and leaves no data of the merchant behind. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProblemCode } from '../../src/domain/problem.ts';
import { importMerchants } from '../../src/operations/moves/import-merchants.ts';
import { documentOf, type MoveFolder, openMoveFolder } from '../harness/moved-merchants.ts';

const TIME = '2026-01-31T09:30:00.000Z';
const HEADER = '{"kind":"offerbook_export","version":1}';
const MERCHANT = JSON.stringify({
  kind: 'merchant',
  merchant_id: 'acme',
  name: 'Acme',
  created: TIME,
  suspended: false,
  time_to_return: 30,
  return_shipping_methods: ['Freight'],
});
const LIVE = '{"kind":"environment","environment":"live"}';
const KEY = JSON.stringify({ kind: 'credential', user: 'u', salt: 'AAEC', secret_sha256: 'AAEC', created: TIME });
const GROUP = '{"kind":"variation_group","sku_id":"a","variation_refinements":[1],"children_skus":["b"]}';

function sku(changes: Readonly<Record<string, unknown>> = {}): string {
  const line = { kind: 'sku', sku_id: 'a', first_upload: TIME, archived: false, data: {}, data_updated: TIME };
  const text = JSON.stringify({ ...line, inventory_stamp: TIME, ...changes });
  return changes.data === undefined ? text.replace('"data":{}', `"data":${documentOf(1)}`) : text;
}

function end(lines: number, skus = 0): string {
  return JSON.stringify({ kind: 'end', merchants: 1, skus, lines });
}

const NODE = { fulfillment_node_id: 'n', quantity: 1, updated: TIME };

type Refused = [name: string, lines: readonly string[], line: number, code: ProblemCode, text: RegExp];

const REFUSED: readonly Refused[] = [
  ['no JSON', [HEADER, '{'], 2, 'import_unreadable', /^Line 2: it is not JSON: .*[^.]\. Nothing was imported\.$/],
  ['no object', [HEADER, '[]'], 2, 'import_unreadable', /JSON object/],
  ['an unknown kind', [HEADER, '{"kind":"toString"}'], 2, 'import_unreadable', /kind: must be one of/],
  ['no header', [MERCHANT], 1, 'import_misplaced', /first line/],
  ['a second header', [HEADER, HEADER], 2, 'import_misplaced', /first line/],
  ['a format of a newer release', ['{"kind":"offerbook_export","version":2}'], 1, 'import_newer', /version 2/],
  [
    'an environment without a merchant',
    [HEADER, LIVE],
    2,
    'import_misplaced',
    /a merchant line must come before this line/,
  ],
  ['an environment twice', [HEADER, MERCHANT, LIVE, LIVE], 4, 'import_repeated', /comes twice/],
  ['a SKU without an environment', [HEADER, MERCHANT, sku()], 3, 'import_misplaced', /environment must come/],
  ...[{ scopes: ['read', 'storefront'] }, { scopes: [] }, { sku_prefix: '' }].map((rights): Refused => {
    const lines = [HEADER, MERCHANT, LIVE, JSON.stringify({ ...JSON.parse(KEY), ...rights })];
    const name = `a key with the rights ${JSON.stringify(rights)}`;
    return [name, lines, 4, 'import_unreadable', /^Line 4: (?:scopes|sku_prefix).*must (?:be one of|have 1 to)/];
  }),
  ['keys after SKUs', [HEADER, MERCHANT, LIVE, sku(), KEY], 5, 'import_misplaced', /come first/],
  [
    'a misspelled field',
    [HEADER, MERCHANT, LIVE, sku({ arcived: true })],
    4,
    'import_unreadable',
    /arcived: unknown field/,
  ],
  [
    'a bad time',
    [HEADER, MERCHANT, LIVE, sku({ first_upload: '2026-02-31T00:00:00.000Z' })],
    4,
    'import_unreadable',
    /is not a time/,
  ],
  [
    'a time with an offset',
    [HEADER, MERCHANT, LIVE, sku({ data_updated: '2026-01-31T09:30:00+01:00' })],
    4,
    'import_unreadable',
    /must be a time/,
  ],
  ['a bad SKU id', [HEADER, MERCHANT, LIVE, sku({ sku_id: 'x'.repeat(65) })], 4, 'import_unreadable', /at most 64/],
  ['NUL in a SKU id', [HEADER, MERCHANT, LIVE, sku({ sku_id: '\0' })], 4, 'import_unreadable', /NUL/],
  [
    'a bad document',
    [HEADER, MERCHANT, LIVE, sku({ data: { brand: 1 } })],
    4,
    'import_unreadable',
    /data: brand: must be a string/,
  ],
  [
    'data that is not an object',
    [HEADER, MERCHANT, LIVE, sku({ data: [] })],
    4,
    'import_unreadable',
    /data: must be an object/,
  ],
  [
    'a bad price',
    [HEADER, MERCHANT, LIVE, sku({ price: { price: 0, updated: TIME } })],
    4,
    'import_unreadable',
    /price: price: must/,
  ],
  [
    'a price without a time',
    [HEADER, MERCHANT, LIVE, sku({ price: { price: 1 } })],
    4,
    'import_unreadable',
    /updated: is required/,
  ],
  [
    'a bad quantity',
    [HEADER, MERCHANT, LIVE, sku({ inventory: [{ ...NODE, quantity: -1 }] })],
    4,
    'import_unreadable',
    /quantity: must/,
  ],
  ['a node twice', [HEADER, MERCHANT, LIVE, sku({ inventory: [NODE, NODE] })], 4, 'import_unreadable', /occurs twice/],
  [
    'a SKU twice',
    [HEADER, MERCHANT, LIVE, sku({ sku_id: 'b' }), sku(), sku(), end(7, 3)],
    6,
    'import_repeated',
    /"a" comes twice/,
  ],
  [
    'a group with an unknown child',
    [HEADER, MERCHANT, LIVE, sku(), GROUP, end(6, 1)],
    5,
    'import_group',
    /"b" of the group/,
  ],
  ['an export that was cut off', [HEADER, MERCHANT, LIVE, sku()], 4, 'import_incomplete', /last line is missing/],
  [
    'a missing line',
    [HEADER, MERCHANT, LIVE, end(5, 1)],
    4,
    'import_incomplete',
    /the last line says "skus": 1, but the file has 0/,
  ],
  [
    'lines after the end',
    [HEADER, '{"kind":"end","merchants":0,"skus":0,"lines":2}', LIVE],
    3,
    'import_misplaced',
    /this line comes after the last line/,
  ],
];

describe('an import refuses', () => {
  for (const [name, lines, line, code, text] of REFUSED) {
    it(`${name}, and leaves nothing behind`, async (t) => {
      const folder = await openMoveFolder(t);
      const outcome = await imported(folder, lines);
      assert.ok(!outcome.ok, 'it is refused');
      assert.equal(outcome.problems[0]?.code, code);
      assert.match(outcome.problems[0]?.message ?? '', new RegExp(`^Line ${line}: .*\\. Nothing was imported\\.$`));
      assert.match(outcome.problems.map(({ message }) => message).join('\n'), text);
      assert.deepEqual(await folder.store.settings.listMerchants(), []);
    });
  }

  it('an empty file', async (t) => {
    const outcome = await imported(await openMoveFolder(t), []);
    assert.ok(!outcome.ok);
    assert.deepEqual(
      outcome.problems.map(({ code, message }) => [code, message]),
      [['import_incomplete', 'The file is empty. Nothing was imported.']],
    );
  });

  it('a merchant that exists, and says which ones were imported before it', async (t) => {
    const folder = await openMoveFolder(t);
    const lines = [HEADER, MERCHANT, LIVE, sku()];
    assert.ok((await imported(folder, [...lines, end(5, 1)])).ok);
    const other = MERCHANT.replace('acme', 'beta');
    const outcome = await imported(folder, [HEADER, other, LIVE, MERCHANT]);
    assert.ok(!outcome.ok);
    assert.deepEqual(
      outcome.problems.map(({ code, message }) => [code, message]),
      [['merchant_exists', 'Line 4: merchant acme already exists. These merchants were imported and kept: beta.']],
    );
    assert.deepEqual(
      (await folder.store.settings.listMerchants()).map(({ merchantId }) => merchantId),
      ['acme', 'beta'],
    );
  });

  it('a user of another merchant', async (t) => {
    const folder = await openMoveFolder(t);
    assert.ok((await imported(folder, [HEADER, MERCHANT, LIVE, KEY, end(5)])).ok);
    const outcome = await imported(folder, [HEADER, MERCHANT.replace('acme', 'beta'), LIVE, KEY, end(5)]);
    assert.equal(outcome.ok ? undefined : outcome.problems[0]?.code, 'import_repeated');
    assert.equal(await folder.store.settings.readMerchant('beta'), undefined);
  });

  it('no merchant that an interrupted import left behind, which is cleared first', async (t) => {
    const folder = await openMoveFolder(t);
    const left = await folder.moves.beginImport({
      merchantId: 'acme',
      name: 'Left behind',
      createdMs: 1,
      suspended: false,
      timeToReturnDays: 30,
      returnShippingMethods: ['Freight'],
    });
    assert.ok(typeof left === 'object');
    const outcome = await imported(folder, [HEADER, MERCHANT, LIVE, sku(), end(5, 1)]);
    assert.ok(outcome.ok, JSON.stringify(outcome));
    const merchant = await folder.store.settings.readMerchant('acme');
    assert.deepEqual([merchant?.name, merchant?.suspended], ['Acme', false]);
    assert.equal(await folder.store.settings.readAccount(left.live), undefined);
  });
});

function imported(folder: MoveFolder, lines: readonly string[]) {
  return importMerchants(
    folder,
    (async function* () {
      yield lines;
    })(),
  );
}
