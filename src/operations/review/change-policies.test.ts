/** Tests what each kind of policy accepts, and which merchants a brand can be granted to. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openAcmeContext } from '../../../test/harness/setup-context.ts';
import { readBodyValue } from '../../domain/body-text.ts';
import { addPolicy, grantBrand, listPolicies, removePolicy } from './change-policies.ts';

function problem(code: string, field: string, text: string) {
  return { code, field: `/${field}`, message: `${field}: ${text}` };
}

describe('policies', () => {
  for (const [sent, policy] of [
    [
      { kind: 'excluded_brand', brand: 'B'.repeat(100) },
      { kind: 'excluded_brand', brand: 'B'.repeat(100) },
    ],
    [
      { kind: 'excluded_category', category: 7 },
      { kind: 'excluded_category', nodeId: 7 },
    ],
    [
      { kind: 'excluded_code', code: '0-12345-67890-5' },
      { kind: 'excluded_code', code: 'gtin:00012345678905' },
    ],
    [
      { kind: 'restricted_brand', brand: 'Acme' },
      { kind: 'restricted_brand', brand: 'Acme', merchantIds: [] },
    ],
    [
      { kind: 'restricted_brand', brand: 'Acme', merchants: ['acme'] },
      { kind: 'restricted_brand', brand: 'Acme', merchantIds: ['acme'] },
    ],
  ] as const) {
    it(`adds ${JSON.stringify(sent).slice(0, 60)}, refuses to add it again, and removes it`, async (t) => {
      const context = await openAcmeContext(t);
      const accepted = { ok: true, value: policy, ignored: [] };
      assert.deepEqual(await addPolicy(context, readBodyValue(sent)), accepted);
      assert.deepEqual(await listPolicies(context), { ok: true, value: [policy], ignored: [] });
      assert.deepEqual(await addPolicy(context, readBodyValue(sent)), {
        ok: false,
        problems: [{ code: 'policy_exists', field: '', message: 'This policy already exists.' }],
        ignored: [],
      });
      assert.deepEqual(await removePolicy(context, readBodyValue(sent)), accepted);
    });
  }

  for (const [what, sent, problems] of [
    ['no kind', { brand: 'Acme' }, [problem('required', 'kind', 'is required')]],
    [
      'an unknown kind',
      { kind: 'banned' },
      [
        problem(
          'not_allowed',
          'kind',
          'must be one of: excluded_brand, excluded_category, excluded_code, restricted_brand, rank_order',
        ),
      ],
    ],
    [
      'a missing target',
      { kind: 'excluded_category' },
      [problem('required', 'category', 'is required for excluded_category')],
    ],
    [
      'a field of another kind',
      { kind: 'excluded_brand', brand: 'Acme', category: 7, code: '012345678905', merchants: [] },
      ['category', 'code', 'merchants'].map((thing) =>
        problem('not_allowed', thing, 'must not be given for excluded_brand'),
      ),
    ],
    [
      'a brand of 101 characters',
      { kind: 'excluded_brand', brand: 'B'.repeat(101) },
      [problem('too_long', 'brand', 'must have 1 to 100 characters')],
    ],
    ['a blank brand', { kind: 'excluded_brand', brand: ' ' }, [problem('bad_format', 'brand', 'must not be blank')]],
    [
      'a wrong code',
      { kind: 'excluded_code', code: '012345678906' },
      [problem('product_code_invalid', 'code', 'invalid product code')],
    ],
    [
      'unknown merchants',
      { kind: 'restricted_brand', brand: 'Acme', merchants: ['acme', 'nobody'] },
      [{ code: 'merchant_unknown', field: '/merchants/1', message: 'merchants[1]: no such merchant' }],
    ],
    [
      'more than 1,000 merchants',
      { kind: 'restricted_brand', brand: 'Acme', merchants: Array(1001).fill('acme') },
      [problem('too_many', 'merchants', 'must have at most 1000 entries')],
    ],
  ] as const) {
    it(`refuses ${what}`, async (t) => {
      const context = await openAcmeContext(t);
      assert.deepEqual(await addPolicy(context, readBodyValue(sent)), { ok: false, problems, ignored: [] });
      assert.deepEqual(await listPolicies(context), { ok: true, value: [], ignored: [] });
    });
  }

  it('refuses to remove a policy that does not exist', async (t) => {
    const context = await openAcmeContext(t);
    assert.deepEqual(await removePolicy(context, readBodyValue({ kind: 'excluded_brand', brand: 'Acme' })), {
      ok: false,
      problems: [{ code: 'policy_unknown', field: '', message: 'No such policy.' }],
      ignored: [],
    });
  });

  it('grants a brand in any spelling, only if it is restricted', async (t) => {
    const context = await openAcmeContext(t);
    const grant = readBodyValue({ kind: 'restricted_brand', brand: 'POTTER sons', merchants: ['acme'] });
    assert.deepEqual(await grantBrand(context, grant), {
      ok: false,
      problems: [{ code: 'policy_unknown', field: '', message: 'The brand POTTER sons is not restricted.' }],
      ignored: [],
    });
    await addPolicy(context, readBodyValue({ kind: 'restricted_brand', brand: 'Potter & Sons' }));
    assert.ok((await grantBrand(context, grant)).ok);
    assert.deepEqual(await listPolicies(context), {
      ok: true,
      value: [{ kind: 'restricted_brand', brand: 'Potter & Sons', merchantIds: ['acme'] }],
      ignored: [],
    });
  });
});
