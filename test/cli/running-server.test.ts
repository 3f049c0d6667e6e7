/**
 * Tests that a running server applies changes of the command line within two seconds; and how the server stops. The server runs
 * in a separate process, and each test changes its own merchant.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { offerbookHere, offerbookJson } from '../harness/command-line.ts';
import { PromisedTime } from '../harness/promised-time.ts';
import { type ServeProcess, startServeProcess } from '../harness/serve-process.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { waitUntil } from '../harness/wait-until.ts';

const NOTICE_MS = 2000;

interface CredentialJson {
  readonly user: string;
  readonly secret: string;
}

type Credentials = Readonly<Record<'test' | 'live', CredentialJson>>;

async function askToken(url: string, { user, secret }: CredentialJson): Promise<string | undefined> {
  const response = await fetch(`${url}/token`, { method: 'POST', body: JSON.stringify({ user, pass: secret }) });
  const { id_token } = (await response.json()) as { id_token?: string };
  return response.status === 200 ? id_token : undefined;
}

async function get(url: string, token: string, path: string): Promise<{ status: number; json: unknown }> {
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, json: await response.json() };
}

async function tokenOf(url: string, credential: CredentialJson): Promise<string> {
  const token = await askToken(url, credential);
  assert.ok(token, 'the credentials are good');
  return token;
}

async function addMerchant(variables: Readonly<Record<string, string>>, merchantId: string): Promise<Credentials> {
  const { credentials } = await offerbookHere(variables, 'merchant', 'add', merchantId, '--name', 'Acme Inc.');
  return credentials as Credentials;
}

describe('a running server', () => {
  let variables: Readonly<Record<string, string>> & { readonly DATA_DIR: string };
  let server: ServeProcess;
  /** Added before the first start. */
  const made = new Map<string, Credentials>();
  before(async () => {
    variables = { DATA_DIR: await mkdtemp(path.join(tmpdir(), 'offerbook-test-')), LOG_LEVEL: 'silent' };
    for (const name of ['acme', 'rolled', 'overlap', 'signing']) made.set(name, await addMerchant(variables, name));
    server = await startServeProcess(variables, []);
  });
  after(async () => {
    await server?.stop('SIGKILL');
    await rm(variables.DATA_DIR, { recursive: true, maxRetries: 20 });
  });
  const notices = new PromisedTime(NOTICE_MS);
  const credentialsOf = (merchantId: string) => made.get(merchantId) ?? assert.fail();

  it('shows an added node', async () => {
    const credentials = credentialsOf('acme');
    const token = await tokenOf(server.url, credentials.test);
    assert.deepEqual(await get(server.url, token, '/fulfillment-nodes'), {
      status: 200,
      json: { fulfillment_nodes: [] },
    });
    const { fulfillment_node } = await offerbookJson(
      variables,
      ...['node', 'add', 'east', '--merchant', 'acme', '--rates', 'flat', '--method', 'Freight', '--level', 'Standard'],
    );
    const shown = await notices.wait('the node to be shown', async () => {
      const { json } = await get(server.url, token, '/fulfillment-nodes');
      return (json as { fulfillment_nodes: unknown[] }).fulfillment_nodes[0];
    });
    assert.deepEqual(shown, fulfillment_node);
  });

  it('accepts a merchant that was added after its start', async () => {
    const { credentials } = await offerbookJson(variables, 'merchant', 'add', 'later', '--name', 'Later Ltd.');
    const { live } = credentials as Record<'live', CredentialJson>;
    await notices.wait('a token', () => askToken(server.url, live));
  });

  it('refuses replaced credentials and their tokens, and accepts the new ones', async () => {
    const credentials = credentialsOf('rolled');
    const oldToken = await tokenOf(server.url, credentials.test);
    const liveToken = await tokenOf(server.url, credentials.live);
    assert.equal((await get(server.url, oldToken, '/authcheck')).status, 200);

    const rolled = await offerbookJson(variables, 'keys', 'roll', '--merchant', 'rolled', '--env', 'test');
    const refused = await notices.wait('the old token to be refused', async () => {
      const answer = await get(server.url, oldToken, '/authcheck');
      return answer.status === 200 ? undefined : answer;
    });
    const { details } = refused.json as { details: { code: string }[] };
    assert.deepEqual([refused.status, details.map(({ code }) => code)], [401, ['token_revoked']]);
    assert.equal(await askToken(server.url, credentials.test), undefined);
    const newToken = await tokenOf(server.url, rolled.credentials as CredentialJson);
    assert.equal((await get(server.url, newToken, '/authcheck')).status, 200);
    assert.equal((await get(server.url, liveToken, '/authcheck')).status, 200, 'the other environment still works');
  });

  it('accepts old and new credentials during an overlap', async () => {
    const credentials = credentialsOf('overlap');
    const oldToken = await tokenOf(server.url, credentials.live);
    const rolled = await offerbookJson(
      variables,
      ...['keys', 'roll', '--merchant', 'overlap', '--env', 'live', '--overlap', '1h'],
    );
    const newToken = await notices.wait('a token for the new set', () =>
      askToken(server.url, rolled.credentials as CredentialJson),
    );
    await tokenOf(server.url, credentials.live);
    for (const token of [oldToken, newToken]) {
      assert.equal((await get(server.url, token, '/authcheck')).status, 200);
    }
  });

  it('still accepts tokens of a rolled signing key, until it is revoked', async () => {
    const credentials = credentialsOf('signing');
    const first = await tokenOf(server.url, credentials.test);
    const { key_id } = await offerbookJson(variables, 'signing-key', 'roll');
    const second = await notices.wait('a token of the new key', async () => {
      const token = await tokenOf(server.url, credentials.test);
      const header = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString('utf8'));
      return header.kid === key_id ? token : undefined;
    });
    for (const token of [first, second]) assert.equal((await get(server.url, token, '/authcheck')).status, 200);

    await offerbookJson(variables, 'signing-key', 'roll', '--revoke', '--yes');
    for (const token of [first, second]) {
      await notices.wait('the token to be refused', async () => {
        return (await get(server.url, token, '/authcheck')).status === 401 ? true : undefined;
      });
    }
    await tokenOf(server.url, credentials.test);
  });

  it('did so within two seconds', () => notices.assertKept());
});

