/** Tests the demo merchant: when it is created, when it is refused, and what happens to it on a server without `--demo`. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { issueCredential } from '../../src/access/tokens/secrets.ts';
import { databaseName, readSettings } from '../../src/config/settings.ts';
import { assertDemoIsSafe, DemoRefusedError, openDemo } from '../../src/demo/demo-merchant.ts';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../../src/demo/demo-people.ts';
import { ApiClient, assertProblems, noSuchAddress, requestProblem, requestToken } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withOfferbook, withSetupStore } from '../harness/own-server.ts';
import { withPlace } from '../harness/store-place.ts';

const SUSPENDED_LINE =
  'The demo merchant was suspended and its portal users were removed, because their secrets are public. --demo restores them.';
const ABSENT_LINE = 'No demo merchant was added: this database has other merchants.';
const REVOKED = requestProblem(
  'token_revoked',
  'The API key that this token was issued for was replaced or revoked. Request a token with the current key.',
);

/** A client of a server that runs on the folder. Only its URL and spelling are used. */
async function clientAt(api: ApiClient, url: string): Promise<ApiClient> {
  return new ApiClient({ ...api.server, url }, api.variant, await requestToken(url, 'test'));
}

const demo = (api: ApiClient) => ({ demo: true, settings: api.variant.settings });
const plain = (api: ApiClient) => ({ demo: false, settings: api.variant.settings });

