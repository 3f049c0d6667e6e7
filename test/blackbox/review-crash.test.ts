/** Tests that a killed review continues after the restart: no offer is lost or stuck. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startImageHost } from '../api/fixtures/image-host.ts';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { startServeProcess } from '../harness/serve-process.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { waitUntil } from '../harness/wait-until.ts';

const OFFERS = 200;
/** Kills during uploads, review and image fetches. */
const KILLED_AFTER_MS = [150, 400, 900];
/** Time until the leases of a killed process expire. */
const LEASES_MS_MAX = 180_000;

it('kill -9 in the middle of the review: all offers are reviewed in the end', { timeout: 400_000 }, async (t) => {
  const host = await startImageHost();
  t.after(() => host.close());
  const variables = {
    DATA_DIR: await tempFolder(),
    REQUESTS_PER_MINUTE: '1000000',
    IMAGE_CHECK: 'on',
    IMAGE_ALLOWED_HOSTS: host.host,
  };
  const images = Array.from({ length: 50 }, () => host.address('good'));
  const uploaded: string[] = [];
  for (const [round, kill_ms] of KILLED_AFTER_MS.entries()) {
    const server = await startServeProcess(variables);
    const token = await requestToken(server.url, 'test');
    const killed = pause(kill_ms).then(async () => {
      if (round === KILLED_AFTER_MS.length - 1) await waitUntil('an upload', 60_000, async () => uploaded[0]);
      return server.stop('SIGKILL');
    });
    const uploads = Array.from({ length: OFFERS / 10 }, async (_, lane) => {
      for (let n = 0; n < 10; n++) {
        const skuId = `round-${round}-${lane}-${n}`;
        const body = { ...minimalSku(), main_image_url: images[(lane * 10 + n) % images.length] };
        if (!(await wasStored(server.url, token, skuId, body))) return;
        uploaded.push(skuId);
      }
    });
    await Promise.all([killed, ...uploads]);
  }

  const server = await startServeProcess(variables);
  t.after(() => server.stop());
  const authorization = `Bearer ${await requestToken(server.url, 'test')}`;
  const left = new Set(uploaded);
  await waitUntil('the last verdict', LEASES_MS_MAX, async () => {
    for (const skuId of left) {
      const response = await fetch(`${server.url}${skuPath(skuId)}`, { headers: { authorization } });
      const { status, sub_status } = (await response.json()) as Record<string, unknown>;
      if (status === 'Under Jet Review') return undefined;
      assert.deepEqual([status, sub_status], ['Missing Listing Data', ['Missing price']]);
      left.delete(skuId);
    }
    return true;
  });
});

/** Returns false if the server was killed before it responded. */
async function wasStored(url: string, token: string, skuId: string, body: object): Promise<boolean> {
  try {
    const response = await fetch(`${url}${skuPath(skuId)}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    await response.arrayBuffer();
    assert.equal(response.status, 202);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
