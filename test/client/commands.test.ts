/** Tests the choice of a profile, the texts for wrong arguments, and commands for single offers. */
import assert from 'node:assert/strict';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ACCOUNT_COMMANDS } from '../../client/src/cli/account.ts';
import { BULK_COMMANDS } from '../../client/src/cli/bulk.ts';
import { LOGIN_COMMANDS } from '../../client/src/cli/login.ts';
import { OFFER_COMMANDS } from '../../client/src/cli/offers.ts';
import { chosenProfile, readProfiles, saveProfile } from '../../client/src/cli/profiles.ts';
import { readArguments } from '../../client/src/cli/usage.ts';
import { WEBHOOK_COMMANDS } from '../../client/src/cli/webhooks.ts';
import { fileIdOf } from '../../client/src/files.ts';
import { Offerbook } from '../../client/src/offerbook.ts';
import { skuPath } from '../../client/src/parts.ts';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { minimalSku } from '../harness/api-client.ts';
import { type ScriptedAnswer, scriptedServer, TOKEN } from '../harness/scripted-server.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { waitUntil } from '../harness/wait-until.ts';

const { user, secret: pass } = DEMO_CREDENTIALS.test;
const usage = (message: RegExp | string) => ({ name: 'UsageError', message });
/** Far more than a review takes. */
const PATIENCE_MS = 60_000;

describe('a profile', () => {
  const live = { url: 'https://live.example', user: 'l', pass: 'l' };
  const set = { OFFERBOOK_URL: 'https://set.example', OFFERBOOK_USER: 's', OFFERBOOK_PASS: 's' };
  let home: { readonly OFFERBOOK_HOME: string };

  before(async () => {
    home = { OFFERBOOK_HOME: await tempFolder() };
    await saveProfile(home, 'live', live);
    await saveProfile(home, 'test', { ...live, user: 't' });
  });

  it('that is named takes precedence over the variables, which take precedence over the default', async () => {
    assert.deepEqual(await chosenProfile({ ...home, ...set }, 'live'), live);
    assert.deepEqual(await chosenProfile({ ...home, ...set }, undefined), {
      url: set.OFFERBOOK_URL,
      user: 's',
      pass: 's',
    });
    assert.deepEqual(await chosenProfile({ ...home, OFFERBOOK_PROFILE: 'live' }, undefined), live);
    // The variable of "offerbook-client login" alone chooses nothing.
    const variables = { ...home, OFFERBOOK_PROFILE: 'live', OFFERBOOK_PASS: 'other' };
    assert.deepEqual(await chosenProfile(variables, undefined), live);
  });

  it('is refused with the names that are missing, stored or contradictory', async () => {
    const stored = '; stored: live, test. Choose one with --profile.';
    await assert.rejects(chosenProfile(home, undefined), usage(`There is no profile default${stored}`));
    await assert.rejects(chosenProfile(home, 'toString'), usage(`There is no profile toString${stored}`));
    await assert.rejects(chosenProfile({ OFFERBOOK_HOME: '/none' }, undefined), usage(/^No server is configured\. /));
    await assert.rejects(
      chosenProfile({ ...home, ...set, OFFERBOOK_PASS: '' }, undefined),
      usage('OFFERBOOK_PASS must be set too.'),
    );
    await assert.rejects(
      chosenProfile({ ...home, ...set, OFFERBOOK_PROFILE: 'live' }, undefined),
      usage(/^OFFERBOOK_PROFILE cannot be combined with OFFERBOOK_URL or OFFERBOOK_USER\. /),
    );
  });

  it('in a file that others can read is used with a warning', async (t) => {
    const said: string[] = [];
    t.mock.method(process.stderr, 'write', (text: string) => said.push(text));
    await readProfiles(home);
    assert.deepEqual(said, []);
    const file = path.join(home.OFFERBOOK_HOME, 'profiles.json');
    await chmod(file, 0o644);
    assert.equal(Object.keys(await readProfiles(home)).length, 2);
    assert.deepEqual(said, [`Other users can read the keys in ${file}. Run: chmod 600 ${file}\n`]);
  });
});

