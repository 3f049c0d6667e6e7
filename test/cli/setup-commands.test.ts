/** Tests the setup from an empty folder, as an operator does it: results for people and for programs, and refusals. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { offerbookHere, offerbookJson, runHere, runOfferbook } from '../harness/command-line.ts';
import { tempFolder } from '../harness/temp-folder.ts';

const EAST = {
  fulfillment_node_id: 'east',
  rate_kind: 'flat',
  shipping_methods: ['<carrier_2> Ground', 'Freight'],
  service_levels: ['Standard'],
};
const EAST_OPTIONS = [
  '--rates',
  'flat',
  '--method',
  '<carrier_2> Ground',
  '--method',
  'Freight',
  '--level',
  'Standard',
];
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

type Shape = Record<string, unknown>;

describe('commands as JSON', { concurrency: 4 }, () => {
  it('merchant add creates the folder and shows both credential sets; merchant list shows the merchant', async () => {
    const dataDir = path.join(await tempFolder(), 'not', 'yet', 'there');
    const DATA_DIR = dataDir;
    const { credentials, ...rest } = await offerbookJson(
      { DATA_DIR },
      ...['merchant', 'add', 'acme', '--name', 'Acme Inc.', '--time-to-return', '14'],
      ...['--return-method', 'Freight', '--return-method', '<carrier_4> Ground'],
    );
    assert.deepEqual(rest, {
      merchant_id: 'acme',
      name: 'Acme Inc.',
      time_to_return: 14,
      return_shipping_methods: ['Freight', '<carrier_4> Ground'],
    });
    for (const environment of ['test', 'live']) {
      const { user, secret, ...others } = (credentials as Record<string, Shape>)[environment] ?? {};
      assert.match(String(user), new RegExp(`^${environment}-[0-9a-f]{16}$`));
      assert.match(String(secret), /^[\w-]{43}$/);
      assert.deepEqual(others, {});
    }
    const { merchants } = (await offerbookJson({ DATA_DIR }, 'merchant', 'list')) as { merchants: Shape[] };
    const [{ created, ...merchant } = {}, ...others] = merchants;
    assert.match(String(created), ISO);
    assert.deepEqual(merchant, { merchant_id: 'acme', name: 'Acme Inc.', suspended: false, unfinished: null });
    assert.deepEqual(others, []);
    assert.ok(existsSync(path.join(dataDir, 'offerbook.db')));
  });

  it('keys roll shows the new set and when the old one ends', async () => {
    const variables = await folderWithAcme();
    const startMs = Date.now();
    const { credentials, previous_end, ...rest } = await offerbookHere(
      variables,
      ...['keys', 'roll', '--merchant', 'acme', '--env', 'live', '--overlap', '2h'],
    );
    assert.deepEqual(rest, { merchant_id: 'acme', environment: 'live' });
    assert.deepEqual(Object.keys(credentials as Shape), ['user', 'secret']);
    assert.match(String(previous_end), ISO);
    const overlap_ms = Date.parse(String(previous_end)) - startMs;
    assert.ok(overlap_ms >= 7_200_000 && overlap_ms < 7_260_000, `an overlap of ${overlap_ms} ms`);
  });

  it('node add, set, list and remove', async () => {
    const variables = await folderWithAcme();
    const merchant = ['--merchant', 'acme'];
    assert.deepEqual(await offerbookHere(variables, 'node', 'add', 'east', ...merchant, ...EAST_OPTIONS), {
      merchant_id: 'acme',
      environments: ['test', 'live'],
      fulfillment_node: EAST,
    });
    const changed = { ...EAST, rate_kind: 'per_pound', shipping_methods: ['Freight'], service_levels: ['Priority'] };
    const options = ['--env', 'live', '--rates', 'per-pound', '--method', 'Freight', '--level', 'Priority'];
    assert.deepEqual(await offerbookHere(variables, 'node', 'set', 'east', ...merchant, ...options), {
      merchant_id: 'acme',
      environments: ['live'],
      fulfillment_node: changed,
    });
    assert.deepEqual(await offerbookHere(variables, 'node', 'list', ...merchant), {
      merchant_id: 'acme',
      fulfillment_nodes: { test: [EAST], live: [changed] },
    });
    assert.deepEqual(await offerbookHere(variables, 'node', 'list', ...merchant, '--env', 'test'), {
      merchant_id: 'acme',
      fulfillment_nodes: { test: [EAST] },
    });
    const removed = await offerbookHere(variables, 'node', 'remove', 'east', ...merchant);
    assert.deepEqual(removed.environments, ['test', 'live']);
    const { fulfillment_nodes } = await offerbookHere(variables, 'node', 'list', ...merchant);
    assert.deepEqual(fulfillment_nodes, { test: [], live: [] });
  });

  it('merchant set replaces the return settings, and refuses values out of bounds', async () => {
    const variables = await folderWithAcme();
    const command = ['merchant', 'set', 'acme', '--return-method', 'Freight', '--time-to-return'];
    assert.deepEqual(await offerbookHere(variables, ...command, '7'), {
      merchant_id: 'acme',
      time_to_return: 7,
      return_shipping_methods: ['Freight'],
    });
    assert.deepEqual(await runOfferbook(variables, ...command, '31'), {
      exitCode: 1,
      stdout: '',
      stderr: `Database: sqlite:${variables.DATA_DIR}\nofferbook: --time-to-return 31: must be an integer from 1 to 30\n`,
    });
  });

  it('merchant rename changes only the name, and refuses an unknown merchant', async () => {
    const variables = await folderWithAcme();
    const renamed = await offerbookHere(variables, 'merchant', 'rename', 'acme', '--name', 'Acme Stores');
    assert.deepEqual(renamed, { merchant_id: 'acme', name: 'Acme Stores' });
    const { merchants } = await offerbookHere(variables, 'merchant', 'list');
    assert.deepEqual(
      (merchants as Record<string, unknown>[]).map(({ merchant_id, name }) => [merchant_id, name]),
      [['acme', 'Acme Stores']],
    );
    const unknown = await runHere(variables, 'merchant', 'rename', 'nobody', '--name', 'a', '--json');
    assert.equal(JSON.parse(unknown.stderr).details[0].message, 'No merchant "nobody".');
  });

  it('return-location add, list and remove', async () => {
    const variables = await folderWithAcme();
    const merchant = ['--merchant', 'acme'];
    assert.deepEqual(await offerbookHere(variables, 'return-location', 'add', 'dock', ...merchant, '--env', 'test'), {
      merchant_id: 'acme',
      environments: ['test'],
      return_location_id: 'dock',
    });
    assert.deepEqual(await offerbookHere(variables, 'return-location', 'list', ...merchant), {
      merchant_id: 'acme',
      return_locations: { test: [{ return_location_id: 'dock' }], live: [] },
    });
    const remove = ['return-location', 'remove', 'dock', ...merchant];
    const both = await runHere(variables, ...remove, '--json');
    assert.equal(JSON.parse(both.stderr).details[0].message, 'Return location "dock" does not exist in live.');
    assert.equal((await offerbookHere(variables, ...remove, '--env', 'test')).return_location_id, 'dock');
    const { return_locations } = await offerbookHere(variables, 'return-location', 'list', ...merchant);
    assert.deepEqual(return_locations, { test: [], live: [] });
  });

  it('signing-key roll', async () => {
    const variables = await folderWithAcme();
    const unsure = await runHere(variables, 'signing-key', 'roll', '--revoke', '--json');
    assert.deepEqual([unsure.exitCode, JSON.parse(unsure.stderr).details[0].code], [1, 'not_confirmed']);
    const revoking = ['signing-key', 'roll', '--revoke', '--yes'];
    const { key_id, previous_end, ...rest } = await offerbookHere(variables, ...revoking);
    assert.match(String(key_id), /^[\w-]{8}$/);
    assert.match(String(previous_end), ISO);
    assert.deepEqual(rest, {});
  });

  it('refusals name every problem on standard error and exit with 1', async () => {
    const variables = await folderWithAcme();
    const { exitCode, stdout, stderr } = await runOfferbook(
      variables,
      ...['merchant', 'add', 'Acme', '--name', '', '--json'],
    );
    const id = 'merchant_id: must be 1 to 64 lower-case letters, digits or hyphens, a letter first';
    const name = 'name: must have 1 to 100 characters';
    assert.deepEqual([exitCode, stdout], [1, '']);
    assert.deepEqual(JSON.parse(stderr), {
      errors: [id, name],
      details: [
        { code: 'bad_format', field: '/merchant_id', message: id },
        { code: 'too_short', field: '/name', message: name },
      ],
    });
  });
});

describe('commands for people', { concurrency: 4 }, () => {
  it('merchant add says that secrets are shown once', async () => {
    const DATA_DIR = await tempFolder();
    const { exitCode, stdout, stderr } = await runOfferbook({ DATA_DIR }, 'merchant', 'add', 'acme', '--name', 'Acme');
    assert.deepEqual([exitCode, stderr], [0, `Database: sqlite:${DATA_DIR} (new)\n`]);
    assert.match(stdout, /^Merchant acme was added\./);
    assert.match(
      stdout,
      /^ENVIRONMENT {2}USER {19}SECRET\ntest {9}test-\w{16} {2}\S{43}\nlive {9}live-\w{16} {2}\S{43}$/m,
    );
    assert.match(stdout, /shown only once: store them now/);
  });

  it('lists are aligned, and say so when they are empty', async () => {
    const variables = await folderWithAcme();
    const merchant = ['--merchant', 'acme'];
    const printed = async (...args: string[]) => (await runHere(variables, ...args)).stdout;
    assert.equal(
      await printed('node', 'list', ...merchant),
      'Merchant acme has no fulfillment nodes in test or live.\n',
    );
    assert.equal(
      await printed('return-location', 'list', ...merchant, '--env', 'live'),
      'Merchant acme has no return locations in live.\n',
    );
    assert.equal(
      await printed('node', 'add', 'a long\nname', ...merchant, ...EAST_OPTIONS),
      'Fulfillment node a long\\u{a}name of acme was added in test and live.\n',
    );
    await printed('node', 'add', 'b', ...merchant, '--env', 'live', ...EAST_OPTIONS, '--rates', 'per-pound');
    assert.equal(
      await printed('node', 'list', ...merchant),
      [
        'ENVIRONMENT  NODE             RATES      METHODS                      LEVELS',
        'test         a long\\u{a}name  flat       <carrier_2> Ground, Freight  Standard',
        'live         a long\\u{a}name  flat       <carrier_2> Ground, Freight  Standard',
        'live         b                per-pound  <carrier_2> Ground, Freight  Standard',
        '',
      ].join('\n'),
    );
  });

  it('refusals name the option and its value, one line each', async () => {
    const variables = await folderWithAcme();
    const refused = await runOfferbook(
      variables,
      ...['merchant', 'add', '9', '--name', 'N', '--time-to-return', '31', '--return-method', 'Pigeon'],
    );
    assert.deepEqual(refused, {
      exitCode: 1,
      stdout: '',
      stderr: [
        `Database: sqlite:${variables.DATA_DIR}`,
        'offerbook: <merchant-id> "9": must be 1 to 64 lower-case letters, digits or hyphens, a letter first',
        'offerbook: --time-to-return 31: must be an integer from 1 to 30',
        'offerbook: --return-method "Pigeon": must be one of: Freight, <carrier_2> Ground, <carrier_4> Ground',
        '',
      ].join('\n'),
    });
    assert.deepEqual(await runOfferbook(variables, 'node', 'list', '--merchant', 'nobody'), {
      exitCode: 1,
      stdout: '',
      stderr: 'offerbook: No merchant "nobody".\n',
    });
  });

  it('node add changes neither environment if one refuses', async () => {
    const variables = await folderWithAcme();
    const command = ['node', 'add', 'east', '--merchant', 'acme', ...EAST_OPTIONS];
    await offerbookHere(variables, ...command, '--env', 'live');
    assert.deepEqual(await runHere(variables, ...command), {
      exitCode: 1,
      stdout: '',
      stderr: `Database: sqlite:${variables.DATA_DIR}\nofferbook: <node-id> "east": already exists in live\n`,
    });
    assert.deepEqual(await offerbookHere(variables, 'node', 'list', '--merchant', 'acme'), {
      merchant_id: 'acme',
      fulfillment_nodes: { test: [], live: [EAST] },
    });
  });
});

describe('renamed carriers', { concurrency: 4 }, () => {
  it('are accepted in either spelling, shown in the configured one and stored neutrally', async () => {
    const variables = await folderWithAcme();
    const named = { ...variables, CARRIER_NAMES: 'Global,Acme,Third,Fourth,Fifth' };
    const { fulfillment_node } = await offerbookHere(
      named,
      ...['node', 'add', 'east', '--merchant', 'acme', '--rates', 'flat', '--level', 'Standard'],
      ...['--method', 'Acme Ground', '--method', '<carrier_4> Ground'],
    );
    assert.deepEqual((fulfillment_node as Shape).shipping_methods, ['Acme Ground', 'Fourth Ground']);
    const { fulfillment_nodes } = await offerbookHere(variables, 'node', 'list', '--merchant', 'acme', '--env', 'test');
    assert.deepEqual(fulfillment_nodes, {
      test: [{ ...EAST, shipping_methods: ['<carrier_2> Ground', '<carrier_4> Ground'] }],
    });
  });

  it('are unknown if they are not configured', async () => {
    const variables = await folderWithAcme();
    const { exitCode, stderr } = await runHere(
      variables,
      ...['node', 'add', 'east', '--merchant', 'acme', '--rates', 'flat', '--level', 'Standard'],
      ...['--method', 'Acme Ground'],
    );
    assert.equal(exitCode, 1);
    assert.match(
      stderr,
      /^Database: [^\n]*\nofferbook: --method "Acme Ground": must be one of: <carrier_1> Global Mail, [^\n]*\n$/,
    );
  });
});

async function folderWithAcme(): Promise<{ DATA_DIR: string }> {
  const DATA_DIR = await tempFolder();
  await offerbookHere({ DATA_DIR }, 'merchant', 'add', 'acme', '--name', 'Acme Inc.');
  return { DATA_DIR };
}
