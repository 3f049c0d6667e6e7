/** Tests sets of scopes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ALL_RIGHTS,
  MARKETPLACE_SCOPES,
  MERCHANT_SCOPES,
  missingScopes,
  NO_SCOPE,
  SCOPE,
  SCOPES,
  scopeSet,
  scopesIn,
} from './key-scopes.ts';

describe('sets of scopes', () => {
  it('have one bit for each scope', () => {
    assert.equal(scopeSet(SCOPES), 2 ** SCOPES.length - 1);
    assert.deepEqual(scopesIn(ALL_RIGHTS.scopes), MERCHANT_SCOPES);
    assert.deepEqual(SCOPES, [...MERCHANT_SCOPES, ...MARKETPLACE_SCOPES]);
    for (const scope of SCOPES) assert.deepEqual([scopeSet([scope]), scopesIn(SCOPE[scope])], [SCOPE[scope], [scope]]);
  });

  it('contain a scope once, in a fixed order, and nothing that is not a scope', () => {
    assert.deepEqual(scopesIn(scopeSet(['stock', 'read', 'stock'])), ['read', 'stock']);
    for (const names of [[], [''], ['Read', 'store', 'toString']]) assert.equal(scopeSet(names), NO_SCOPE);
  });

  it('lack what a call needs beyond them', () => {
    const key = { scopes: SCOPE.read | SCOPE.price, skuPrefix: '' };
    assert.deepEqual(missingScopes(key, SCOPE.price), []);
    assert.deepEqual(missingScopes(key, NO_SCOPE), []);
    assert.deepEqual(missingScopes(key, SCOPE.stock | SCOPE.price | SCOPE.listing), ['listing', 'stock']);
  });
});
