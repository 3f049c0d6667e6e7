/** Tests image review: each image is fetched from a test server and checked once for all offers that use it. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { MarkKind } from '../../src/domain/vocabulary/image-failures.ts';
import { imageHashes } from '../../src/review/hash-of-image.ts';
import { sampleFile } from '../../src/review/images/testing/marked-images.ts';
import { testDecoders } from '../../src/review/images/testing/test-decoders.ts';
import type { ApiClient } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withSetupStore } from '../harness/own-server.ts';
import { PromisedTime } from '../harness/promised-time.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { startImageHost } from './fixtures/image-host.ts';
import type { Fields } from './fixtures/sku-bounds.ts';

const AVAILABLE = ['Available For Purchase', []];
const MISSING_IMAGE = ['Missing Listing Data', ['Missing image']];

const host = await startImageHost();
after(() => host.close());
const decoders = testDecoders();

async function pricedSku(api: ApiClient, fields: Fields): Promise<string> {
  const path = await api.uploadedSku({ ...api.newProductCodes(), ...fields });
  await api.accepted('PUT', `${path}/price`, { price: 5 });
  return path;
}

async function statusOf(api: ApiClient, path: string) {
  const { status, sub_status } = await api.found(path);
  return [status, sub_status];
}

async function imageCheck(api: ApiClient, path: string, id = 'main_image') {
  const { checks } = await api.found(`${path}/review`);
  const found = (checks as { check: string; state: string; evidence: Fields; remedy: string }[]).find(
    ({ check }) => check === id,
  );
  assert.ok(found);
  return found;
}

describeApi(
  'review of images',
  ({ accepts }) => {
    accepts('IMAGE-01', 'a valid image, with its details', async (api) => {
      const path = await pricedSku(api, { main_image_url: host.address('good') });
      assert.deepEqual(await statusOf(api, path), AVAILABLE);
      const { state, evidence } = await imageCheck(api, path);
      assert.equal(state, 'passed');
      const { verdict, http_status, type, width, height, frames } = evidence;
      assert.deepEqual([verdict, http_status, type, width, height, frames], ['passed', 200, 'image/jpeg', 600, 600, 1]);
      const checked_at = String(evidence.checked_at);
      assert.equal(new Date(checked_at).toISOString(), checked_at, 'times are texts');
      assert.ok(Math.abs(Date.now() - Date.parse(checked_at)) < 60_000, checked_at);
      assert.deepEqual(
        Object.keys(evidence).filter((name) => name.endsWith('_ms')),
        [],
      );
    });

    for (const [kind, failure] of [
      ['blank', 'blank'],
      ['placeholder', 'placeholder'],
      ['text', 'not_an_image'],
      ['gone', 'http_refused'],
    ] as const) {
      accepts('IMAGE-02', `an image that is ${kind}: missing image, until there is another`, async (api) => {
        const path = await pricedSku(api, { main_image_url: host.address(kind) });
        assert.deepEqual(await statusOf(api, path), MISSING_IMAGE);
        const { state, evidence, remedy } = await imageCheck(api, path);
        assert.deepEqual([state, evidence.failures], ['failed', [failure]]);
        assert.match(remedy, /^Replace the main image: /);
        await api.uploadedSku({ main_image_url: host.address('good') }, path.split('/').at(-1));
        assert.deepEqual(await statusOf(api, path), AVAILABLE);
      });
    }
    accepts('IMAGE-02', 'an alternate image that is not an image, next to a good one', async (api) => {
      const alternate_images = [
        { image_slot_id: 1, image_url: host.address('good') },
        { image_slot_id: 2, image_url: host.address('text') },
      ];
      const path = await pricedSku(api, { main_image_url: host.address('good'), alternate_images });
      assert.deepEqual(await statusOf(api, path), MISSING_IMAGE);
      assert.match((await imageCheck(api, path, 'alternate_images')).remedy, /image 2/);
    });
    accepts('IMAGE-11', 'an image of 400 x 100 pixels, but none of 399 x 100, and no GIF', async (api) => {
      assert.deepEqual(await statusOf(api, await pricedSku(api, { main_image_url: host.address('least') })), AVAILABLE);
      for (const [kind, failure] of [
        ['small', 'too_small'],
        ['gif', 'gif'],
      ] as const) {
        const path = await pricedSku(api, { main_image_url: host.address(kind) });
        assert.deepEqual(await statusOf(api, path), MISSING_IMAGE);
        assert.deepEqual((await imageCheck(api, path)).evidence.failures, [failure]);
      }
    });
    accepts('IMAGE-10', 'a swatch URL, checked but of one color; any other value, not checked', async (api) => {
      const withSwatch = (kind: Parameters<typeof host.address>[0]) =>
        pricedSku(api, { main_image_url: host.address('good'), swatch_image_url: host.address(kind) });
      const path = await withSwatch('text');
      assert.deepEqual(await statusOf(api, path), MISSING_IMAGE);
      const { evidence, remedy } = await imageCheck(api, path, 'alternate_images');
      assert.match(remedy, /^Replace or remove swatch_image_url: The URL does not return an image\./);
      assert.equal((evidence.images as readonly { field: string }[])[0]?.field, 'swatch_image_url');
      assert.deepEqual(await statusOf(api, await withSwatch('blank')), AVAILABLE);
      const plain = await pricedSku(api, { main_image_url: host.address('good'), swatch_image_url: 'navy' });
      assert.deepEqual(await statusOf(api, plain), AVAILABLE);
    });
    accepts('IMAGE-02', 'an image on an address of this machine that is not allowed', async (api) => {
      const path = await pricedSku(api, { main_image_url: 'http://127.0.0.1:9/x.jpg' });
      assert.deepEqual(await statusOf(api, path), MISSING_IMAGE);
      assert.deepEqual((await imageCheck(api, path)).evidence.failures, ['host_not_public']);
    });

    accepts('IMAGE-05', 'offers of known images: a final status within 2 seconds of the last write', async (api) => {
      const main_image_url = host.address('good');
      await statusOf(api, await pricedSku(api, { main_image_url }));
      const finals = new PromisedTime(2_000);
      for (let n = 0; n < 5; n++) {
        const path = await pricedSku(api, { main_image_url });
        const final = await finals.wait('a final status', async () => {
          const { status } = await api.foundNow(path);
          return status === 'Under Jet Review' ? undefined : status;
        });
        assert.equal(final, 'Available For Purchase');
      }
      finals.assertKept();
    });

    accepts(
      'IMAGE-03',
      'one fetch for all offers of an image, and another when a re-check is requested',
      async (api) => {
        const main_image_url = host.address('good');
        const path = await pricedSku(api, { main_image_url });
        assert.deepEqual(await statusOf(api, path), AVAILABLE);
        for (let n = 0; n < 3; n++)
          assert.deepEqual(await statusOf(api, await pricedSku(api, { main_image_url })), AVAILABLE);
        assert.equal(host.asked(main_image_url), 1);
        await api.accepted('POST', `${path}/review`, undefined);
        await waitUntil('another fetch', 60_000, async () => (host.asked(main_image_url) === 2 ? true : undefined));
        assert.deepEqual(await statusOf(api, path), AVAILABLE);
      },
    );
    accepts('IMAGE-03', 'a re-check that finds another image: for all offers that show it', async (api) => {
      const main_image_url = host.address('good');
      const path = await pricedSku(api, { main_image_url });
      assert.deepEqual(await statusOf(api, path), AVAILABLE);
      const other = await (await api.inEnvironment('live')).uploadedSku({ ...api.newProductCodes(), main_image_url });
      const alternate_images = [{ image_slot_id: 1, image_url: main_image_url }];
      const third = await pricedSku(api, { main_image_url: host.address('good'), alternate_images });
      assert.deepEqual(await statusOf(api, third), AVAILABLE);
      host.spoil(main_image_url);
      await api.accepted('POST', `${path}/review`, undefined);
      for (const shown of [path, other, third]) {
        await waitUntil(`the image of ${shown} to be missed`, 60_000, async () => {
          const client = shown === other ? await api.inEnvironment('live') : api;
          const { sub_status } = await client.foundNow(shown);
          return (sub_status as readonly string[]).includes('Missing image') ? true : undefined;
        });
      }
      assert.equal(host.asked(main_image_url), 2);
    });
  },
  { IMAGE_CHECK: 'on', IMAGE_ALLOWED_HOSTS: host.host },
);

describeApi(
  'review of logos and watermarks',
  ({ accepts }) => {
    accepts('IMAGE-07', 'a logo that operators added: missing image, with the name of the logo', (api) =>
      isFound(api, 'logo', 'The image shows only a logo. Use one that shows the product.'),
    );
    accepts('IMAGE-08', 'a watermark that operators added: missing image, with the name of the watermark', (api) =>
      isFound(api, 'watermark', 'The image has a watermark. Use one without it.'),
    );
    accepts('IMAGE-09', 'checked images: fetched once more for a new sample, not for a removed one', async (api) => {
      const [marked, good] = [host.address('watermark'), host.address('good')];
      const path = await pricedSku(api, { main_image_url: marked });
      assert.deepEqual(await statusOf(api, path), AVAILABLE);
      assert.deepEqual(await statusOf(api, await pricedSku(api, { main_image_url: good })), AVAILABLE);
      const hash = await addSample(api, 'watermark');
      await becomes(api, path, MISSING_IMAGE);
      await waitUntil('the other fetch', 60_000, async () => (host.asked(good) === 2 ? true : undefined));
      await removeSample(api, hash);
      await becomes(api, path, AVAILABLE);
      await addSample(api, 'watermark');
      await becomes(api, path, MISSING_IMAGE);
      assert.deepEqual([host.asked(marked), host.asked(good)], [2, 2]);
    });
  },
  { IMAGE_CHECK: 'on', IMAGE_ALLOWED_HOSTS: host.host },
);

async function isFound(api: ApiClient, kind: MarkKind, remedy: string): Promise<void> {
  const hash = await addSample(api, kind);
  const path = await pricedSku(api, { main_image_url: host.address(kind) });
  await becomes(api, path, MISSING_IMAGE);
  const { state, evidence, remedy: shown } = await imageCheck(api, path);
  const { name, kind: found, score } = evidence.mark as Fields;
  assert.deepEqual([state, evidence.failures, found, name], ['failed', [kind], kind, 'ACME']);
  assert.ok(Number(score) > 0.55 && Number(score) <= 1, String(score));
  assert.ok(shown.startsWith(`Replace the main image: ${remedy} Found: ACME. `), shown);
  const good = await pricedSku(api, { main_image_url: host.address('good') });
  assert.deepEqual(await statusOf(api, good), AVAILABLE);
  const { checks } = (await imageCheck(api, good)).evidence;
  assert.equal((checks as Fields)[kind], 'passed');
  await removeSample(api, hash);
}

async function addSample(api: ApiClient, kind: MarkKind): Promise<string> {
  const made = await imageHashes(decoders).sampleOfImage(await sampleFile(4), kind);
  assert.ok('hash' in made);
  await withSetupStore(api.server.place, (store) => store.policies.addPlaceholder({ ...made, note: 'ACME' }));
  return made.hash;
}

async function removeSample(api: ApiClient, hash: string): Promise<void> {
  await withSetupStore(api.server.place, (store) => store.policies.removePlaceholder(hash));
}

async function becomes(api: ApiClient, path: string, expected: readonly unknown[]): Promise<void> {
  await waitUntil(`${path} to be ${expected}`, 60_000, async () =>
    isDeepStrictEqual(await statusOf(api, path), expected) ? true : undefined,
  );
}

describeApi(
  'review of slow images',
  ({ accepts }) => {
    accepts('IMAGE-04', 'an image that is being fetched: under review, with known sub-statuses', async (api) => {
      const held = await startImageHost();
      try {
        const address = held.address('held').replace('127.0.0.1', 'localhost');
        const path = await api.uploadedSku({ ...api.newProductCodes(), main_image_url: address });
        await waitUntil('the fetch', 60_000, async () => (held.asked(address) === 1 ? true : undefined));
        const { status, sub_status } = await api.foundNow(path);
        assert.deepEqual([status, sub_status], ['Under Jet Review', ['Missing price']]);
        const other = await pricedSku(api, { main_image_url: host.address('good') });
        assert.deepEqual(await statusOf(api, other), AVAILABLE, 'others do not wait');
        held.release();
        assert.deepEqual(await statusOf(api, path), ['Missing Listing Data', ['Missing price']]);
      } finally {
        await held.close();
      }
    });
    accepts('IMAGE-06', 'an image whose host fails: what failed, and the time of the next attempt', async (api) => {
      const failing = await startImageHost();
      try {
        const path = await pricedSku(api, {
          main_image_url: failing.address('down').replace('127.0.0.1', 'localhost'),
        });
        const tried = await waitUntil('the failed try', 60_000, async () => {
          const { next, checks } = await api.foundNow(`${path}/review`);
          const check = (checks as Fields[]).find((it) => it.check === 'main_image');
          const last = (check?.evidence as Fields | undefined)?.last_try as Fields | undefined;
          return last?.next_try_at == null ? undefined : { next, check, last };
        });
        assert.deepEqual([tried.next, tried.check?.next, tried.check?.state], ['merchant', 'merchant', 'pending']);
        assert.match(
          String(tried.check?.remedy),
          /The server retries automatically\. The image server returned an error/,
        );
        const { failures, tries, http_status, checked_at, next_try_at } = tried.last;
        assert.deepEqual([failures, Number(tries) > 0, http_status], [['http_failed'], true, 503]);
        assert.ok(Date.parse(String(next_try_at)) > Date.parse(String(checked_at)), `${checked_at} ${next_try_at}`);
        failing.comeUp();
        await api.accepted('POST', `${path}/review`, undefined);
        assert.deepEqual(await statusOf(api, path), AVAILABLE);
        assert.equal((await imageCheck(api, path)).evidence.last_try, undefined);
      } finally {
        await failing.close();
      }
    });
    accepts('IMAGE-03', 'a re-check that is requested during a check: one more check follows', async (api) => {
      const held = await startImageHost();
      try {
        const address = held.address('held').replace('127.0.0.1', 'localhost');
        const path = await pricedSku(api, { main_image_url: address });
        await waitUntil('the fetch', 60_000, async () => (held.asked(address) === 1 ? true : undefined));
        await api.accepted('POST', `${path}/review`, undefined);
        held.release();
        await waitUntil('another fetch', 60_000, async () => (held.asked(address) === 2 ? true : undefined));
        assert.deepEqual(await statusOf(api, path), AVAILABLE);
      } finally {
        await held.close();
      }
    });
  },
  { IMAGE_CHECK: 'on', IMAGE_ALLOWED_HOSTS: `${host.host},localhost` },
);
