/** Tests how routes are found for request lines. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAddressBook } from './address.ts';

const ROUTES = [
  { path: '/token' },
  { path: '/merchant-skus' },
  { path: '/merchant-skus/{id}' },
  { path: '/merchant-skus/{id}/price' },
  { path: '/merchant-skus/{id}/Inventory' },
  { path: '/merchant-skus/{id}/status/archive' },
  { path: '/setup/fulfillmentNodes' },
  { path: '/taxonomy/links/{version}' },
  { path: '/taxonomy/nodes/{id}' },
  { path: '/taxonomy/nodes/{id}/attributes' },
  { path: '/taxonomy/search' },
  { path: '/files/uploadToken' },
  { path: '/files/uploads/{id}' },
  { path: '/files/{id}' },
  { path: '/files/{id}/cancel' },
  { path: '/merchant-skus/{id}/history' },
  { path: '/merchant-skus/{id}/history/{change}/restore' },
];
const find = createAddressBook(ROUTES);

const found = (url: string) => {
  const { route, value, query } = find(url);
  return [route?.path, value, query];
};

describe('address with two values', () => {
  for (const [url, value, secondValue, query = ''] of [
    ['/merchant-skus/a/history/7/restore', 'a', '7'],
    ['/api/Merchant-SKUs/a%2Fb/History/A%20/RESTORE/?dry_run=true', 'a%2Fb', 'A%20', 'dry_run=true'],
    ['/merchant-skus/history/history/restore/restore', 'history', 'restore'],
    ['/merchant-skus//history//restore', '', ''],
  ]) {
    it(`finds ${url}`, () => {
      const { route, ...rest } = find(url ?? '');
      assert.equal(route?.path, '/merchant-skus/{id}/history/{change}/restore');
      assert.deepEqual(rest, { value, secondValue, query });
    });
  }
  for (const url of [
    '/merchant-skus/a/history/7',
    '/merchant-skus/a/history/7/8/restore',
    '/merchant-skus/a/price/7/restore',
  ]) {
    it(`finds nothing at ${url}`, () => assert.equal(find(url).route, undefined));
  }
});

describe('address', () => {
  for (const [url, path, value = '', query = ''] of [
    ['/token', '/token'],
    ['/TOKEN', '/token'],
    ['/token/', '/token'],
    ['///token', '/token'],
    ['/api/token', '/token'],
    ['/API//token/?a=b', '/token', '', 'a=b'],
    ['token', '/token'],
    ['/merchant-skus', '/merchant-skus'],
    ['/merchant-skus/', '/merchant-skus'],
    ['/merchant-skus?', '/merchant-skus'],
    ['/merchant-skus?x=/y/z?', '/merchant-skus', '', 'x=/y/z?'],
    ['/merchant-skus/A%2Fb', '/merchant-skus/{id}', 'A%2Fb'],
    ['/Merchant-Skus/Price', '/merchant-skus/{id}', 'Price'],
    ['/merchant-skus/price/PRICE/', '/merchant-skus/{id}/price', 'price'],
    ['/merchant-skus/x/inventory', '/merchant-skus/{id}/Inventory', 'x'],
    ['/merchant-skus/x/Status/Archive', '/merchant-skus/{id}/status/archive', 'x'],
    ['/merchant-skus/api', '/merchant-skus/{id}', 'api'],
    ['/merchant-skus/*', '/merchant-skus/{id}', '*'],
    ['/merchant-skus/{id}', '/merchant-skus/{id}', '{id}'],
    ['/merchant-skus/..', '/merchant-skus/{id}', '..'],
    ['/merchant-skus/x/', '/merchant-skus/{id}', 'x'],
    ['/merchant-skus/#', '/merchant-skus/{id}', '#'],
    ['/merchant-skus//', '/merchant-skus/{id}', ''],
    ['/merchant-skus//price', '/merchant-skus/{id}/price', ''],
    ['/api///merchant-skus//price/', '/merchant-skus/{id}/price', ''],
    ['/setup/FulfillmentNodes', '/setup/fulfillmentNodes'],
    ['/taxonomy/links/V1?offset=2', '/taxonomy/links/{version}', 'V1', 'offset=2'],
    ['/taxonomy/nodes/7', '/taxonomy/nodes/{id}', '7'],
    ['/Taxonomy/NODES/Search/', '/taxonomy/nodes/{id}', 'Search'],
    ['/taxonomy/nodes/attributes', '/taxonomy/nodes/{id}', 'attributes'],
    ['/taxonomy/nodes/7/Attributes', '/taxonomy/nodes/{id}/attributes', '7'],
    ['/taxonomy/nodes//attributes', '/taxonomy/nodes/{id}/attributes', ''],
    ['/taxonomy/search?q=a/b', '/taxonomy/search', '', 'q=a/b'],
    ['/files/uploadToken', '/files/uploadToken'],
    ['/Files/UPLOADTOKEN/?a', '/files/uploadToken', '', 'a'],
    ['/files/uploadTokens', '/files/{id}', 'uploadTokens'],
    ['/files/7', '/files/{id}', '7'],
    ['/files/*', '/files/{id}', '*'],
    ['/files//', '/files/{id}', ''],
    ['/files/uploads', '/files/{id}', 'uploads'],
    ['/files/Uploads/7?expires=1', '/files/uploads/{id}', '7', 'expires=1'],
    ['/files/uploads/cancel', '/files/uploads/{id}', 'cancel'],
    ['/files/uploads/*', '/files/uploads/{id}', '*'],
    ['/files/7/Cancel', '/files/{id}/cancel', '7'],
    ['http://host/token', '/token'],
    ['HTTPS://host:1//api/token?x', '/token', '', 'x'],
    ['http:///token', '/token'],
  ] as const)
    it(`${url} is ${path}`, () => assert.deepEqual(found(url), [path, value, query]));

  for (const url of [
    '',
    '/',
    '/api',
    '/api/',
    '/apitoken',
    '/api/api/token',
    '/token//',
    '/token/x',
    '/tokens',
    '/%74oken',
    '/x/token',
    '/merchant-skus/x/y',
    '/merchant-skus/x//price',
    '/merchant-skus/x/price/y',
    '/merchant-skus/x/status',
    '/merchant-skus/x/status//archive',
    '/merchant-skus/*/*',
    '/*',
    '*',
    '/setup',
    '/setup/*',
    '/setup//fulfillmentNodes',
    '/taxonomy',
    '/taxonomy/nodes',
    '/taxonomy/*/7',
    '/taxonomy/nodes/7/x',
    '/taxonomy/nodes/7/attributes/x',
    '/taxonomy/search/x',
    '/files',
    '/files/uploadToken/x',
    '/files/7/x',
    '/files/uploads/7/cancel',
    'ftp://host/token',
    'http://host',
    'http://host?/token',
  ])
    it(`${JSON.stringify(url)} matches no route`, () => assert.equal(find(url).route, undefined));

  it('uses the first of several routes with the same path', () => {
    const [get, put] = [{ path: '/a/{x}' }, { path: '/A/{y}' }];
    assert.equal(createAddressBook([get, put])('/a/1').route, get);
  });

  it('rejects a long address quickly', () => {
    // CPU time, because a busy machine can stop the process for seconds.
    const before = process.threadCpuUsage();
    for (const url of [
      '/'.repeat(16_000),
      '/a'.repeat(8000),
      `/merchant-skus${'/'.repeat(16_000)}`,
      `http://${'a'.repeat(16_000)}`,
    ])
      assert.equal(find(url).route?.path === '/token', false);
    const { user, system } = process.threadCpuUsage(before);
    assert.ok(user + system < 1_000_000);
  });
});
