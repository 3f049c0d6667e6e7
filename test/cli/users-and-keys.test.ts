/** Tests user add, list and reset, and keys list: links are shown once and stored as hashes, secrets are never listed. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { hashToken } from '../../src/access/portal/one-time-link.ts';
import { offerbookHere, runHere } from '../harness/command-line.ts';
import { databaseFolder, withSetupStore } from '../harness/own-server.ts';
import { tempFolder } from '../harness/temp-folder.ts';

const DAY_MS = 86_400_000;

describe('portal users', { concurrency: 3 }, () => {
  it('get a link with https if the server uses it, and with an address that a browser can open', async () => {
    const DATA_DIR = await databaseFolder();
    const tls = { TLS_CERT: 'cert.pem', TLS_KEY: 'key.pem' };
    const add = (variables: Record<string, string>, email: string) =>
      offerbookHere({ DATA_DIR, ...variables }, 'user', 'add', email, '--role', 'operator');
    assert.match(String((await add({}, 'a@market.example')).link), /^http:\/\/127\.0\.0\.1:8080\/portal\//);
    assert.match(String((await add(tls, 'b@market.example')).link), /^https:\/\/127\.0\.0\.1:8080\/portal\//);
    for (const [HOST, shown] of Object.entries({ '0.0.0.0': '127.0.0.1', '::': '[::1]' })) {
      const { link } = await add({ HOST }, `host-${shown.length}@market.example`);
      assert.ok(String(link).startsWith(`http://${shown}:8080/portal/`), String(link));
    }
  });

  it('get a link that works for a day, and is replaced by a reset', async () => {
    const DATA_DIR = await databaseFolder();
    const variables = { DATA_DIR, PUBLIC_URL: 'https://desk.example/market/' };
    const startMs = Date.now();
    const { link, link_ends, created, ...user } = await offerbookHere(
      variables,
      ...['user', 'add', 'Ann@Market.Example', '--role', 'operator'],
    );
    assert.deepEqual(user, { email: 'ann@market.example', role: 'operator', merchant_id: null });
    const [, token = ''] =
      /^https:\/\/desk\.example\/market\/portal\/set-password#([\w-]{43})$/.exec(String(link)) ?? [];
    assert.ok(token, String(link));
    assert.ok(Math.abs(Date.parse(String(link_ends)) - startMs - DAY_MS) < 60_000);
    const holder = (text: string) =>
      withSetupStore({ DATA_DIR }, async (store) => (await store.people.readLink(hashToken(text), Date.now()))?.email);
    assert.equal(await holder(token), 'ann@market.example');
    for (const name of await readdir(DATA_DIR)) {
      assert.ok(!(await readFile(path.join(DATA_DIR, name))).includes(token), 'the token is not stored');
    }
    const { link: next } = await offerbookHere(variables, 'user', 'reset', 'ANN@market.example');
    assert.equal(await holder(token), undefined);
    assert.equal(await holder(String(next).split('#')[1] ?? ''), 'ann@market.example');
    assert.deepEqual(await offerbookHere(variables, 'user', 'list'), {
      users: [
        { email: 'ann@market.example', role: 'operator', merchant_id: null, created, last_sign_in: null, passkeys: 0 },
      ],
    });
  });

  it('lose the last operator only after a confirmation', async () => {
    const DATA_DIR = await databaseFolder();
    const user = (...args: string[]) => runHere({ DATA_DIR }, 'user', ...args);
    for (const email of ['ann@market.example', 'bob@market.example']) await user('add', email, '--role', 'operator');
    assert.equal((await user('remove', 'bob@market.example')).exitCode, 0);
    const { exitCode, stderr } = await user('remove', 'Ann@market.example');
    assert.equal(exitCode, 1);
    assert.match(stderr, /Ann@market\.example is the last operator\. .* Add --yes to confirm\.\n$/);
    assert.equal((await user('remove', 'ann@market.example', '--yes')).exitCode, 0);
  });

  it('of merchants need a merchant, operators have none, and addresses are checked', async () => {
    const DATA_DIR = await tempFolder();
    await offerbookHere({ DATA_DIR }, 'merchant', 'add', 'acme', '--name', 'Acme');
    await offerbookHere(
      { DATA_DIR },
      'user',
      'add',
      'bob@acme.example',
      '--role',
      'merchant-viewer',
      '--merchant',
      'acme',
    );
    for (const [args, message] of [
      [['bob@acme', '--role', 'operator'], '<email> "bob@acme": must be an email address such as ann@shop.example'],
      [['a@b.example', '--role', 'merchant-admin', '--merchant', 'nobody'], 'No merchant "nobody".'],
      [
        ['BOB@acme.example', '--role', 'operator'],
        'Portal user BOB@acme.example already exists. To create a new link, run "offerbook user reset BOB@acme.example".',
      ],
    ] as const) {
      assert.deepEqual(await runHere({ DATA_DIR }, 'user', 'add', ...args), {
        exitCode: 1,
        stdout: '',
        stderr: `Database: sqlite:${DATA_DIR}\nofferbook: ${message}\n`,
      });
    }
    for (const [args, message] of [
      [['--role', 'merchant-admin'], 'is required for role merchant-admin'],
      [['--role', 'operator', '--merchant', 'acme'], 'must not be given for role operator'],
    ] as const) {
      const help = 'Add --help to the command to see its arguments and options.\n';
      assert.deepEqual(await runHere({ DATA_DIR }, 'user', 'add', 'a@b.example', ...args), {
        exitCode: 2,
        stdout: '',
        stderr: `Database: sqlite:${DATA_DIR}\nofferbook: option '--merchant <id>' ${message}\n${help}`,
      });
    }
    const unknown = await runHere({ DATA_DIR }, 'user', 'reset', 'nobody@acme.example');
    assert.deepEqual(
      [unknown.exitCode, unknown.stderr],
      [1, `Database: sqlite:${DATA_DIR}\nofferbook: No portal user "nobody@acme.example".\n`],
    );
  });
});

describe('keys roll', () => {
  it('names the live keys that stop working immediately, and asks first', async () => {
    const DATA_DIR = await databaseFolder();
    const { credentials } = (await offerbookHere({ DATA_DIR }, 'merchant', 'add', 'acme', '--name', 'Acme')) as {
      credentials: { live: { user: string } };
    };
    const roll = ['keys', 'roll', '--merchant', 'acme', '--env', 'live'];
    const stops = `Clients that use ${credentials.live.user} (never used) lose access immediately.`;
    const advice = 'To give clients time to switch to the new key, use --overlap, such as --overlap 1d.';
    assert.deepEqual(await runHere({ DATA_DIR }, ...roll), {
      exitCode: 1,
      stdout: '',
      stderr: `Database: sqlite:${DATA_DIR}\nofferbook: ${stops} ${advice} Add --yes to confirm.\n`,
    });
    for (const confirmed of ['--yes', '--overlap=1h']) await offerbookHere({ DATA_DIR }, ...roll, confirmed);
  });
});

describe('keys add, roll and revoke', () => {
  const ACME = ['--merchant', 'acme', '--env', 'live'];
  type Listed = Record<'user' | 'name' | 'sku_prefix' | 'ends', string | null> & { scopes: string[] };
  const listed = async (DATA_DIR: string) =>
    ((await offerbookHere({ DATA_DIR }, 'keys', 'list', ...ACME)).credentials as Listed[]).map(
      ({ user, name, scopes, sku_prefix, ends }) => ({ user, name, scopes, sku_prefix, ends }),
    );

  it('limit a key to scopes and SKUs, keep that when it is rolled, and revoke one key', async () => {
    const DATA_DIR = await databaseFolder();
    await offerbookHere({ DATA_DIR }, 'merchant', 'add', 'acme', '--name', 'Acme');
    const keys = async (...args: string[]) => {
      const { credentials, ...rest } = await offerbookHere({ DATA_DIR }, 'keys', ...args, ...ACME);
      return { ...(credentials as { user: string; secret: string }), rest };
    };
    const limits = ['--scope', 'price', '--scope', 'read', '--sku-prefix', 'ACME-'];
    const prices = await keys('add', '--name', 'prices', ...limits);
    assert.deepEqual(prices.rest, { merchant_id: 'acme', environment: 'live' });
    assert.match(prices.user, /^live-[0-9a-f]{16}$/);
    assert.match(prices.secret, /^[\w-]{43}$/);
    const erp = await keys('add', '--name', 'ERP');
    const [first, ...added] = await listed(DATA_DIR);
    assert.ok(first);
    const all = ['read', 'listing', 'price', 'stock', 'files', 'webhooks'];
    const some = { name: 'prices', scopes: ['read', 'price'], sku_prefix: 'ACME-', ends: null };
    const whole = { name: 'ERP', scopes: all, sku_prefix: null, ends: null };
    assert.deepEqual(first, { user: first.user, name: '', scopes: all, sku_prefix: null, ends: null });
    assert.deepEqual(added, [
      { user: prices.user, ...some },
      { user: erp.user, ...whole },
    ]);
    const text = await runHere({ DATA_DIR }, 'keys', 'list', ...ACME);
    assert.match(text.stdout, new RegExp(`^live +${prices.user} {2}prices {2}read price {2}ACME- +`, 'm'));
    assert.match(text.stdout, new RegExp(`^live +${erp.user} {2}ERP +all +\\d`, 'm'));

    const next = await keys('roll', '--user', prices.user, '--overlap', '1h');
    assert.deepEqual(await listed(DATA_DIR), [
      first,
      { user: prices.user, ...some, ends: next.rest.previous_end },
      { user: erp.user, ...whole },
      { user: next.user, ...some },
    ]);
    const stops = `Clients that use ${next.user} (never used) lose access immediately.`;
    const asked = await runHere({ DATA_DIR }, 'keys', 'roll', '--user', next.user, ...ACME);
    assert.equal(asked.exitCode, 1);
    assert.ok(asked.stderr.includes(`offerbook: ${stops} `), asked.stderr);

    const refused = await runHere({ DATA_DIR }, 'keys', 'revoke', next.user, ...ACME);
    assert.equal(refused.stderr.split('\n')[1], `offerbook: ${stops} Add --yes to confirm.`);
    const widened = await runHere({ DATA_DIR }, 'keys', 'roll', '--overlap', '1h', ...ACME);
    const lost = `The new key can do everything, unlike ${prices.user} and ${next.user}. To keep the limits of a key, use --user.`;
    assert.equal(widened.stderr.split('\n')[1], `offerbook: ${lost} Add --yes to confirm.`);
    assert.deepEqual(await offerbookHere({ DATA_DIR }, 'keys', 'revoke', next.user, ...ACME, '--yes'), {
      merchant_id: 'acme',
      environment: 'live',
      user: next.user,
    });
    await offerbookHere({ DATA_DIR }, 'keys', 'roll', ...ACME, '--yes');
    assert.deepEqual(
      (await listed(DATA_DIR)).map(({ name, scopes, sku_prefix }) => ({ name, scopes, sku_prefix })),
      [{ name: '', scopes: all, sku_prefix: null }],
    );
  });

  it('limit the plans of a key, and warn before a key without limits replaces it', async () => {
    const DATA_DIR = await databaseFolder();
    await offerbookHere({ DATA_DIR }, 'merchant', 'add', 'acme', '--name', 'Acme');
    const add = async (...limits: string[]) =>
      ((await offerbookHere({ DATA_DIR }, 'keys', 'add', '--name', 'a', ...ACME, ...limits)).credentials as Listed)
        .user as string;
    const some = await add('--plan-offers-max', '200', '--plan-percent-max', '7.5', '--plan-hours', '08-18');
    const one = await add('--plan-offers-max', '0');
    const { credentials } = await offerbookHere({ DATA_DIR }, 'keys', 'list', ...ACME);
    assert.deepEqual(
      (credentials as Record<string, unknown>[]).map((key) => [
        ...[key.plan_offers_max, key.plan_price_percent_max, key.plan_hours],
      ]),
      [
        [null, null, null],
        [200, 7.5, '08-18'],
        [0, null, null],
      ],
    );
    const { stdout } = await runHere({ DATA_DIR }, 'keys', 'list', ...ACME);
    assert.match(stdout, new RegExp(`^live +${some} +a +all +200 offers, 7.5%, 08-18  \\d`, 'm'));
    assert.match(stdout, new RegExp(`^live +${one} +a +all +0 offers +\\d`, 'm'));
    const { stderr } = await runHere({ DATA_DIR }, 'keys', 'roll', '--overlap', '1h', ...ACME);
    assert.ok(stderr.includes(`The new key can do everything, unlike ${some} and ${one}.`), stderr);
  });

  it('refuse unknown keys, names and prefixes that are too long, and prefixes with limits of plans', async () => {
    const DATA_DIR = await databaseFolder();
    await offerbookHere({ DATA_DIR }, 'merchant', 'add', 'acme', '--name', 'Acme');
    const before = await listed(DATA_DIR);
    const unknown = 'No active key "live-1".';
    for (const [args, message] of [
      [['revoke', 'live-1'], unknown],
      [['roll', '--user', 'live-1', '--yes'], unknown],
      [['add', '--name', 'n'.repeat(65)], `--name "${'n'.repeat(65)}": must have 1 to 64 characters`],
      [
        ['add', '--name', 'a', '--sku-prefix', 'x'.repeat(65)],
        `--sku-prefix "${'x'.repeat(65)}": must have 1 to 64 characters`,
      ],
      ...(['offers-max', 'percent-max'] as const).map(
        (limit) =>
          [
            ['add', '--name', 'a', '--sku-prefix', 'x', `--plan-${limit}`, '5'],
            '--sku-prefix "x": cannot be combined with limits of plans',
          ] as const,
      ),
      [
        ['add', '--name', 'a', '--sku-prefix', 'x', '--plan-hours', '08-18'],
        '--sku-prefix "x": cannot be combined with limits of plans',
      ],
    ] as const) {
      assert.deepEqual(await runHere({ DATA_DIR }, 'keys', ...args, ...ACME), {
        exitCode: 1,
        stdout: '',
        stderr: `Database: sqlite:${DATA_DIR}\nofferbook: ${message}\n`,
      });
    }
    assert.deepEqual(await listed(DATA_DIR), before);
  });
});

describe('keys list', () => {
  it('shows users and times of active sets, and no secret', async () => {
    const DATA_DIR = await tempFolder();
    const added = await offerbookHere({ DATA_DIR }, 'merchant', 'add', 'acme', '--name', 'Acme');
    const rolled = await offerbookHere(
      { DATA_DIR },
      ...['keys', 'roll', '--merchant', 'acme', '--env', 'live', '--overlap', '1h'],
    );
    const { test, live } = added.credentials as Record<'test' | 'live', Record<string, string>>;
    const next = rolled.credentials as Record<string, string>;
    const { credentials } = (await offerbookHere({ DATA_DIR }, 'keys', 'list', '--merchant', 'acme')) as {
      credentials: Record<string, string | null>[];
    };
    assert.deepEqual(
      credentials.map(({ environment, user, ends, last_used }) => [environment, user, ends, last_used]),
      [
        ['test', test.user, null, null],
        ['live', live.user, rolled.previous_end, null],
        ['live', next.user, null, null],
      ],
    );
    const shown = await runHere({ DATA_DIR }, 'keys', 'list', '--merchant', 'acme', '--env', 'live');
    assert.match(
      shown.stdout,
      /^ENVIRONMENT {2}USER +NAME +SCOPES +SKU PREFIX +PLAN LIMITS +CREATED +LAST USED +ENDS$/m,
    );
    for (const secret of [test.secret, live.secret, next.secret]) {
      assert.ok(!`${shown.stdout}${JSON.stringify(credentials)}`.includes(String(secret)));
    }
  });
});
