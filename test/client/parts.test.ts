/** Tests that the client's tables of parts agree with the server's. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PARTS as HASHED_PARTS } from '../../client/src/cli/sync/part-hash.ts';
import { FILE_TYPES, STEPS } from '../../client/src/cli/sync/plan.ts';
import { OFFER_STEPS } from '../../client/src/cli/sync/values.ts';
import { READS, WRITES } from '../../client/src/parts.ts';
import { PART, PARTS, PARTS_IN_OFFER } from '../../src/domain/offers/parts.ts';
import type { OfferPart } from '../../src/domain/vocabulary/offer-parts.ts';
import { partEndpoints, skuUploadEndpoints } from '../../src/http/endpoints/parts.ts';

const SKU_PATH = '/merchant-skus/{user_defined_sku_id}';

it('has a method for each call that reads or writes a part', () => {
  const methods = [
    ...Object.values(READS).map(({ path }) => `GET ${path}`),
    ...Object.values(WRITES).map(({ method, path }) => `${method.toUpperCase()} ${path}`),
    // The method `archive` takes the flag instead of a body.
    'PUT /status/archive',
  ];
  for (const { method, path } of [...skuUploadEndpoints, ...partEndpoints]) {
    const call = `${method} ${path.slice(SKU_PATH.length)}`;
    assert.ok(methods.includes(call), call);
  }
});

it('sends each part in a file of its type', () => {
  const types = Object.fromEntries(PARTS.map(({ name, fileType }) => [name, fileType]));
  assert.deepEqual(FILE_TYPES, { ...types, unarchive: PART.archive.fileType });
  assert.deepEqual([...STEPS].sort(), [...PARTS.map(({ name }) => name), 'unarchive'].sort());
});

it('hashes every part but the archive flag, and tries the same parts in one call', () => {
  const hashed: readonly OfferPart[] = HASHED_PARTS;
  assert.deepEqual(
    hashed,
    PARTS.map(({ name }) => name).filter((name) => name !== 'archive'),
  );
  assert.deepEqual(
    [...OFFER_STEPS],
    PARTS_IN_OFFER.map(({ name }) => name),
  );
});
