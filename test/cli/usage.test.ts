/**
 * Tests wrong usage: exit code 2, one sentence about the mistake, and no change. The first case, and cases without a command, run
 * in a separate process, as an operator runs them.
 */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { runHere, runOfferbook } from '../harness/command-line.ts';
import { tempFolder } from '../harness/temp-folder.ts';

const NODE = ['node', 'add', 'east', '--merchant', 'acme', '--rates', 'flat', '--method', 'Freight'];

const EMBEDDED =
  'requires PostgreSQL, because only one process with the role all can use the embedded database. Set DATABASE_URL.';

const MISTAKES: readonly (readonly [args: readonly string[], message: string])[] = [
  ...['0', '257', '1.5', 'many'].map((count) => {
    const message = `argument '${count}' is invalid. It must be auto, or a whole number from 1 to 256.`;
    return [['serve', '--processes', count], `option '--processes <number>' ${message}`] as const;
  }),
  [
    ['serve', '--role', 'boss'],
    "option '--role <role>' argument 'boss' is invalid. Allowed choices are all, api, worker.",
  ],
  [['serve', '--processes', '2'], `--processes 2 ${EMBEDDED}`],
  [['serve', '--role', 'api'], `--role api ${EMBEDDED}`],
  [['serve', '--role', 'worker'], `--role worker ${EMBEDDED}`],
  [['nod'], "unknown command 'nod' (Did you mean node?)"],
  [['node', 'open'], "unknown command 'open'"],
  [['merchant', 'list', '--all'], "unknown option '--all'"],
  [['merchant', 'list', 'acme'], "too many arguments for 'list'. Expected 0 arguments but got 1: acme."],
  [['merchant', 'add', '--name', 'Acme'], "missing required argument 'merchant-id'"],
  [['merchant', 'add', 'acme'], "required option '--name <text>' not specified"],
  [
    ['merchant', 'add', 'acme', '--name', 'A', '--time-to-return', '1.5'],
    "option '--time-to-return <days>' argument '1.5' is invalid. It must be a whole number.",
  ],
  [['keys', 'roll', '--merchant', 'acme'], "required option '--env <environment>' not specified"],
  [
    ['keys', 'roll', '--merchant', 'acme', '--env', 'both'],
    "option '--env <environment>' argument 'both' is invalid. Allowed choices are test, live.",
  ],
  [
    ['keys', 'roll', '--merchant', 'acme', '--env', 'test', '--overlap', '2 weeks'],
    "option '--overlap <duration>' argument '2 weeks' is invalid. It must be a time like 90s, 30m, 2h or 1d.",
  ],
  [['keys', 'add', '--merchant', 'acme', '--env', 'test'], "required option '--name <text>' not specified"],
  [
    ['keys', 'add', '--merchant', 'acme', '--env', 'test', '--name', 'ERP', '--scope', 'prices'],
    "option '--scope <scope...>' argument 'prices' is invalid. Allowed choices are read, listing, price, stock, files, webhooks, storefront, operate.",
  ],
  [['keys', 'revoke', '--merchant', 'acme', '--env', 'test'], "missing required argument 'user'"],
  [['check-file', 'x.json'], "required option '--type <type>' not specified"],
  [
    ['check-file', 'x.json', '--type', 'InventoryPatch'],
    "option '--type <type>' argument 'InventoryPatch' is invalid. Allowed choices are MerchantSKUs, Price, Inventory, " +
      'Variation, ShippingException, ReturnsException, Archive, Offers.',
  ],
  ...['-5', '0', '10000001'].map((count) => {
    const message = `value '${count}' is invalid for argument 'count'. It must be a whole number from 1 to 10000000.`;
    return [['generate-catalog', count], `command-argument ${message}`] as const;
  }),
  ...['-1', '0', '1000'].map((seed) => {
    const message = `argument '${seed}' is invalid. It must be a whole number from 1 to 999.`;
    return [['generate-catalog', '1', '--seed', seed], `option '--seed <number>' ${message}`] as const;
  }),
  [NODE, "required option '--level <level>' not specified"],
  [
    [...NODE, '--level', 'Standard', '--rates', 'per_pound'],
    "option '--rates <kind>' argument 'per_pound' is invalid. Allowed choices are flat, per-pound.",
  ],
  [
    ['node', 'list', '--merchant', 'acme', '--env', 'prod'],
    "option '--env <environment>' argument 'prod' is invalid. Allowed choices are test, live, both.",
  ],
];

describe('wrong usage', { concurrency: 2 }, () => {
  for (const [place, [args, message]] of MISTAKES.entries()) {
    const run = place === 0 ? runOfferbook : runHere;
    it(`is reported: offerbook ${args.join(' ')}`, async () => {
      const dataDir = await tempFolder();
      assert.deepEqual(await run({ DATA_DIR: dataDir }, ...args), {
        exitCode: 2,
        stdout: '',
        stderr: `offerbook: ${message}\nAdd --help to the command to see its arguments and options.\n`,
      });
      assert.deepEqual(await readdir(dataDir), []);
    });
  }

  it('is reported as JSON', async () => {
    const { exitCode, stdout, stderr } = await runOfferbook({}, 'node', 'list', '--json');
    const message = "required option '--merchant <id>' not specified";
    assert.deepEqual([exitCode, stdout], [2, '']);
    assert.deepEqual(JSON.parse(stderr), {
      errors: [message],
      details: [{ code: 'usage_wrong', field: '', message }],
    });
  });

  for (const args of [[], ['node']]) {
    it(`shows the help when the command is missing: offerbook ${args.join(' ')}`, async () => {
      const { exitCode, stdout, stderr } = await runOfferbook({}, ...args);
      assert.deepEqual([exitCode, stdout], [2, '']);
      assert.match(stderr, /^Usage: offerbook .*\nofferbook: A command is missing\.\n$/s);
    });
  }
});
