/** Tests the keys that sign tokens: replaced, revoked, and kept across a restart. */
import assert from 'node:assert/strict';
import { newSigningKey } from '../../src/access/tokens/token.ts';
import { requestToken } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withOfferbook, withOwnServer } from '../harness/own-server.ts';
import { withPlace } from '../harness/store-place.ts';
import { waitUntil } from '../harness/wait-until.ts';
import {
  assertAuthorized,
  assertUnauthorized,
  changeSetup,
  check,
  HOURS_10_MS,
  noticed,
  TOKEN_EXPIRED,
  TOKEN_INVALID,
} from './fixtures/token-calls.ts';

describeApi('signing keys', ({ accepts, refuses }) => {
  accepts('TOKEN-09', 'tokens of a replaced signing key until they expire', async (api) => {
    await withOwnServer(api.variant, {}, async (own) => {
      const { keyId, secret } = newSigningKey();
      // The server's value, plus the time that a busy machine may take until the last call below.
      const previousEndMs = Date.now() + HOURS_10_MS + 2000 + 60_000;
      await changeSetup(own, (store) => store.settings.addSigningKey({ keyId, secret }, Date.now(), previousEndMs));
      await waitUntil('the new key', 60_000, async () => {
        const [header = ''] = (await requestToken(own.server.url, 'test')).split('.');
        return Buffer.from(header, 'base64url').toString().includes(`"kid":"${keyId}"`) || undefined;
      });
      assertAuthorized(await own.get('/authcheck'));
      own.server.passTime(HOURS_10_MS - 30_000);
      assertAuthorized(await own.get('/authcheck'));
      own.server.passTime(30_000);
      assertUnauthorized(await own.get('/authcheck'), TOKEN_EXPIRED);
    });
  });

  accepts('TOKEN-11', 'a token after a restart of the server', async (api) => {
    await withPlace(api.variant.store, async (place) => {
      const options = { demo: true, settings: api.variant.settings };
      const { result: token } = await withOfferbook(place, options, (url) => requestToken(url, 'test'));
      await withOfferbook(place, options, async (url) => {
        const response = await fetch(`${url}/authcheck`, { headers: { authorization: `Bearer ${token}` } });
        assert.deepEqual([response.status, await response.json()], [200, 'This message is authorized.']);
      });
    });
  });

  // The last case, because it revokes the token of the others.
  refuses('TOKEN-09', 'tokens of a signing key that was revoked', async (api) => {
    await changeSetup(api, (store) => store.settings.addSigningKey(newSigningKey(), Date.now(), Date.now()));
    await noticed(api, 401);
    assertUnauthorized(await api.get('/authcheck'), TOKEN_INVALID);
    assertAuthorized(await check(api, `Bearer ${await requestToken(api.server.url, 'test')}`));
  });
});
