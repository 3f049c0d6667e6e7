/**
 * Runs the API tests once with the profile COMPATIBILITY=jet, in one process on SQLite. In CI it runs all of them. Elsewhere it leaves out
 * files whose responses the profile does not change, because they take more than a minute of CPU time. Exactly the cases below must fail,
 * because the profile changes their responses; test/api/compatibility.test.ts tests these differences.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runWithProfile } from './harness/profile-run.ts';

/** Files about the profile itself, and about names that an operator sets, which override those of the profile. */
const OTHER_NAMES = ['compatibility', 'names'];

/** Files about tokens, limits, rules of bodies, and bulk files, whose rows have the same rules. The profile changes none of them. */
const UNCHANGED = [
  'addresses',
  'bad-input',
  'bodies',
  'body-fields',
  'conditional-writes',
  'dry-run',
  'expired-files',
  'file-formats',
  'file-uploads',
  'files',
  'health',
  'idempotency',
  'inventory',
  'order-of-checks',
  'price',
  'put-shoe-sku',
  'put-sku-additional',
  'put-sku-listing-data',
  'put-sku-required',
  'rate',
  'review-causes',
  'review-images',
  'shipping-exception-fields',
  'shipping-exception-rules',
  'signing-keys',
  'taxonomy',
  'token',
  'token-changes',
  'webhooks',
];

const NODES = 'GET /fulfillment-nodes lists addresses';
const UNSET = 'a part that was never sent, or was cleared, is an empty 200';
const REPORT = 'the state of a report has the fields of the original';

const DIFFERENT: Readonly<Record<string, string>> = {
  'ADVICE-04 accepts the report names the advice on each offer': REPORT,
  'DEMO-01 accepts the demo credentials and setup in both environments': NODES,
  'NODE-01 accepts a list of all nodes at /fulfillment-nodes': NODES,
  'NODE-06 accepts equal ids of different merchants, each of which sees its own': NODES,
  'ERR-04 refuses different causes with different codes, even with the same status': UNSET,
  'REPORT-01 accepts a call without a body, creates the report and says when it is ready': REPORT,
  'REPORT-02 accepts the announced changes under which an offer would fail': REPORT,
  'REPORT-03 accepts a report for 7 days, and then says that it has expired': REPORT,
  'RET-04 accepts an empty list with an unknown field, which clears the exception': UNSET,
  'RET-04 accepts an empty list, which clears the exception': UNSET,
  'RET-04 accepts an empty object, which clears the exception': UNSET,
  'RET-10 refuses to read the exception of a SKU that has none': UNSET,
  'SHIP-01 accepts an empty list with an unknown field, which clears all exceptions': UNSET,
  'SHIP-01 accepts an empty list, which clears all exceptions': UNSET,
  'SHIP-01 accepts an empty object, which clears all exceptions': UNSET,
  'SHIP-18 refuses to read the exceptions of a SKU that has none': UNSET,
  'VAR-08 refuses a child that was never uploaded': UNSET,
  'VAR-16 refuses to read the group of a SKU that is not a parent': UNSET,
  'VAR-21 accepts a shoe SKU without a group, which needs none': UNSET,
  'VAR-24 accepts a parent together with its own children': UNSET,
  'VAR-24 accepts the parent of another group as a child, which ends that group': UNSET,
  'VAR-25 accepts a child that names its parent as a child': UNSET,
  'VAR-26 accepts 50 parents that claim one child at once, of which one gets it': UNSET,
  'VAR-26 accepts SKUs that claim each other at once, and leaves each in one group': UNSET,
};
/** This case is a race. It fails only if the archive call is processed before the first group call. */
const RACE = 'VAR-26 refuses to group a child that is being archived';

test('the API suite with the profile: only the listed cases differ', async () => {
  const output = await runWithProfile('test/api', process.env.CI ? OTHER_NAMES : [...OTHER_NAMES, ...UNCHANGED]);
  const passed = Array.from(output.matchAll(/^ +ok \d+ - ([A-Z]+-\d\d .*)$/gm), ([, name]) => name ?? '');
  const failed = Array.from(output.matchAll(/^ +not ok \d+ - ([A-Z]+-\d\d .*)$/gm), ([, name]) => name ?? '');
  assert.ok(passed.length > 300, `only ${passed.length} cases passed:\n${output.slice(-2000)}`);
  assert.deepEqual(failed.filter((name) => name !== RACE).sort(), Object.keys(DIFFERENT).sort(), output);
});
