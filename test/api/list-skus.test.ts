/** Tests the list of a merchant's SKUs. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { SUB_STATUSES } from '../../src/domain/vocabulary/statuses.ts';
import { type ApiClient, assertProblems, requestProblem } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { archive } from './fixtures/check-order.ts';
import { addMerchant } from './fixtures/merchant-setup.ts';

/** Far longer than a review takes, so a test that waits this long has failed. */
const LISTED_MS_MAX = 60_000;

const urlOf = (skuId: string) => `merchant-skus/${encodeURIComponent(skuId)}`;

/** Uploads SKUs one after the other and returns their ids. */
async function uploadedIds(api: ApiClient, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => api.newSkuId());
  for (const id of ids) await api.uploadedSku({}, id);
  return ids;
}

/** A merchant without SKUs. */
async function newcomer(api: ApiClient): Promise<ApiClient> {
  return (await addMerchant(api)).test;
}

async function listed(api: ApiClient, query = ''): Promise<unknown> {
  return (await api.found(`/merchant-skus${query}`)).sku_urls;
}

/** The path and query of the next page, undefined on the last one. */
async function nextOf(api: ApiClient, path: string): Promise<string | undefined> {
  const link = (await api.get(path)).headers.get('link');
  if (link === null) return undefined;
  const [, url = ''] = /^<([^>]+)>; rel="next"$/.exec(link) ?? [];
  assert.ok(url.startsWith(`${api.server.url}/`), link);
  return url.slice(api.server.url.length);
}

/** Waits for the review and for the word index, which lags behind it. */
async function untilListed(api: ApiClient, query: string, ids: readonly string[]): Promise<void> {
  const expected = ids.map(urlOf);
  let urls: unknown;
  const isListed = async () => {
    urls = await listed(api, query);
    return isDeepStrictEqual(urls, expected) || undefined;
  };
  await waitUntil(`${query} to list ${expected}`, LISTED_MS_MAX, isListed).catch(() => {});
  assert.deepEqual(urls, expected, query);
}

/** A merchant with offers of several statuses: one for sale, two without a price, one of them without a brand, and one archived. */
async function withOffers(api: ApiClient): Promise<ApiClient> {
  const merchant = await newcomer(api);
  const fields = { vase: { product_title: 'Blue vase' }, 'plate/1': { product_title: 'Blue plate', brand: ' ' } };
  for (const [skuId, own] of Object.entries({ sold: {}, ...fields, gone: { product_title: 'Blue bowl' } })) {
    await merchant.uploadedSku({ ...merchant.newProductCodes(), ...own }, skuId);
  }
  await merchant.accepted('PUT', '/merchant-skus/sold/price', { price: 5 });
  await archive(merchant, '/merchant-skus/gone');
  return merchant;
}

