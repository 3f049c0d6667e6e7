/** Promise: a variation group at the limits does not hold up other requests. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ApiClient, minimalSku } from '../harness/api-client.ts';

const CHILDREN = 2000;
const REFINEMENTS = Array.from({ length: 20 }, (_, n) => 9_000_000_000_000_000_000n + BigInt(n));
const READS = 10;
/** Each read took 300 ms of the request thread when the members were compared there. */
const WAIT_MS_MAX = 500;

it('reads of a group of 2,001 members with 50 attributes leave the request thread free', async (t) => {
  const api = await ApiClient.open();
  t.after(() => api.server.close());
  const attributes = Array.from({ length: 50 }, (_, n) => ({
    attribute_id: 9_000_000_000_000_000_000n + BigInt(n),
    attribute_value: `value ${n}`,
  }));
  const skuIds = Array.from({ length: CHILDREN + 1 }, (_, n) => `member-${n}`);
  for (let from = 0; from < skuIds.length; from += 100) {
    const slice = skuIds.slice(from, from + 100);
    await Promise.all(
      slice.map((skuId) => api.uploadedSku({ ...minimalSku(), attributes_node_specific: attributes }, skuId)),
    );
  }
  await api.accepted('PUT', '/merchant-skus/member-0/variation', {
    relationship: 'Variation',
    variation_refinements: REFINEMENTS,
    children_skus: skuIds.slice(1),
  });
  let isReading = true;
  const reads = Promise.all(Array.from({ length: READS }, () => api.found('/merchant-skus/member-0/variation')));
  const finished = reads.finally(() => {
    isReading = false;
  });
  let longestMs = 0;
  let count = 0;
  while (isReading) {
    const startMs = performance.now();
    await api.found('/authcheck');
    longestMs = Math.max(longestMs, performance.now() - startMs);
    count++;
  }
  const [first] = await finished;
  assert.deepEqual(first?.excluded_skus, skuIds.slice(1));
  assert.ok(count > READS, `only ${count} other requests were answered meanwhile`);
  assert.ok(longestMs < WAIT_MS_MAX, `another request waited ${longestMs} ms`);
});