describe('an option that does not exist', () => {
  const command = { takes: '', about: '', options: { type: { value: 'type', about: '' } } };
  for (const [args, message] of [
    [['--pass', 'x'], /^The secret is never an argument: set OFFERBOOK_PASS, /],
    [
      ['--dry-run'],
      /^To see what differs without sending it, use "offerbook-client diff <file> --values"\. See "offerbook-client sync --help"\.$/,
    ],
    [['--colour'], /^There is no option --colour\. See "offerbook-client sync --help"\.$/],
    [['--constructor'], /^There is no option --constructor\. /],
    [['-x'], /^There is no option -x\. /],
    [['--type'], /^--type needs a value: --type=<type>\. See /],
  ] as const) {
    it(`is refused with advice: ${args.join(' ')}`, () =>
      assert.throws(() => readArguments('sync', command, args), usage(message)));
  }
});

describe('a command', () => {
  let server: TestServer;
  let client: Offerbook;

  async function run(
    commands: typeof OFFER_COMMANDS,
    name: string,
    args: readonly string[],
    variables = {},
    api = client,
  ) {
    const command = commands[name] ?? assert.fail();
    let printed = '';
    await command.run({
      ...readArguments(name, command, args),
      variables,
      stopped: new AbortController().signal,
      client: async () => api,
      result: (_value, text) => {
        printed += text();
      },
    });
    return printed;
  }

  before(async () => {
    server = await startTestServer();
    client = new Offerbook({ url: server.url, user, pass });
  });
  after(() => server.close());

  it('review shows the code and remedy of each check that failed', async () => {
    await client.call('PUT', skuPath('no-price'), { body: minimalSku() });
    const shown = await waitUntil('a review', PATIENCE_MS, async () => {
      const text = await run(OFFER_COMMANDS, 'review', ['no-price']);
      return text.includes('Missing Listing Data') ? text : undefined;
    });
    assert.match(
      shown,
      /^no-price: Missing Listing Data\n\nCODE +STATE +WHAT TO DO\n(?:.+\n)*missing_price +failed +\w/,
    );
    await client.archive('no-price');
    assert.match(
      await run(OFFER_COMMANDS, 'review', ['no-price']),
      /\narchived +failed +.* \(PUT \/merchant-skus\/no-price\/status\/archive with is_archived false\)/,
    );
  });

  it('review waits for a new review, and says how to request it', async (t) => {
    const image = (state: string, minute: number): ScriptedAnswer => {
      const remedy = 'Select Re-check, or send POST /merchant-skus/{id}/review.';
      const check = {
        check: 'main_image',
        state,
        code: null,
        next: state === 'pending' ? 'marketplace' : 'merchant',
        remedy,
        evidence: { checked_at: `2026-01-31T09:0${minute}:00.000Z` },
      };
      return [
        200,
        { status: 'Missing Listing Data', sub_status: [], next: null, checks: [check], upcoming: [], advice: [] },
      ];
    };
    const { url, seen } = await scriptedServer(t, [
      TOKEN,
      image('failed', 1),
      [202, ''],
      image('failed', 1),
      image('pending', 1),
      image('failed', 2),
    ]);
    const shown = await run(OFFER_COMMANDS, 'review', ['a/b', '--recheck'], {}, new Offerbook({ url, user, pass }));
    assert.deepEqual(
      seen.slice(1).map(({ call }) => call),
      ['GET', 'POST', 'GET', 'GET', 'GET'].map((method) => `${method} /merchant-skus/a%2Fb/review`),
    );
    assert.match(
      shown,
      /\nmain_image +failed +Select Re-check, or send POST \/merchant-skus\/a%2Fb\/review\.\n\n.*: offerbook-client review a\/b --recheck$/,
    );
  });

  it('review shows what announced changes will fail, and advice', async (t) => {
    const enforced_from = '2030-03-01T00:00:00.000Z';
    const failing = { check: 'exclusion', code: 'brand_excluded', remedy: 'Remove {id}.', enforced_from };
    const advice = [{ code: 'title_capitals', field: '/product_title', text: 'Use lower case.' }];
    const body = { status: 'Available For Purchase', checks: [], upcoming: [failing], advice };
    const { url } = await scriptedServer(t, [TOKEN, [200, body]]);
    assert.equal(
      await run(OFFER_COMMANDS, 'review', ['a/b'], {}, new Offerbook({ url, user, pass })),
      [
        'a/b: Available For Purchase',
        '',
        'CODE            STATE                                WHAT TO DO',
        `brand_excluded  fails from ${enforced_from}  Remove a%2Fb.`,
        '',
        'ADVICE          FIELD           WHAT WOULD BE BETTER',
        'title_capitals  /product_title  Use lower case.',
      ].join('\n'),
    );
  });

  it('upcoming lists the announced changes, next first', async (t) => {
    const enforced_from = '2030-03-01T00:00:00.000Z';
    const change = { id: 7, rule: 'Excluded brand: Copycat', enforced_from, offers: 12 };
    const { url } = await scriptedServer(t, [TOKEN, [200, { changes: [change] }]]);
    assert.equal(
      await run(ACCOUNT_COMMANDS, 'upcoming', [], {}, new Offerbook({ url, user, pass })),
      `ID  APPLIES FROM              OFFERS  CHANGE\n7   ${enforced_from}  12      Excluded brand: Copycat`,
    );
    assert.equal(await run(ACCOUNT_COMMANDS, 'upcoming', []), 'No changes are announced.');
  });

  it('nodes lists the fulfillment nodes', async () => {
    assert.match(await run(ACCOUNT_COMMANDS, 'nodes', []), /^ID +RATES .*\ndemo-node-east +\w/);
  });

  it('webhooks add says how to replace a secret that was lost with the first response', async (t) => {
    const webhook = {
      webhook_id: 'hook',
      url: 'https://hooks.example/',
      types: ['file.finished'],
      include: [],
      batches: false,
      disabled_reason: null,
    };
    const { url } = await scriptedServer(t, [TOKEN, [201, webhook]]);
    const shown = await run(WEBHOOK_COMMANDS, 'webhooks add', [webhook.url], {}, new Offerbook({ url, user, pass }));
    assert.equal(
      shown.split('\n').at(-1),
      'The secret was in a response that did not arrive. Replace it with "offerbook-client webhooks secret hook".',
    );
  });

  it('webhooks change refuses --batches with another value than on and off, and a change of nothing', async () => {
    const change = (...options: string[]) => run(WEBHOOK_COMMANDS, 'webhooks change', ['hook', ...options]);
    await assert.rejects(change('--batches', 'yes'), { message: '--batches: must be on or off.' });
    const message = 'Nothing to change: use --url, --types, --include, --batches, --disable or --enable.';
    await assert.rejects(change(), { message });
  });

  it('login refuses the address of the portal', async () => {
    const home = await tempFolder();
    const variables = { OFFERBOOK_HOME: home, OFFERBOOK_PASS: pass };
    await assert.rejects(
      run(LOGIN_COMMANDS, 'login', ['--server', `${server.url}/portal/`, '--user', user], variables),
      usage(`--server: no Offerbook API at ${server.url}/portal/. Leave out the path: ${server.url}`),
    );
    await assert.rejects(readFile(path.join(home, 'profiles.json')), { code: 'ENOENT' });
  });

  it('files cancel ends a file that is being processed', async () => {
    // Large enough to stay unfinished for a while.
    const rows = Array.from({ length: 20_000 }, (_, row) => JSON.stringify({ sku: `row-${row}`, ...minimalSku() }));
    const record = await client.files.upload({ type: 'MerchantSKUs', name: 'long', content: rows.join('\n') });
    const shown = await run(BULK_COMMANDS, 'files cancel', [fileIdOf(record)]);
    assert.match(shown, /^File \S+ \(MerchantSKUs\): Cancelled\. /);
    assert.equal((await client.files.get(fileIdOf(record))).status, 'Cancelled');
  });

  it('report names its types', async () => {
    const types = usage('The type must be one of: ProductStatus, Fingerprints, Offers.');
    await assert.rejects(run(BULK_COMMANDS, 'report', ['Stock']), types);
  });

  it('put names the file that is not JSON', async () => {
    const file = path.join(await tempFolder(), 'sku.json');
    await writeFile(file, '[]');
    await assert.rejects(run(OFFER_COMMANDS, 'sku put', ['a', file]), usage(`${file} is not a JSON object.`));
  });
});
