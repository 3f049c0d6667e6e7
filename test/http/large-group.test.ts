/** Tests that a variation group at the limits does not delay other requests. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ApiClient, minimalSku } from '../harness/api-client.ts';

const CHILDREN = 2000;
const REFINEMENTS = Array.from({ length: 20 }, (_, n) => 9_000_000_000_000_000_000n + BigInt(n));
const READS = 5;
/** Includes the client's work. A read that compared all members on the request thread took 300 ms. */
const CPU_MS_PER_READ_MAX = 100;

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
  const costs_ms: number[] = [];
  for (let n = 0; n < READS; n++) {
    // CPU time of this thread only, because the machine may be busy.
    const before = process.threadCpuUsage();
    const { excluded_skus } = await api.found('/merchant-skus/member-0/variation');
    const { user, system } = process.threadCpuUsage(before);
    costs_ms.push((user + system) / 1000);
    assert.deepEqual(excluded_skus, skuIds.slice(1));
  }
  // Uses the cheapest read, because garbage of the uploads may be collected during the others.
  const cost_ms = Math.min(...costs_ms);
  assert.ok(cost_ms < CPU_MS_PER_READ_MAX, `a read took ${cost_ms} ms of the request thread`);
});
