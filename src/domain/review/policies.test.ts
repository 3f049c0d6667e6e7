/** Tests policies.ts: which offers are excluded, and who may sell a restricted brand. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lineageOf } from './category.ts';
import { brandPermission, compilePolicies, exclusionsOf, NO_POLICIES } from './policies.ts';
import { BOOK, HOME, POTS, SHIRTS, UPC_CODE } from './testing/good-offer.ts';

const POTS_LINEAGE = lineageOf(BOOK.node(POTS), BOOK);

describe('exclusionsOf', () => {
  it('excludes a brand in every spelling, and no other brand', () => {
    const policies = compilePolicies([{ kind: 'excluded_brand', brand: 'Potter & Sons' }]);
    assert.deepEqual(exclusionsOf(policies, 'POTTER  &  SONS', [], []), [{ brand: 'POTTER  &  SONS' }]);
    assert.deepEqual(exclusionsOf(policies, 'Potter', [], []), []);
  });

  it('excludes a category and everything below it', () => {
    for (const [nodeId, name] of [
      [POTS, 'Pots'],
      [HOME, 'Home'],
    ] as const) {
      const policies = compilePolicies([{ kind: 'excluded_category', nodeId }]);
      assert.deepEqual(exclusionsOf(policies, 'Potter', [], POTS_LINEAGE), [{ category: { id: nodeId, name } }]);
    }
    const below = compilePolicies([{ kind: 'excluded_category', nodeId: SHIRTS }]);
    assert.deepEqual(exclusionsOf(below, 'Potter', [], POTS_LINEAGE), []);
  });

  it('excludes a code, and no other', () => {
    const policies = compilePolicies([{ kind: 'excluded_code', code: UPC_CODE }]);
    assert.deepEqual(exclusionsOf(policies, 'Potter', ['asin:B00ABCD123', UPC_CODE], []), [{ code: UPC_CODE }]);
    assert.deepEqual(exclusionsOf(policies, 'Potter', ['asin:B00ABCD123'], []), []);
  });

  it('lists all exclusions', () => {
    const policies = compilePolicies([
      { kind: 'excluded_category', nodeId: HOME },
      { kind: 'excluded_code', code: UPC_CODE },
      { kind: 'excluded_brand', brand: 'Potter' },
    ]);
    assert.equal(exclusionsOf(policies, 'Potter', [UPC_CODE], POTS_LINEAGE).length, 3);
    assert.equal(exclusionsOf(NO_POLICIES, 'Potter', [UPC_CODE], POTS_LINEAGE).length, 0);
  });
});

describe('brandPermission', () => {
  const policies = compilePolicies([
    { kind: 'restricted_brand', brand: 'Potter', merchantIds: ['acme'] },
    { kind: 'restricted_brand', brand: 'POTTER', merchantIds: ['zenith'] },
    { kind: 'restricted_brand', brand: 'Nobody', merchantIds: [] },
  ]);

  it('allows brands that are not restricted', () => {
    assert.equal(brandPermission(policies, 'Other', 'acme'), 'unrestricted');
    assert.equal(brandPermission(NO_POLICIES, 'Potter', 'acme'), 'unrestricted');
  });

  it('allows merchants with a grant, in any spelling of the brand', () => {
    assert.equal(brandPermission(policies, ' potter', 'acme'), 'granted');
    assert.equal(brandPermission(policies, 'Potter', 'zenith'), 'granted');
    assert.equal(brandPermission(policies, 'Potter', 'ACME'), 'refused');
    assert.equal(brandPermission(policies, 'Nobody', 'acme'), 'refused');
  });
});
