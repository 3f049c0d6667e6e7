/** Tests that two servers on one database act as one: both accept each other's tokens, and apply changes within 2 seconds. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { offerbookJson } from '../harness/command-line.ts';
import { postgresPlace } from '../harness/postgres-place.ts';
import { PromisedTime } from '../harness/promised-time.ts';
import { startServeProcess } from '../harness/serve-process.ts';

const NOTICE_MS = 2000;

interface CredentialJson {
  readonly user: string;
  readonly secret: string;
}

describe('two servers on one database', { skip: postgresSkipped() }, () => {
  it("accept each other's tokens immediately, and apply every change of keys and merchants", async (t) => {
    const variables = { ...(await postgresPlace()), LOG_LEVEL: 'silent' };
    const added = await offerbookJson(variables, 'merchant', 'add', 'acme', '--name', 'Acme');
    const { test, live } = added.credentials as Record<'test' | 'live', CredentialJson>;
    const servers = await Promise.all([startServeProcess(variables, []), startServeProcess(variables, [])]);
    for (const server of servers) t.after(() => server.stop('SIGKILL'));
    const urls = servers.map(({ url }) => url) as [string, string];
    const notices = new PromisedTime(NOTICE_MS);
    const everywhere = (what: string, token: string, status: number) =>
      Promise.all(
        urls.map((url) =>
          notices.wait(`${what} at ${url}`, async () => {
            return (await authcheck(url, token)) === status ? true : undefined;
          }),
        ),
      );
    const takenAtOnce = async (token: string) => {
      assert.deepEqual(await Promise.all(urls.map((url) => authcheck(url, token))), [200, 200]);
    };

    const tokens = await Promise.all(urls.map((url) => askToken(url, test)));
    for (const token of tokens) await takenAtOnce(token);
    const liveToken = await askToken(urls[0], live);

    const rolled = await offerbookJson(variables, 'keys', 'roll', '--merchant', 'acme', '--env', 'test');
    for (const token of tokens) await everywhere('the old set to be refused', token, 401);
    await takenAtOnce(liveToken);
    const next = await askToken(urls[1], rolled.credentials as CredentialJson);
    await takenAtOnce(next);

    const { key_id } = await offerbookJson(variables, 'signing-key', 'roll');
    for (const url of urls) {
      const signed = await notices.wait(`the new key at ${url}`, async () => {
        const token = await askToken(url, live);
        return keyOf(token) === key_id ? token : undefined;
      });
      await takenAtOnce(signed);
    }
    await takenAtOnce(next);

    await offerbookJson(variables, 'signing-key', 'roll', '--revoke', '--yes');
    await everywhere('tokens of a revoked key to be refused', next, 401);
    const last = await askToken(urls[0], live);
    await takenAtOnce(last);

    await offerbookJson(variables, 'merchant', 'suspend', 'acme');
    await everywhere('a suspended merchant to be refused', last, 403);
    await offerbookJson(variables, 'merchant', 'resume', 'acme');
    await everywhere('the merchant to be back', last, 200);
    notices.assertKept();
  });
});

async function askToken(url: string, { user, secret }: CredentialJson): Promise<string> {
  const response = await fetch(`${url}/token`, { method: 'POST', body: JSON.stringify({ user, pass: secret }) });
  const { id_token } = (await response.json()) as { id_token?: string };
  assert.ok(id_token !== undefined, `a token was refused with ${response.status}`);
  return id_token;
}

async function authcheck(url: string, token: string): Promise<number> {
  const response = await fetch(`${url}/authcheck`, { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return response.status;
}

function keyOf(token: string): unknown {
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString('utf8')).kid;
}
