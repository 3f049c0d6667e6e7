/** Tests how changes to the parts of an offer are listed field by field. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Names, NEUTRAL_NAMES } from '../names.ts';
import { differences, differencesOf } from './part-changes.ts';

it('lists the stock of new nodes, also of those that have the name of a property of every object', () => {
  for (const nodeId of ['east', 'constructor', '__proto__']) {
    const change = { part: 'inventory', nodes: [{ nodeId, before: null, after: 5 }] } as const;
    assert.deepEqual(differencesOf(change, new Names(NEUTRAL_NAMES)), [
      { pointer: `/inventory/${nodeId}`, before: null, after: 5 },
    ]);
  }
});

it('compares lists as a whole, whatever the order of the fields of their objects', () => {
  const node = { fulfillment_node_id: 'n', fulfillment_node_price: 1 };
  const turned = { fulfillment_node_price: 1, fulfillment_node_id: 'n' };
  assert.deepEqual(differences('', { nodes: [node] }, { nodes: [turned] }), []);
  for (const after of [
    [node, node],
    [{ ...node, fulfillment_node_price: 2 }],
    [{ ...node, other: null }],
    [[]],
    [],
    null,
  ]) {
    assert.deepEqual(differences('', { nodes: [node] }, { nodes: after }), [
      { pointer: '/nodes', before: [node], after },
    ]);
  }
});
