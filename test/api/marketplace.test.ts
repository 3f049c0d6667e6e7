/** Tests the operator's calls for programs: every example of the marketplace's document, and what the portal checks too. */
import assert from 'node:assert/strict';
import { Check } from 'typebox/schema';
import { issueCredential } from '../../src/access/tokens/secrets.ts';
import { SCOPE } from '../../src/domain/setup/key-scopes.ts';
import { MARKETPLACE_EXAMPLES } from '../../src/http/openapi/marketplace-examples.ts';
import { ApiClient, requestProblem } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { describedCalls, readOpenApi, responseOf, withoutReferences } from '../harness/openapi-document.ts';
import { askToken, changeSetup, tokenOf } from './fixtures/token-calls.ts';

const DAY_MS = 86_400_000;
const COPYCAT = { kind: 'excluded_brand', brand: 'Copycat' };

interface Changes {
  readonly changes: readonly { readonly id: number; readonly by: string; readonly act: string }[];
}

/** Adds a live key with `operate`; returns its user name and a client with its token. */
async function operatorOf(api: ApiClient): Promise<{ user: string; key: ApiClient }> {
  const { user, secret, stored } = issueCredential('live');
  await changeSetup(api, async ({ settings }) => {
    const account = await settings.addMarketplaceAccount('live');
    const rights = { scopes: SCOPE.operate, skuPrefix: '', name: 'dashboard' };
    await settings.addCredential(account, { ...stored, ...rights }, Date.now(), 99);
  });
  return { user, key: new ApiClient(api.server, api.variant, tokenOf(await askToken(api, user, secret))) };
}

async function newestAct(api: ApiClient): Promise<readonly [by: string, act: string, subject: string]> {
  let found: readonly [string, string, string] | undefined;
  await changeSetup(api, async ({ people }) => {
    const [act] = await people.listActs(Number.MAX_SAFE_INTEGER, 1);
    found = [act?.by ?? '', act?.act ?? '', act?.subject ?? ''];
  });
  return found ?? assert.fail();
}

describeApi('calls of the marketplace', ({ accepts, refuses }) => {
  accepts('SCOPE-09', 'every example of its document, with the described response', async (api) => {
    const { key } = await operatorOf(api);
    const document = await readOpenApi(api.server.url, 'marketplace/');
    const calls = new Map(describedCalls(document).map((call) => [call.operation.operationId, call]));
    const others = ['createToken', 'checkToken', 'getMarketplaceOpenApi'];
    const operator = [...calls.keys()].filter(
      (id) => !others.includes(id) && !calls.get(id)?.path.startsWith('/storefront'),
    );
    assert.deepEqual(Object.keys(MARKETPLACE_EXAMPLES).toSorted(), operator.toSorted());
    const enforced_from = new Date(Date.now() + 2 * DAY_MS).toISOString();
    let changeId = 0;
    for (const [id, { path, query = {}, body }] of Object.entries(MARKETPLACE_EXAMPLES)) {
      const { method, path: pattern, operation } = calls.get(id) ?? assert.fail(id);
      const asked = Object.entries({ ...query, ...('enforced_from' in query && { enforced_from }) });
      const parameters = new URLSearchParams(asked.map(([name, value]): [string, string] => [name, String(value)]));
      const target = `${pattern.replace(/\{\w+\}/, path ?? String(changeId))}?${parameters}`;
      // The names of the response are those of its schema, which a client of the tests would translate.
      const response = await fetch(`${api.server.url}${target}`, {
        method,
        headers: { authorization: `Bearer ${key.token}` },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const status = text === '' ? 202 : 200;
      assert.equal(response.status, status, `${id}: ${text}`);
      const media = responseOf(document, operation, status)?.content?.['application/json'];
      assert.equal(media === undefined, status === 202, id);
      const answer = media && (JSON.parse(text) as Partial<Changes>);
      if (media !== undefined) assert.ok(Check(withoutReferences(document, media.schema), answer), `${id}: ${text}`);
      changeId = answer?.changes?.[0]?.id ?? changeId;
    }
  });

  accepts('SCOPE-09', 'a preview, a change and its undo, which name the key', async (api) => {
    const { user, key } = await operatorOf(api);
    const before = await newestAct(api);
    const preview = await key.send('POST', '/marketplace/policies?preview=true', COPYCAT);
    assert.equal(preview.status, 200, preview.text);
    assert.deepEqual(await key.found('/marketplace/policies'), { policies: [] });
    assert.deepEqual(await newestAct(api), before);
    assert.equal((await key.send('POST', '/marketplace/policies', COPYCAT)).status, 200);
    assert.deepEqual(await newestAct(api), [`key ${user}`, 'addPolicy', 'Copycat']);
    const { changes } = (await key.get('/marketplace/rule-changes')).body as Changes;
    const [change] = changes;
    assert.deepEqual([change?.by, change?.act], [`key ${user}`, 'addPolicy']);
    assert.equal((await key.send('POST', `/marketplace/rule-changes/${change?.id}/undo`)).status, 200);
    assert.deepEqual(await key.found('/marketplace/policies'), { policies: [] });
    assert.equal((await newestAct(api))[0], `key ${user}`);
  });

  accepts('SCOPE-09', 'a suspension, which takes effect at once and ends', async (api) => {
    const { user, key } = await operatorOf(api);
    for (const [act, status] of [
      ['suspend', 403],
      ['resume', 200],
    ] as const) {
      assert.equal((await key.send('POST', `/marketplace/merchants/demo/${act}`)).status, 202);
      assert.deepEqual(await newestAct(api), [`key ${user}`, `${act}Merchant`, 'demo']);
      assert.equal((await api.get('/authcheck')).status, status);
    }
  });

  refuses('SCOPE-09', 'what the portal refuses, in the form of all errors, and records nothing', async (api) => {
    const { key } = await operatorOf(api);
    const before = await newestAct(api);
    const unknown = requestProblem('merchant_unknown', 'No merchant "nobody".');
    await key.refused('GET', '/marketplace/merchants/nobody', undefined, [unknown], 404);
    await key.refused('POST', '/marketplace/merchants/nobody/suspend', undefined, [unknown], 404);
    const required = { code: 'required', field: '/brand', message: 'brand: is required for excluded_brand' };
    await key.refused('POST', '/marketplace/policies', { kind: 'excluded_brand' }, [required]);
    const encoded = requestProblem('query_invalid', 'The path must be percent-encoded UTF-8 without NUL.');
    await key.refused('GET', '/marketplace/merchants/%ff', undefined, [encoded]);
    assert.deepEqual(await newestAct(api), before);
  });
});
