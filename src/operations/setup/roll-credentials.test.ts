/** Tests replacing credential sets, immediately or after an overlap, in one environment only. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NOW_MS, openAcmeContext } from '../../../test/harness/setup-context.ts';
import { storedCredential } from '../../access/tokens/secrets.ts';
import { readBodyValue } from '../../domain/body-text.ts';
import { addCredential, revokeCredential, rollCredential } from './roll-credentials.ts';

const ACME_TEST = { merchantId: 'acme', environment: 'test' } as const;
const NEXT = storedCredential('next-user', 'next secret');
const OVERLAP_SECONDS_MAX = 30 * 24 * 3600;

describe('roll-credentials', () => {
  it('ends the replaced set at once unless an overlap is requested', async (t) => {
    const context = await openAcmeContext(t);
    const rolled = await rollCredential(context, ACME_TEST, null, readBodyValue({}), NEXT);
    assert.deepEqual(rolled, { ok: true, value: { previousEndMs: NOW_MS }, ignored: [] });
    assert.equal(await context.store.settings.readCredentialOfUser('acme-test-user'), undefined);
    assert.equal((await context.store.settings.readCredentialOfUser('next-user'))?.endsMs, null);
  });

  it('does not change the other environment', async (t) => {
    const context = await openAcmeContext(t);
    const before = await context.store.settings.readCredentialOfUser('acme-live-user');
    await rollCredential(context, ACME_TEST, null, readBodyValue({}), NEXT);
    assert.deepEqual(await context.store.settings.readCredentialOfUser('acme-live-user'), before);
  });

  for (const seconds of [1, OVERLAP_SECONDS_MAX]) {
    it(`lets the replaced set work for another ${seconds} seconds`, async (t) => {
      const context = await openAcmeContext(t);
      const rolled = await rollCredential(context, ACME_TEST, null, readBodyValue({ overlap_seconds: seconds }), NEXT);
      const previousEndMs = NOW_MS + seconds * 1000;
      assert.deepEqual(rolled, { ok: true, value: { previousEndMs }, ignored: [] });
      assert.equal((await context.store.settings.readCredentialOfUser('acme-test-user'))?.endsMs, previousEndMs);
    });
  }

  it('accepts the overlap in hours too, up to 30 days, but not in both units', async (t) => {
    const context = await openAcmeContext(t);
    const rolled = await rollCredential(context, ACME_TEST, null, readBodyValue({ overlap_hours: 720 }), NEXT);
    const previousEndMs = NOW_MS + OVERLAP_SECONDS_MAX * 1000;
    assert.deepEqual(rolled, { ok: true, value: { previousEndMs }, ignored: [] });
    for (const [sent, code, text] of [
      [{ overlap_hours: 721 }, 'too_large', 'must be an integer from 0 to 720'],
      [{ overlap_hours: 1, overlap_seconds: 3600 }, 'not_allowed', 'must not be sent together with overlap_seconds'],
    ] as const) {
      assert.deepEqual(await rollCredential(context, ACME_TEST, null, readBodyValue(sent), NEXT), {
        ok: false,
        problems: [{ code, field: '/overlap_hours', message: `overlap_hours: ${text}` }],
        ignored: [],
      });
    }
  });

  for (const [what, overlap, code] of [
    ['a negative overlap', -1, 'too_small'],
    ['an overlap beyond 30 days', OVERLAP_SECONDS_MAX + 1, 'too_large'],
  ] as const) {
    it(`refuses ${what}`, async (t) => {
      const context = await openAcmeContext(t);
      const refused = await rollCredential(context, ACME_TEST, null, readBodyValue({ overlap_seconds: overlap }), NEXT);
      const message = 'overlap_seconds: must be an integer from 0 to 2592000';
      assert.deepEqual(refused, { ok: false, problems: [{ code, field: '/overlap_seconds', message }], ignored: [] });
      assert.equal(await context.store.settings.readCredentialOfUser('next-user'), undefined);
    });
  }

  it('creates the account of the marketplace with its first key, and not for calls that are refused', async (t) => {
    const context = await openAcmeContext(t);
    const owner = { merchantId: null, environment: 'live' } as const;
    const accountId = () => context.store.settings.readMarketplaceAccount('live');
    const unknown = { code: 'key_unknown', field: '', message: 'No active key "none".' };
    const refusal = { ok: false, problems: [unknown], ignored: [] };
    assert.deepEqual(await revokeCredential(context, owner, 'none'), refusal);
    assert.deepEqual(await rollCredential(context, owner, 'none', readBodyValue({}), NEXT), refusal);
    assert.equal((await addCredential(context, owner, readBodyValue({ scopes: [] }), NEXT)).ok, false);
    assert.equal(await accountId(), undefined);
    const sent = readBodyValue({ name: 'shop', scopes: ['storefront'] });
    assert.deepEqual(await addCredential(context, owner, sent, NEXT), { ok: true, value: 'shop', ignored: [] });
    assert.notEqual(await accountId(), undefined);
  });

  it('reports the unknown merchant along with every other problem', async (t) => {
    const context = await openAcmeContext(t);
    const owner = { merchantId: 'nobody', environment: 'test' } as const;
    assert.deepEqual(await rollCredential(context, owner, null, readBodyValue({ overlap_seconds: '1h' }), NEXT), {
      ok: false,
      problems: [
        {
          code: 'wrong_type',
          field: '/overlap_seconds',
          message: 'overlap_seconds: must be an integer from 0 to 2592000, not a string',
        },
        { code: 'merchant_unknown', field: '', message: 'No merchant "nobody".' },
      ],
      ignored: [],
    });
  });
});
