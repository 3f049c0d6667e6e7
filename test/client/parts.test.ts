/** Tests that the client's tables of parts agree with the server's. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FILE_TYPES, PARTS as HASHED_PARTS, OFFER_STEPS, PART_TABLE, STEPS } from '../../client/src/cli/part-table.ts';
import { READS, WRITES } from '../../client/src/parts.ts';
import { PARTS, PARTS_IN_OFFER } from '../../src/domain/offers/parts.ts';
import { FILE_TYPES as SERVER_FILE_TYPES } from '../../src/domain/vocabulary/file-types.ts';
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

it('has the file types of the parts, and the parts of one call', () => {
  const parts = PARTS.map(({ name, fileType, isInOffer, stored }) => {
    return [name, { fileType, isInOffer, ...(stored && { field: stored.field }) }];
  });
  assert.deepEqual(PART_TABLE, Object.fromEntries(parts));
  assert.deepEqual(FILE_TYPES, SERVER_FILE_TYPES);
  assert.deepEqual(
    OFFER_STEPS,
    PARTS_IN_OFFER.map(({ name }) => name),
  );
});

it('hashes every part but the archive flag, and sends them all', () => {
  const names = PARTS.map(({ name }) => name);
  assert.deepEqual(
    HASHED_PARTS,
    names.filter((name) => name !== 'archive'),
  );
  assert.deepEqual([...STEPS].sort(), [...names, 'unarchive'].sort());
});
