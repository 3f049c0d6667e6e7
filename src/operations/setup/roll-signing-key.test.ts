/** Tests replacing the signing key: old tokens stay valid, or end immediately. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { NOW_MS, openSetupContext } from '../../../test/harness/setup-context.ts';
import { rollSigningKey } from './roll-credentials.ts';

const OLD = { keyId: 'old', secret: new Uint8Array(32).fill(1) };
const NEW = { keyId: 'new', secret: new Uint8Array(32).fill(2) };

it('roll-signing-key lets the old key verify for the lifetime of the last token signed with it', async (t) => {
  const context = await openSetupContext(t);
  await context.store.settings.addFirstSigningKey(OLD, NOW_MS - 1);
  // Ten hours, plus two seconds in which a server may still sign with the old key.
  const previousEndMs = NOW_MS + (10 * 3600 + 2) * 1000;
  assert.deepEqual(await rollSigningKey(context, NEW, 'until_tokens_expire'), {
    ok: true,
    value: { keyId: 'new', previousEndMs },
    ignored: [],
  });
  assert.deepEqual(await context.store.settings.listSigningKeys(), [
    { ...NEW, createdMs: NOW_MS, endsMs: null },
    { ...OLD, createdMs: NOW_MS - 1, endsMs: previousEndMs },
  ]);
});

it('roll-signing-key drops the old key at once when it is revoked', async (t) => {
  const context = await openSetupContext(t);
  await context.store.settings.addFirstSigningKey(OLD, NOW_MS - 1);
  assert.deepEqual(await rollSigningKey(context, NEW, 'revoked'), {
    ok: true,
    value: { keyId: 'new', previousEndMs: NOW_MS },
    ignored: [],
  });
  assert.deepEqual(await context.store.settings.listSigningKeys(), [{ ...NEW, createdMs: NOW_MS, endsMs: null }]);
});

it('roll-signing-key creates the first key of a database that no server has used', async (t) => {
  const context = await openSetupContext(t);
  assert.ok((await rollSigningKey(context, NEW, 'until_tokens_expire')).ok);
  assert.deepEqual(await context.store.settings.listSigningKeys(), [{ ...NEW, createdMs: NOW_MS, endsMs: null }]);
});
