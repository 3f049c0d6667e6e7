/** Tests what operators do with merchants, and the system page; on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { minimalSku, requestToken } from '../harness/api-client.ts';
import { BulkFiles } from '../harness/bulk-files.ts';
import { PortalClient } from '../harness/portal-client.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { VARIANTS_BY_SCOPE } from '../harness/variants.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

interface Row {
  readonly id: string;
  readonly created: string;
  readonly offers: Record<'test' | 'live', number>;
  readonly requests: Record<'test' | 'live', { readonly last_minute: number }>;
}

interface Listed {
  readonly limit_per_minute: number;
  readonly merchants: readonly Row[];
}

const NO_ROW: Row = {
  id: '',
  created: '',
  offers: { test: 0, live: 0 },
  requests: { test: { last_minute: 0 }, live: { last_minute: 0 } },
};

interface Added {
  readonly id: string;
  readonly credentials: Record<'test' | 'live', { readonly user: string; readonly secret: string }>;
}

interface Activity {
  readonly by_status: readonly { readonly status: string; readonly offers: number }[];
  readonly last_file: object | null;
  readonly last_request: object | null;
}

interface Details extends Record<string, unknown> {
  readonly activity: Record<'test' | 'live', Activity | null>;
  readonly requests: Record<'test' | 'live', { minutes: { at: string; requests: number }[] }>;
  readonly keys: Record<'test' | 'live', { user: string; created: string; last_used: string | null }[]>;
}

for (const { store: kind, skip } of VARIANTS_BY_SCOPE) {
  describe(`portal: operators and merchants (${kind})`, { skip }, () => {
    let server: TestServer;
    let operator: PortalClient;

    before(async () => {
      server = await startTestServer({ REQUESTS_PER_MINUTE: '5000' }, kind);
      operator = await PortalClient.signIn(server, 'operator');
    });
    after(() => server.close());

    const tokenAnswer = async ({ user, secret }: { user: string; secret: string }) => {
      const body = JSON.stringify({ user, pass: secret });
      const answer = await fetch(`${server.url}/token`, { method: 'POST', body });
      return { status: answer.status, body: (await answer.json()) as Record<string, string> };
    };

    it('add a merchant whose keys work, and see its offers and requests', async () => {
      const added = await operator.found<Added>('POST', '/merchants', {
        merchant_id: 'acme',
        name: 'Acme Inc.',
        time_to_return: 14,
        return_shipping_methods: ['Freight'],
      });
      assert.equal(added.id, 'acme');
      await PortalClient.signIn(server, 'merchant-viewer', 'acme');
      const { body } = await tokenAnswer(added.credentials.live);
      const stored = await fetch(`${server.url}/merchant-skus/pot`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${body.id_token}` },
        body: JSON.stringify(minimalSku()),
      });
      assert.equal(stored.status, 202);

      const { limit_per_minute, merchants } = await operator.found<Listed>('GET', '/merchants');
      assert.equal(limit_per_minute, 5000);
      assert.deepEqual(
        merchants.map(({ id }) => id),
        ['acme', 'demo'],
      );
      const [{ created, requests: use, ...acme } = NO_ROW] = merchants;
      assert.match(created, ISO);
      assert.deepEqual(acme, {
        id: 'acme',
        name: 'Acme Inc.',
        suspended: false,
        users: 1,
        offers: { test: 0, live: 1 },
      });
      // Only the last full minute counts. The test may have sent its two requests, token and upload, in that minute or later.
      assert.equal(use.test.last_minute, 0);
      assert.ok(use.live.last_minute <= 2);

      const details = await operator.found<Details>('GET', '/merchants/acme');
      const { requests, keys, activity, note_etag: tag, ...rest } = details;
      assert.match(String(tag), /^"[\w-]{27}"$/);
      assert.deepEqual(
        [
          activity.test?.by_status.every(({ offers }) => offers === 0),
          activity.test?.last_file,
          activity.test?.last_request,
        ],
        [true, null, null],
      );
      assert.equal(
        activity.live?.by_status.reduce((sum, { offers }) => sum + offers, 0),
        1,
      );
      assert.deepEqual(rest, {
        id: 'acme',
        name: 'Acme Inc.',
        created,
        suspended: false,
        users: 1,
        offers: { test: 0, live: 1 },
        time_to_return_days: 14,
        return_shipping_methods: ['Freight'],
        note: '',
        limit_per_minute: 5000,
      });
      assert.deepEqual([requests.test.minutes.length, requests.live.minutes.length], [60, 60]);
      const times = requests.live.minutes.map(({ at }) => Date.parse(at));
      assert.ok(times.every((time, place) => place === 0 || time === (times[place - 1] ?? 0) + 60_000));
      for (const environment of ['test', 'live'] as const) {
        const [{ user } = { user: '' }, ...others] = keys[environment];
        assert.deepEqual([user, others], [added.credentials[environment].user, []]);
      }
      assert.ok(!JSON.stringify(details).includes(added.credentials.live.secret));
    });

    it('see at home which files were rejected', async () => {
      const { days, rises, files, webhooks } = await operator.found<Record<string, unknown[]>>('GET', '/home');
      assert.ok(Array.isArray(days) && days.every((day) => Object.keys(Object(day)).length === 5));
      assert.deepEqual([rises, files, webhooks], [[], [], []]);
      const sent = new BulkFiles(server.url, await requestToken(server.url, 'test'));
      const fileId = await sent.send('Price', '{"pot":{"price":-1}}');
      await sent.ended(fileId);
      const home = await operator.found<{ files: { ended: string }[] }>('GET', '/home');
      const [{ ended, ...others } = { ended: '' }] = home.files;
      assert.match(ended, ISO);
      const merchant = { id: 'demo', name: 'Demo merchant' };
      assert.deepEqual(others, { merchant, environment: 'test', id: fileId, name: 'Price.json', rows: 1 });
    });

    it('note something on a merchant, which the activity log keeps', async () => {
      const note = `Ask Maria first.\n${'x'.repeat(1900)}`;
      await operator.accepted('PUT', '/merchants/demo/note', { note });
      const read = await operator.found<{ note: string; note_etag: string }>('GET', '/merchants/demo');
      assert.equal(read.note, note);
      const { acts } = await operator.found<{ acts: { act: string; subject: string; detail: string }[] }>(
        'GET',
        '/acts',
      );
      const [act] = acts;
      assert.deepEqual([act?.act, act?.subject], ['noteMerchant', 'demo']);
      assert.match(act?.detail ?? '', /^note: Ask Maria first\./);
      const ifMatch = { 'if-match': read.note_etag };
      const changed = await operator.send('PUT', '/merchants/demo/note', { note: 'Ask Ann.' }, ifMatch);
      assert.equal(changed.status, 202);
      const late = await operator.send('PUT', '/merchants/demo/note', { note }, ifMatch);
      assert.equal(late.status, 412);
      assert.match(late.text, /precondition_failed/);
      assert.equal((await operator.found('GET', '/merchants/demo')).note, 'Ask Ann.');
      await operator.accepted('PUT', '/merchants/demo/note', { note: '' });
      assert.equal((await operator.found('GET', '/merchants/demo')).note, '');
      const tooLong = [['too_long', '/note', 'note: must have at most 2000 characters']] as const;
      await operator.refused('PUT', '/merchants/demo/note', { note: 'x'.repeat(2001) }, tooLong);
      assert.equal((await operator.send('PUT', '/merchants/none/note', { note: '' })).status, 404);
    });

    it('suspend a merchant, which is refused immediately, and resume it', async () => {
      const { credentials } = await operator.found<Added>('POST', '/merchants', { merchant_id: 'shop', name: 'Shop' });
      const { body } = await tokenAnswer(credentials.test);
      const read = async () => {
        const answer = await fetch(`${server.url}/merchant-skus`, {
          headers: { authorization: `Bearer ${body.id_token}` },
        });
        await answer.text();
        return answer.status;
      };
      assert.equal(await read(), 200);
      await operator.accepted('POST', '/merchants/shop/suspend');
      assert.equal(await read(), 403);
      assert.equal((await operator.found<Details>('GET', '/merchants/shop')).suspended, true);
      await operator.accepted('POST', '/merchants/shop/resume');
      assert.equal(await read(), 200);
    });

    it('get an error for invalid input and unknown merchants', async () => {
      await operator.refused('POST', '/merchants', { merchant_id: 'Demo', name: '', time_to_return: 31 }, [
        [
          'bad_format',
          '/merchant_id',
          'merchant_id: must be 1 to 64 lower-case letters, digits or hyphens, a letter first',
        ],
        ['too_short', '/name', 'name: must have 1 to 100 characters'],
        ['too_large', '/time_to_return', 'time_to_return: must be an integer from 1 to 30'],
      ]);
      await operator.refused('POST', '/merchants', { merchant_id: 'demo', name: 'Demo' }, [
        ['merchant_exists', '/merchant_id', 'merchant_id: already exists'],
      ]);
      const unknown = [['merchant_unknown', '', 'No merchant "nobody".']] as const;
      await operator.refused('GET', '/merchants/nobody', undefined, unknown, 404);
      await operator.refused('POST', '/merchants/nobody/suspend', undefined, unknown, 404);
      await operator.refused('POST', '/merchants/nobody/resume', undefined, unknown, 404);
      await operator.refused('GET', '/merchants/%FF', undefined, [
        ['query_invalid', '', 'The path must be percent-encoded UTF-8 without NUL.'],
      ]);
    });

    it('read the system status', async () => {
      const system = await operator.found<Record<string, unknown>>('GET', '/system');
      const { since, version, store, work, files, checks, taxonomy, ...rest } = system;
      assert.match(String(since), ISO);
      assert.match(String(version), /^\d+\.\d+\.\d+/);
      const { size_bytes, ...others } = store as Record<string, unknown>;
      assert.ok(Number(size_bytes) > 0);
      assert.deepEqual(Object.keys(others), ['kind', 'writes', 'lists']);
      assert.equal(others.kind, kind === 'sqlite' ? 'sqlite' : 'postgresql');
      assert.ok((work as { kind: string }[]).some((one) => one.kind === 'review'));
      assert.ok(Number((files as { free_bytes: number }).free_bytes) > 0);
      assert.deepEqual(
        { ...(taxonomy as Record<string, unknown>), tag: '', nodes: 0 },
        { tag: '', source: 'starter', imported: null, nodes: 0 },
      );
      assert.deepEqual(Object.keys(rest).toSorted(), ['images', 'review']);
      assert.equal((rest.review as Record<string, unknown>).accounts_missing, 0);
      assert.deepEqual(
        (checks as { name: string }[]).map(({ name }) => name),
        ['Database', 'Review', 'Images', 'Background work', 'Disk space'],
      );
    });

    it('have calls that refuse merchants', async () => {
      const admin = await PortalClient.signIn(server, 'merchant-admin', 'demo');
      for (const [method, path] of [
        ['GET', '/merchants'],
        ['POST', '/merchants'],
        ['GET', '/merchants/demo'],
        ['POST', '/merchants/demo/suspend'],
        ['POST', '/merchants/demo/resume'],
        ['GET', '/system'],
      ] as const) {
        assert.equal((await admin.send(method, path, method === 'POST' ? {} : undefined)).status, 403, path);
      }
    });
  });
}