describeApi('list of SKUs', ({ accepts, refuses }) => {
  accepts('LIST-01', 'no SKU yet: an empty list', async (api) => {
    const answer = await (await newcomer(api)).get('/merchant-skus');
    assert.deepEqual({ status: answer.status, body: answer.body }, { status: 200, body: { sku_urls: [] } });
    assert.equal(answer.headers.get('link'), null);
  });

  accepts('LIST-02', 'SKUs in the order of their first upload, whatever their ids', async (api) => {
    const merchant = await newcomer(api);
    for (const skuId of ['b', 'c', 'a', 'C']) await merchant.uploadedSku({}, skuId);
    await merchant.uploadedSku({ brand: 'Uploaded again' }, 'b');
    assert.deepEqual(await listed(merchant), ['b', 'c', 'a', 'C'].map(urlOf));
  });

  accepts('LIST-03', 'ids percent-encoded, each a path that works', async (api) => {
    const merchant = await newcomer(api);
    const ids = ['a/b?c#d', '100% ü', '🪴', '&limit=1', '%2F'];
    for (const skuId of ids) await merchant.uploadedSku({ brand: skuId }, skuId);
    const urls = (await listed(merchant)) as string[];
    assert.deepEqual(urls, ids.map(urlOf));
    for (const [index, url] of urls.entries()) assert.equal((await merchant.found(`/${url}`)).brand, ids[index]);
  });

  accepts('LIST-04', 'archived SKUs among the others', async (api) => {
    const merchant = await newcomer(api);
    const ids = await uploadedIds(merchant, 3);
    await archive(merchant, `/${urlOf(String(ids[1]))}`);
    assert.deepEqual(await listed(merchant), ids.map(urlOf));
  });

  accepts('LIST-05', 'only the SKUs of the account in its environment', async (api) => {
    const { test, live } = await addMerchant(api);
    const [inTest, inLive] = [await uploadedIds(test, 2), await uploadedIds(live, 1)];
    assert.deepEqual(await listed(test), inTest.map(urlOf));
    assert.deepEqual(await listed(live), inLive.map(urlOf));
  });

  accepts('LIST-06', 'at most 100 entries unless the request has another limit', async (api) => {
    const merchant = await newcomer(api);
    const ids = await uploadedIds(merchant, 101);
    assert.deepEqual(await listed(merchant), ids.slice(0, 100).map(urlOf));
    assert.deepEqual(await listed(merchant, '?limit=1'), ids.slice(0, 1).map(urlOf));
    assert.deepEqual(await listed(merchant, '?limit=101'), ids.map(urlOf));
    assert.deepEqual(await listed(merchant, '?limit=1000'), ids.map(urlOf));
  });
  for (const limit of ['0', '1001', '-1', '1.5', '1e2', 'x', '']) {
    refuses('LIST-06', `limit=${limit}`, async (api) => {
      const problem = requestProblem('query_invalid', 'limit: must be a whole number from 1 to 1000.');
      await api.refused('GET', `/merchant-skus?limit=${limit}`, undefined, [problem]);
    });
  }

  accepts('LIST-07', 'an offset, which skips that many', async (api) => {
    const merchant = await newcomer(api);
    const ids = await uploadedIds(merchant, 3);
    for (const offset of [0, 1, 2, 3, 2_147_483_647]) {
      assert.deepEqual(await listed(merchant, `?offset=${offset}`), ids.slice(offset).map(urlOf));
    }
    assert.deepEqual(await listed(merchant, '?offset=1&limit=1'), [urlOf(String(ids[1]))]);
  });
  for (const offset of ['-1', '2147483648', '0.5', 'x', '']) {
    refuses('LIST-07', `offset=${offset}`, async (api) => {
      const problem = requestProblem('query_invalid', 'offset: must be a whole number from 0 to 2147483647.');
      await api.refused('GET', `/merchant-skus?offset=${offset}`, undefined, [problem]);
    });
  }

  accepts('LIST-08', 'after, which starts the list after that SKU, with an offset from there', async (api) => {
    const merchant = await newcomer(api);
    for (const skuId of ['z', 'ü/1', 'a', 'b']) await merchant.uploadedSku({}, skuId);
    const after = `?after=${encodeURIComponent('ü/1')}`;
    assert.deepEqual(await listed(merchant, after), ['a', 'b'].map(urlOf));
    assert.deepEqual(await listed(merchant, `${after}&offset=1`), [urlOf('b')]);
    assert.deepEqual(await listed(merchant, '?after=b'), []);
  });
  refuses('LIST-08', 'after a SKU that was never uploaded, or only by another account', async (api) => {
    const merchant = await newcomer(api);
    const [foreign] = await uploadedIds(api, 1);
    for (const skuId of [api.newSkuId(), String(foreign)]) {
      const problem = requestProblem('after_unknown', `after: SKU ${skuId} not found.`);
      await merchant.refused('GET', `/merchant-skus?after=${skuId}`, undefined, [problem]);
    }
  });
  refuses('LIST-08', 'after an id that is not UTF-8', async (api) => {
    const problem = requestProblem('query_invalid', 'after: must be percent-encoded UTF-8.');
    await api.refused('GET', '/merchant-skus?after=%E4', undefined, [problem]);
  });

  for (const [after, text] of [
    ['', 'must not be empty.'],
    ['x'.repeat(65), 'must have at most 64 characters.'],
    ['..', 'must not be "." or "..".'],
    ['%00', 'must not contain NUL characters or unpaired surrogates.'],
  ] as const) {
    refuses('LIST-08', `after=${after}, which is not a SKU id`, async (api) => {
      const problem = requestProblem('sku_id_invalid', `after: ${text}`);
      await api.refused('GET', `/merchant-skus?after=${after}`, undefined, [problem]);
    });
  }

  accepts('LIST-09', 'a link to the next page, which leads through all SKUs once', async (api) => {
    const merchant = await newcomer(api);
    const ids = [...(await uploadedIds(merchant, 4)), 'ü/& 5'];
    await merchant.uploadedSku({}, 'ü/& 5');
    for (const limit of [1, 2, 4, 5, 6]) {
      const urls: unknown[] = [];
      let pages = 0;
      for (let path: string | undefined = `/merchant-skus?limit=${limit}`; path !== undefined; pages++) {
        urls.push(...((await merchant.found(path)).sku_urls as unknown[]));
        path = await nextOf(merchant, path);
      }
      assert.deepEqual({ urls, pages }, { urls: ids.map(urlOf), pages: Math.ceil(5 / limit) });
    }
  });
  accepts('LIST-09', 'a link that continues from an offset and keeps the limit', async (api) => {
    const merchant = await newcomer(api);
    const ids = await uploadedIds(merchant, 5);
    const next = await nextOf(merchant, '/merchant-skus?offset=1&limit=2');
    assert.equal(next, `/merchant-skus?after=${ids[2]}&limit=2`);
    assert.deepEqual(await listed(merchant, '?offset=3&limit=2'), ids.slice(3).map(urlOf));
    assert.equal(await nextOf(merchant, '/merchant-skus?offset=3&limit=2'), undefined);
  });

  accepts('LIST-10', 'unknown parameters, which it ignores', async (api) => {
    const merchant = await newcomer(api);
    const ids = await uploadedIds(merchant, 2);
    assert.deepEqual(await listed(merchant, '?color=red&SKU=x&skus=y&limit=2&&='), ids.map(urlOf));
  });

  refuses('LIST-11', 'several invalid parameters, naming each', async (api) => {
    assertProblems(await api.get('/merchant-skus?limit=0&offset=-1&after=%FF'), [
      requestProblem('query_invalid', 'after: must be percent-encoded UTF-8.'),
      requestProblem('query_invalid', 'offset: must be a whole number from 0 to 2147483647.'),
      requestProblem('query_invalid', 'limit: must be a whole number from 1 to 1000.'),
    ]);
  });

  accepts('LIST-12', 'filters by status, sub-status and words, and several at once', async (api) => {
    const merchant = await withOffers(api);
    for (const [query, ids] of [
      ['status=Available+For+Purchase', ['sold']],
      ['status=Missing%20Listing%20Data', ['vase', 'plate/1']],
      ['status=Archived', ['gone']],
      ['status=Excluded', []],
      ['sub_status=Missing+price', ['vase', 'plate/1']],
      ['sub_status=Missing+brand', ['plate/1']],
      ['q=blu', ['vase', 'plate/1', 'gone']],
      ['q=BLUE+va', ['vase']],
      ['q=red', []],
      ['status=Missing+Listing+Data&sub_status=Missing+price&q=plate', ['plate/1']],
    ] as const) {
      await untilListed(merchant, `?${query}`, ids);
    }
    await merchant.accepted('PUT', '/merchant-skus/vase/price', { price: 5 });
    await untilListed(merchant, '?status=Available+For+Purchase', ['sold', 'vase']);
  });
  accepts('LIST-12', 'words of 200 characters', async (api) => {
    assert.deepEqual(await listed(await newcomer(api), `?q=${'x'.repeat(200)}`), []);
  });
  const STATUS_NAMES =
    'Available For Purchase, Missing Listing Data, Under Jet Review, Unauthorized, Excluded, Archived';
  for (const [query, problem] of [
    ['status=Sold', `status: must be one of ${STATUS_NAMES}.`],
    ['status=', 'status: must not be empty.'],
    ['status=Archived&status=Archived', 'status: must be sent only once.'],
    ['sub_status=Missing+Price', `sub_status: must be one of ${SUB_STATUSES.join(', ')}.`],
    ['q=', 'q: must not be empty.'],
    ['q=%21-', 'q: must have a letter or a digit.'],
    [`q=${'x'.repeat(201)}`, 'q: must have at most 200 characters, and no NUL character.'],
    ['q=a&limit=1001', 'limit: must be a whole number from 1 to 1000.'],
  ] as const) {
    refuses('LIST-12', query.slice(0, 40), async (api) => {
      const answer = await api.get(`/merchant-skus?${query}`);
      assertProblems(answer, [requestProblem('query_invalid', problem)]);
    });
  }

  accepts('LIST-13', 'a filtered list of several pages, by the links', async (api) => {
    const merchant = await withOffers(api);
    const ids = ['vase', 'plate/1', 'gone'];
    const query = '?q=blue';
    await untilListed(merchant, query, ids);
    for (const limit of [1, 2, 3]) {
      const urls: unknown[] = [];
      let pages = 0;
      for (let path: string | undefined = `/merchant-skus${query}&limit=${limit}`; path !== undefined; pages++) {
        urls.push(...((await merchant.found(path)).sku_urls as unknown[]));
        path = await nextOf(merchant, path);
      }
      assert.deepEqual({ urls, pages }, { urls: ids.map(urlOf), pages: Math.ceil(3 / limit) });
    }
    const next = new URL(
      String(await nextOf(merchant, '/merchant-skus?limit=1&sub_status=Missing+price&q=blue')),
      api.server.url,
    ).searchParams;
    const { cursor, ...others } = Object.fromEntries(next);
    assert.deepEqual(others, { sub_status: 'Missing price', q: 'blue', limit: '1' });
    assert.deepEqual(await listed(merchant, `?cursor=${cursor}&q=bowl`), [urlOf('gone')]);
  });
  for (const cursor of ['x', 'WyJuZXdlc3QiLCIiLDFd', 'WyJvbGRlc3QiLCIiLC0xXQ']) {
    refuses('LIST-13', `cursor=${cursor}`, async (api) => {
      const text = 'cursor: must be from the `Link` header of an earlier page.';
      await api.refused('GET', `/merchant-skus?q=a&cursor=${cursor}`, undefined, [
        requestProblem('query_invalid', text),
      ]);
    });
  }

  for (const [query, problem] of [
    ['stauts=Archived', 'stauts: unknown filter (Did you mean status?).'],
    ['Status=Archived', 'Status: unknown filter (Did you mean status?).'],
    ['sub-status=Missing+price', 'sub-status: unknown filter (Did you mean sub_status?).'],
    ['q=a&color=red', 'color: unknown filter.'],
    ['q=a&sku=x', 'sku: not supported with a filter.'],
    ['q=a&after=x', 'after: not supported with a filter.'],
    ['q=a&offset=0', 'offset: not supported with a filter.'],
  ] as const) {
    refuses('LIST-14', query, async (api) => {
      await api.refused('GET', `/merchant-skus?${query}`, undefined, [requestProblem('query_invalid', problem)]);
    });
  }
});
