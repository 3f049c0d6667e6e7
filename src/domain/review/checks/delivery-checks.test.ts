/** Tests which merchants' offers need a shipping weight: by the rates of their nodes, and by the nodes with stock. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { RateKind } from '../../account.ts';
import { reviewOffer } from '../review-offer.ts';
import { GOOD_EVIDENCE, GOOD_FACTS, KNOWLEDGE, NAMES } from '../testing/good-offer.ts';

const [FLAT, POUNDS, MORE] = ['flat', 'pounds', 'more'] as const;
const RATES: Readonly<Record<string, RateKind>> = { [FLAT]: 'flat', [POUNDS]: 'per_pound', [MORE]: 'per_pound' };

function check(nodeIds: readonly string[], stockNodeIds: readonly string[], weight?: number) {
  const nodes = new Map(
    nodeIds.map((id) => [id, { id, rateKind: RATES[id] ?? 'flat', methods: [], levels: [] } as const]),
  );
  const document = { ...GOOD_FACTS.document, ...(weight === undefined ? {} : { shipping_weight_pounds: weight }) };
  const knowledge = { ...KNOWLEDGE, account: { merchantId: 'acme', nodes } };
  const { checks } = reviewOffer({ ...GOOD_FACTS, document, stockNodeIds }, knowledge, GOOD_EVIDENCE, NAMES);
  const result = checks.find((one) => one.check === 'shipping_weight');
  return [result?.state, result?.evidence.per_pound_nodes];
}

it('needs a weight before any stock if all nodes charge by the pound', () => {
  assert.deepEqual(check([POUNDS, MORE], []), ['failed', [POUNDS, MORE]]);
  assert.deepEqual(check([POUNDS, MORE], [], 0.01), ['passed', [POUNDS, MORE]]);
  assert.deepEqual(check([POUNDS], ['gone']), ['failed', [POUNDS]]);
});

it('needs none if at least one node has flat rates, until there is stock at one that charges by the pound', () => {
  assert.deepEqual(check([POUNDS, FLAT], []), ['skipped', []]);
  assert.deepEqual(check([POUNDS, FLAT], [FLAT]), ['skipped', []]);
  assert.deepEqual(check([POUNDS, MORE, FLAT], [FLAT, MORE]), ['failed', [MORE]]);
});

it('needs none if the merchant has no nodes, or none with rates per pound', () => {
  assert.deepEqual(check([], [POUNDS]), ['skipped', []]);
  assert.deepEqual(check([FLAT], [POUNDS]), ['skipped', []]);
});
