/** Tests that each request of a load changes what it writes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CALLS, skusOf } from './calls.ts';
import { requestWriter } from './request-text.ts';
import { skuName } from './seed-store.ts';

const server = { url: 'http://127.0.0.1:8080', pid: 0, cpuUrl: '' };
const STORED = 300;

describe('requestWriter', () => {
  it('writes a request with the length of its body', () => {
    const load = {
      server,
      token: 't',
      method: 'PUT',
      path: '/s/{sku}',
      body: '{"a":"{sku}","b":{value}}',
      skus: 10,
    } as const;
    assert.equal(
      requestWriter(load, 'run', (n) => `SKU ${n}`)(1),
      'PUT /s/SKU%209 HTTP/1.1\r\nhost: 127.0.0.1:8080\r\nauthorization: Bearer t\r\n' +
        'content-type: application/json\r\ncontent-length: 23\r\n\r\n{"a":"SKU 9","b":10009}',
    );
  });

  for (const call of CALLS.filter(({ method }) => method !== 'GET')) {
    const isUnchanged = call.title === 'PUT sku, unchanged';
    it(`${call.title}: ${isUnchanged ? 'sends the stored body' : 'sends no body twice in a row for a SKU'}`, () => {
      const skus = skusOf(call, STORED);
      const write = requestWriter({ server, token: 't', ...call, ...skus }, 'run', skuName);
      const last = new Map<string, string>();
      for (let number = 0; number < 5 * STORED; number++) {
        const [head = '', body = ''] = write(number).split('\r\n\r\n');
        const sku = /sku-\d+/.exec(head)?.[0] ?? '';
        if (last.has(sku)) assert.equal(last.get(sku) === body, isUnchanged);
        last.set(sku, body);
      }
      assert.equal(last.size, call.areSkusNew ? 5 * STORED : skus.skus);
    });
  }

  it('gives every request of every run its own idempotency key', () => {
    const load = { server, token: 't', method: 'PUT', path: '/s/{sku}', body: '{}', hasKeys: true, skus: 10 } as const;
    const keys = ['a', 'b'].flatMap((run) => {
      const write = requestWriter(load, run, String);
      return [0, 1, 2].map((number) => /idempotency-key: (\S+)/.exec(write(number))?.[1]);
    });
    assert.equal(new Set(keys).size, 6);
  });
});