describeApi('demo', ({ accepts, refuses }) => {
  accepts('DEMO-01', 'the demo credentials and setup in both environments', async (api) => {
    for (const environment of ['test', 'live'] as const) {
      const client = await api.inEnvironment(environment);
      assert.deepEqual(await client.found('/fulfillment-nodes'), {
        fulfillment_nodes: [
          {
            fulfillment_node_id: 'demo-node-east',
            rate_kind: 'flat',
            shipping_methods: ['<carrier_2> Ground', '<carrier_2> 2 Day', '<carrier_4> Ground'],
            service_levels: ['Standard', 'Second Day', 'Expedited'],
          },
          {
            fulfillment_node_id: 'demo-node-west',
            rate_kind: 'per_pound',
            shipping_methods: ['<carrier_4> Ground', 'Freight'],
            service_levels: ['Standard', 'Scheduled (freight)'],
          },
        ],
      });
      assert.deepEqual(await client.found('/setup/returnsLocations'), {
        return_locations: [{ return_location_id: 'demo-returns-east' }, { return_location_id: 'demo-returns-west' }],
        time_to_return: 30,
        return_shipping_methods: ['<carrier_2> Ground'],
      });
    }
  });

  accepts('DEMO-02', 'an empty store, and says the address and the credentials', async (api) => {
    await withPlace(api.variant.store, async (place) => {
      const { said, result: url } = await withOfferbook(place, demo(api), async (running) => running);
      assert.deepEqual(said.slice(0, 5), [
        `Database       ${databaseName(readSettings({ ...place }))} (new)`,
        `API            ${url}`,
        `Docs           ${url}/docs/`,
        `API reference  ${url}/docs/api`,
        `Portal         ${url}/portal/`,
      ]);
      assert.ok(said.includes('  test  user demo-test-user  secret demo-test-secret'));
      assert.ok(said.includes('  live  user demo-live-user  secret demo-live-secret'));
      const call = '{"user":"demo-test-user","pass":"demo-test-secret"}';
      assert.ok(said.includes(`  curl -s ${url}/token -d '${call}'`));
    });
  });

  refuses('DEMO-02', 'to add the demo to a database that has merchants', async (api) => {
    await withPlace(api.variant.store, async (place) => {
      await withSetupStore(place, (store) => {
        const credentials = { test: issueCredential('test').stored, live: issueCredential('live').stored };
        const merchant = {
          merchantId: 'own',
          name: 'Own',
          timeToReturnDays: 30,
          returnShippingMethods: [],
          credentials,
        };
        return store.settings.addMerchant(merchant, Date.now());
      });
      const { said, result: token } = await withOfferbook(place, demo(api), (url) => requestToken(url, 'test'));
      assert.equal(token, undefined);
      assert.ok(said.includes(ABSENT_LINE));
      assert.ok(!said.some((line) => line.includes('demo-test-secret')));
    });
  });

  for (const [what, settings, message] of [
    ['production', { NODE_ENV: 'production' }, '--demo is refused: NODE_ENV is production. Unset NODE_ENV.'],
    [
      'a HOST for all',
      { HOST: '0.0.0.0' },
      '--demo is refused: HOST 0.0.0.0 is not a loopback address. Set it to 127.0.0.1.',
    ],
    [
      'a HOST that is not this machine',
      { HOST: '192.0.2.1' },
      '--demo is refused: HOST 192.0.2.1 is not a loopback address. Set it to 127.0.0.1.',
    ],
    ['HOST ::', { HOST: '::' }, '--demo is refused: HOST :: is not a loopback address. Set it to 127.0.0.1.'],
    [
      'a HOST that only looks it',
      { HOST: '127.0.0.1.x' },
      '--demo is refused: HOST 127.0.0.1.x is not a loopback address. Set it to 127.0.0.1.',
    ],
    [
      'a PUBLIC_URL elsewhere',
      { PUBLIC_URL: 'https://api.example' },
      '--demo is refused: PUBLIC_URL https://api.example is not a loopback address. Unset PUBLIC_URL.',
    ],
    [
      'a PUBLIC_URL that only looks loopback',
      { PUBLIC_URL: 'http://localhost.example:81' },
      '--demo is refused: PUBLIC_URL http://localhost.example:81 is not a loopback address. Unset PUBLIC_URL.',
    ],
  ] as const) {
    refuses('DEMO-03', `the demo with ${what}, before it changes anything`, async (api) => {
      await withPlace(api.variant.store, async (place) => {
        const started = withOfferbook(place, { demo: true, settings }, async () => {});
        await assert.rejects(started, new DemoRefusedError(message));
        assert.deepEqual(await readdir(place.DATA_DIR), []);
      });
    });
  }

  accepts('DEMO-03', 'the demo on loopback under any of its names', async (api) => {
    for (const host of ['127.0.0.1', '127.8.9.10', 'localhost', 'LOCALHOST', '::1'])
      assertDemoIsSafe({ host, publicUrl: undefined, nodeEnv: 'development' });
    for (const publicUrl of ['http://localhost:80/x', 'https://127.0.0.1', 'http://[::1]:8080'])
      assertDemoIsSafe({ host: '127.0.0.1', publicUrl, nodeEnv: '' });
    await withPlace(api.variant.store, async (place) => {
      const settings = { ...api.variant.settings, HOST: 'localhost', PUBLIC_URL: 'http://[::1]:8080/x/' };
      const { said } = await withOfferbook(place, { demo: true, settings }, async () => {});
      assert.equal(said[1], 'API            http://[::1]:8080/x');
    });
  });

  accepts('DEMO-06', 'the shop and its calls without a token, as the storefront calls answer', async (api) => {
    const { url } = api.server;
    const at = async (path: string) => {
      const answer = await fetch(`${url}/shop${path}`);
      return { status: answer.status, url: answer.url, headers: answer.headers, text: await answer.text() };
    };
    const page = await at('');
    assert.deepEqual([page.status, page.url], [200, `${url}/shop/`]);
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'self';/);
    assert.match(page.text, /data-currency="USD"/);
    for (const file of ['/shop.js', '/shop.css']) assert.equal((await at(file)).status, 200);
    assert.deepEqual(JSON.parse((await at('/api/products?q=none')).text), { products: [] });
    assert.deepEqual(JSON.parse((await at('/api/events?after=latest')).text).events, []);
    const { headers, text } = await at('/api/products?colour=red');
    assert.match(headers.get('content-type') ?? '', /^application\/json/);
    assert.deepEqual(JSON.parse(text).errors, ['colour: unknown parameter.']);
    const none = await at(`/api/products/${encodeURIComponent('offer:demo:a/b')}`);
    assert.deepEqual(JSON.parse(none.text).details[0].code, 'product_not_found');
  });

  refuses('DEMO-06', 'every address of the shop without the demo or the storefront, and other calls', async (api) => {
    const paths = [
      '/shop',
      '/shop/',
      '/shop/shop.js',
      '/shop/api/products',
      '/shop/api/products/x',
      '/shop/api/events',
    ];
    const assertNone = async (url: string, asked: readonly string[]) => {
      const client = await clientAt(api, url);
      for (const path of asked) assertProblems(await client.get(path), [noSuchAddress('GET', path)], 404);
    };
    await assertNone(api.server.url, ['/shop/no-such-file', '/shop/api', '/shop/api/merchants']);
    await withPlace(api.variant.store, async (place) => {
      await withOfferbook(place, { ...demo(api), settings: { ...demo(api).settings, STOREFRONT: 'off' } }, (url) =>
        assertNone(url, paths),
      );
      await withOfferbook(place, { ...plain(api), settings: { ...plain(api).settings, STOREFRONT: 'on' } }, (url) =>
        assertNone(url, paths),
      );
    });
  });

  accepts('DEMO-04', 'a plain start without creating a demo', async (api) => {
    await withPlace(api.variant.store, async (place) => {
      const { said, result: token } = await withOfferbook(place, plain(api), (url) => requestToken(url, 'test'));
      assert.equal(token, undefined);
      assert.equal(said.length, 5);
    });
  });

  refuses('DEMO-05', 'the demo merchant on a plain start, says so, and resumes it with --demo', async (api) => {
    await withPlace(api.variant.store, async (place) => {
      const { said: first, result: token } = await withOfferbook(place, demo(api), async (url) => {
        await (await clientAt(api, url)).uploadedSku({}, 'kept');
        return requestToken(url, 'test');
      });
      assert.ok(!first.includes(SUSPENDED_LINE));

      const { said: second } = await withOfferbook(place, plain(api), async (url) => {
        assert.equal(await requestToken(url, 'test'), undefined);
        const client = new ApiClient({ ...api.server, url }, api.variant, token ?? assert.fail());
        assertProblems(await client.get('/merchant-skus/kept'), [REVOKED], 401);
      });
      assert.ok(second.includes(SUSPENDED_LINE));
      assert.ok(!second.some((line) => line.includes('demo-test-secret')));

      const { said: third } = await withOfferbook(place, demo(api), async (url) => {
        assert.equal((await (await clientAt(api, url)).get('/merchant-skus/kept')).status, 200);
      });
      assert.ok(third.includes('  test  user demo-test-user  secret demo-test-secret'));
    });
  });

  refuses('DEMO-05', 'demo credentials that an import adds to a running plain server', async (api) => {
    await withPlace(api.variant.store, async (place) => {
      await withOfferbook(place, plain(api), async (url) => {
        await withSetupStore(place, (store) => openDemo(store, Date.now()));
        for (const environment of ['test', 'live'] as const) {
          assert.equal(await requestToken(url, environment), undefined);
        }
        // Passwords that differ only in the width of letters are the same.
        for (const password of [DEMO_PASSWORD, 'ｄemo-password']) {
          const body = JSON.stringify({ email: DEMO_PEOPLE.operator, password });
          const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
          const answer = await fetch(`${url}/portal/api/session`, { method: 'POST', headers, body });
          const refusal = [answer.status, ((await answer.json()) as Partial<ErrorBody>).details?.[0]?.code];
          assert.deepEqual(refusal, [400, 'sign_in_wrong']);
        }
        const { demo, demo_logins } = (await (await fetch(`${url}/portal/api/session`)).json()) as SessionBody;
        assert.deepEqual({ demo, demo_logins }, { demo: false, demo_logins: [] });
      });
    });
  });
});

interface SessionBody {
  readonly demo: boolean;
  readonly demo_logins: readonly unknown[];
}

interface ErrorBody {
  readonly details: readonly { readonly code: string }[];
}