describe('the end of a server', () => {
  it('prints its address as JSON and stops cleanly at a signal, even if two arrive at once', async (t) => {
    const variables = { DATA_DIR: await tempFolder(), LOG_LEVEL: 'silent' };
    const server = await startServeProcess(variables, ['--json']);
    t.after(() => server.stop('SIGKILL'));
    const printed = await waitUntil('its address', 30_000, async () => /^\{.*\}$/m.exec(server.output())?.[0]);
    assert.deepEqual(JSON.parse(printed), { url: server.url });
    // Both signals are sent while the process is stopped. On a busy machine, the second could otherwise arrive late and end it immediately.
    for (const signal of ['SIGSTOP', 'SIGINT', 'SIGTERM'] as const) server.process.kill(signal);
    assert.equal(await server.stop('SIGCONT'), 0);
  });

  it('ends immediately at a second signal while requests are in flight', async (t) => {
    const variables = { DATA_DIR: await tempFolder(), LOG_LEVEL: 'silent', STOP_SECONDS: '3600' };
    const server = await startServeProcess(variables, []);
    t.after(() => server.stop('SIGKILL'));
    const { hostname, port } = new URL(server.url);
    const slow = connect(Number(port), hostname);
    t.after(() => slow.destroy());
    slow.on('error', () => {});
    slow.write('POST /token HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n');
    const [received] = (await once(slow, 'data')) as [Buffer];
    assert.match(received.toString('latin1'), /^HTTP\/1\.1 100 /, 'the request is under way');
    server.process.kill('SIGTERM');
    // Signals in quick succession are merged, so this repeats the signal until the process is gone.
    const exit = await waitUntil('the end', 60_000, async () => {
      server.process.kill('SIGTERM');
      return server.process.exitCode ?? undefined;
    });
    assert.equal(exit, 1);
  });
});
