/** Tests that ids beyond 2^53 reach the verdict exactly, and that documents without them are read unchanged. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readReviewedDocument } from './reviewed-document.ts';

const BEYOND = '9007199254740993';

describe('a document that is read for review', () => {
  test('keeps a browse node and attribute ids beyond 2^53', () => {
    assert.equal(
      readReviewedDocument(`{"marketplace_browse_node_id":${BEYOND}}`).marketplace_browse_node_id,
      BigInt(BEYOND),
    );
    const { attributes_node_specific: attributes } = readReviewedDocument(
      `{"attributes_node_specific":[{"attribute_id":119},{"attribute_id":${BEYOND}}]}`,
    );
    assert.deepEqual(
      attributes?.map(({ attribute_id }) => attribute_id),
      [119, BigInt(BEYOND)],
    );
  });

  test('has plain numbers up to 2^53', () => {
    const text = '{"marketplace_browse_node_id":9007199254740991,"attributes_node_specific":[{"attribute_id":119}]}';
    assert.deepEqual(readReviewedDocument(text), JSON.parse(text));
    assert.deepEqual(readReviewedDocument('{"product_title":"A pot"}'), { product_title: 'A pot' });
  });
});
