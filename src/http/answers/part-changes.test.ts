/** Tests how changes to the parts of an offer are listed field by field. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Names, NEUTRAL_NAMES } from '../../domain/names.ts';
import { differencesOf } from './part-changes.ts';

it('lists the stock of new nodes, also of those that have the name of a property of every object', () => {
  for (const nodeId of ['east', 'constructor', '__proto__']) {
    const change = { part: 'inventory', nodes: [{ nodeId, before: null, after: 5 }] } as const;
    assert.deepEqual(differencesOf(change, new Names(NEUTRAL_NAMES)), [
      { pointer: `/inventory/${nodeId}`, before: null, after: 5 },
    ]);
  }
});
