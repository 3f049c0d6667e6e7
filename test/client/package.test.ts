/** Tests the client as merchants get it: packed, installed from the tarball, used as a library and as the command `offerbook-client`. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import * as client from '../../client/src/index.ts';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { minimalSku } from '../harness/api-client.ts';
import { assertAnswer, blocksOf } from '../harness/doc-blocks.ts';
import { ROOT } from '../harness/suites.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { waitUntil } from '../harness/wait-until.ts';

const PACKAGE_BYTES_MAX = 300_000;
/** The oldest Node.js that the package supports. */
const NODE_MAJOR_MIN = 20;
/** Far more than a review takes. */
const PATIENCE_MS = 60_000;
const { user, secret } = DEMO_CREDENTIALS.test;

async function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}, input = '') {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [[exitCode], stdout, stderr] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { exitCode: exitCode as number | null, stdout, stderr };
}

/** Finds a Node.js on the PATH that is older than the one of the tests, which is in node_modules. */
function findOlderNode(): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => !folder.includes('node_modules'));
  const majorOf = (version: string | null) => Number.parseInt(version?.replace(/^v/, '') ?? '', 10);
  return folders
    .map((folder) => path.join(folder, 'node'))
    .find((node) => {
      const major = majorOf(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout);
      return major >= NODE_MAJOR_MIN && major < majorOf(process.version);
    });
}

describe('the client package', () => {
  let server: TestServer;
  let folder: string;
  const offerbook = (...args: readonly string[]) => withInput('', ...args);
  const withInput = (input: string, ...args: readonly string[]) =>
    run(
      path.join(folder, 'node_modules/.bin/offerbook-client'),
      args,
      folder,
      { OFFERBOOK_HOME: path.join(folder, 'home') },
      input,
    );
  const done = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await offerbook(...args);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };

  const blocksOn = async (page: string) => blocksOf(await readFile(path.join(ROOT, 'docs/guides', page), 'utf8'));
  const fileOf = async (page: string, name: string) =>
    (await blocksOn(page)).find(({ detail }) => detail === name)?.text ?? assert.fail(name);
  /** Runs the commands of a page, and checks that they print what the next block of the page shows. */
  const shows = async (page: string, commands: string, exitCode: number) => {
    const blocks = await blocksOn(page);
    const answer = blocks[blocks.findIndex(({ text: shown }) => shown === commands) + 1] ?? assert.fail(commands);
    const env = { OFFERBOOK_HOME: path.join(folder, 'home') };
    const script = `exec 2>&1\n${commands.replace('npx ', 'node_modules/.bin/')}`;
    const ended = await run('sh', ['-c', script], folder, env);
    assert.equal(ended.exitCode, exitCode, ended.stdout);
    assertAnswer({ ...answer, text: answer.text.replaceAll('http://127.0.0.1:8080', server.url) }, ended.stdout);
  };

  before(async () => {
    server = await startTestServer();
    folder = await tempFolder();
    await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
    const packed = await run('npm', ['pack', '--json', '--pack-destination', folder], path.join(ROOT, 'client'));
    assert.equal(packed.exitCode, 0, packed.stderr);
    const tarball = path.join(folder, 'offerbook-client-0.1.0.tgz');
    const installed = await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], folder);
    assert.equal(installed.exitCode, 0, installed.stderr);
    const login = ['login', '--server', server.url, '--user', user];
    const env = { OFFERBOOK_HOME: path.join(folder, 'home'), OFFERBOOK_PASS: secret };
    const { exitCode, stderr } = await run(path.join(folder, 'node_modules/.bin/offerbook-client'), login, folder, env);
    assert.equal(exitCode, 0, stderr);
  });
  after(() => server.close());

  it('is small and brings no other package', async () => {
    assert.ok((await stat(path.join(folder, 'offerbook-client-0.1.0.tgz'))).size < PACKAGE_BYTES_MAX);
    const lock = JSON.parse(await readFile(path.join(folder, 'package-lock.json'), 'utf8'));
    assert.deepEqual(Object.keys(lock.packages), ['', 'node_modules/offerbook-client']);
    const installed = await readdir(path.join(folder, 'node_modules/offerbook-client'));
    assert.deepEqual(installed.toSorted(), ['LICENSE', 'README.md', 'dist', 'package.json']);
    assert.equal(await done('--version'), '0.1.0\n');
  });

  it('stores keys in a file that only its owner can read', async () => {
    const file = path.join(folder, 'home/profiles.json');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const wrong = await run(
      path.join(folder, 'node_modules/.bin/offerbook-client'),
      ['login', '--server', server.url, '--user', user],
      folder,
      { OFFERBOOK_HOME: path.join(folder, 'other'), OFFERBOOK_PASS: 'wrong' },
    );
    assert.equal(wrong.exitCode, 4);
    assert.match(wrong.stderr, /\[credentials_wrong\]/);
    await assert.rejects(stat(path.join(folder, 'other/profiles.json')), { code: 'ENOENT' });
  });

  it('lists an offer from the command line, with price and stock', async () => {
    await writeFile(path.join(folder, 'sku.json'), JSON.stringify(minimalSku()));
    assert.equal(await done('sku', 'put', 'a/ü', 'sku.json'), 'a/ü: stored.\n');
    await done('price', 'set', 'a/ü', '12.5', 'demo-node-east=11');
    await done('inventory', 'set', 'a/ü', 'demo-node-east=7');
    assert.equal(JSON.parse(await done('price', 'get', 'a/ü')).price, 12.5);
    const stock = JSON.parse(await done('inventory', 'get', 'a/ü')).fulfillment_nodes;
    assert.deepEqual(
      stock.map(({ fulfillment_node_id, quantity }: { fulfillment_node_id: string; quantity: number }) => [
        fulfillment_node_id,
        quantity,
      ]),
      [['demo-node-east', 7]],
    );
    assert.match(await done('sku', 'list'), /^a\/ü$/m);
    assert.match(await done('review', 'a/ü'), /^a\/ü: /);
    await done('archive', 'a/ü');
    assert.equal(JSON.parse(await done('sku', 'get', 'a/ü')).is_archived, true);
    await done('archive', 'a/ü', '--undo');
    assert.equal(JSON.parse(await done('sku', 'get', 'a/ü')).is_archived, false);
  });

  it('passes on what the server refuses, as text and as JSON, and what does not exist', async () => {
    const refused = await offerbook('price', 'set', 'a/ü', '0', '--json');
    assert.equal(refused.exitCode, 4);
    const { status, problems } = JSON.parse(refused.stderr);
    assert.deepEqual([status, problems[0].code, problems[0].field], [400, 'too_small', '/price']);
    assert.match(
      (await offerbook('price', 'set', 'a/ü', '0')).stderr,
      /^price: must be .* \[too_small\]\nRequest id: /,
    );
    const unknown = await offerbook('sku', 'get', 'none');
    assert.deepEqual([unknown.exitCode, unknown.stdout], [1, 'none: not found.\n']);
    for (const args of [
      ['price', 'set', 'a'],
      ['price', 'set', 'a', 'x'],
      ['prize'],
      ['upload', 'x.json'],
      ['sku', 'get', 'a', '--no'],
    ]) {
      assert.equal((await offerbook(...args)).exitCode, 2, args.join(' '));
    }
  });

  it('uploads a file from standard input, shows its errors and saves the rows to fix', async () => {
    const sent = await withInput(
      '{"f1": {"price": 0}, "f2": {"price": "x"}, "a/ü": {"price": 3, "colour": "red"}}',
      'upload',
      '-',
      '--type',
      'Price',
      '--json',
    );
    assert.equal(sent.exitCode, 1);
    const record = JSON.parse(sent.stdout);
    assert.equal(record.status, 'Processed with errors');
    const id = client.fileIdOf(record);
    const errors = await done('files', 'errors', id);
    assert.match(errors, /^f1 \(line 1, column 2\)\n {2}price: .* \[too_small\]\nf2 /);
    await mkdir(path.join(folder, 'out'), { recursive: true });
    await done('files', 'errors', id, '--retry', 'out/fix.json');
    assert.deepEqual(JSON.parse(await readFile(path.join(folder, 'out/fix.json'), 'utf8')), {
      f1: { price: 0 },
      f2: { price: 'x' },
    });
    assert.match(await done('files', 'list'), new RegExp(`^${id}  Price`, 'm'));
    assert.match(
      await done('files', 'show', id),
      /3 rows processed, 2 failed\.\n {2}\/colour: unknown field, ignored in 1 row\.\n/,
    );
    assert.doesNotMatch(sent.stdout, /signature|error_url/);
    assert.match(sent.stderr, /^File \S+ \(Price\): Processed with errors\. /);
    assert.match(await done('report'), /^[^\n]*sku/i);
  });

  const older = findOlderNode();
  const skip =
    older === undefined
      ? `no Node.js ${NODE_MAJOR_MIN} or later that is older than ${process.version} is on the PATH`
      : false;
  it('runs with an older Node.js', { skip }, async () => {
    const main = 'node_modules/offerbook-client/dist/cli/main.js';
    const env = { OFFERBOOK_HOME: path.join(folder, 'home') };
    const printed = async (input: string, ...args: readonly string[]) => {
      const { exitCode, stdout, stderr } = await run(older ?? '', [main, ...args], folder, env, input);
      assert.deepEqual([exitCode, stderr], [0, ''], args.join(' '));
      return stdout;
    };
    assert.equal(await printed('', '--version'), '0.1.0\n');
    await printed('', 'sku', 'put', 'older', 'sku.json');
    const uploaded = await printed('{"older": {"price": 4.5}}', 'upload', '-', '--type', 'Price');
    assert.match(uploaded, /Processed successfully\. 1 row processed/);
    assert.equal(JSON.parse(await printed('', 'price', 'get', 'older')).price, 4.5);
    assert.match(await printed('', 'sku', 'list'), /^older$/m);
    assert.match(await printed('', 'report', '--json'), /^\{"sku":"older",.*"price":4\.5,/m);
  });

  it('is typed, and runs the programs of its page', async () => {
    const programs = (await blocksOn('client-package.md')).filter(({ mark }) => mark === 'file');
    for (const { detail, text: program } of [...programs, { detail: 'program.ts', text: PROGRAM }]) {
      await writeFile(path.join(folder, detail), program.replaceAll('http://127.0.0.1:8080', server.url));
    }
    await writeFile(path.join(folder, 'tsconfig.json'), await fileOf('clients.md', 'tsconfig.json'));
    await symlink(path.join(ROOT, 'node_modules/@types'), path.join(folder, 'node_modules/@types'), 'junction');
    const compiled = await run(
      process.execPath,
      [path.join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.', '--exactOptionalPropertyTypes'],
      folder,
    );
    assert.equal(compiled.stdout, '');
    const { stdout, stderr } = await run(process.execPath, ['program.ts', server.url, user, secret], folder);
    assert.equal(stderr, '');
    assert.deepEqual(JSON.parse(stdout), { price: 34.5, code: 'too_small', count: 3 });

    await done('sku', 'put', 'HH-MUG-INK', 'sku.json');
    const offers = await run(process.execPath, ['offers.ts'], folder);
    assert.match(offers.stdout, /^HH-MUG-INK /m);
    assert.match(offers.stderr, /^too_small \/price /);
    const first = await run(process.execPath, ['first-offer.ts'], folder);
    assert.deepEqual([first.stdout, first.stderr], ['FIRST-1 is for sale.\n', '']);
    const uploaded = await run(process.execPath, ['upload-prices.ts'], folder);
    assert.match(uploaded.stdout, /^Processed with errors 2\n\{\n"FIRST-1": .*"too_small"/m);
    await shows('client-package.md', 'npx offerbook-client diff catalog.ndjson --values', 1);
    await done('sync', 'catalog.ndjson', '--yes');
    await shows('client-package.md', 'npx offerbook-client diff catalog.ndjson', 0);
    const added = await run(process.execPath, ['add-webhook.ts'], folder);
    assert.match(added.stdout, /^\S+ whsec_\S+\n$/, added.stderr);

    const follow = async () => {
      const { stdout: shown, stderr: said } = await run(process.execPath, ['follow.ts'], folder);
      assert.equal(said, '');
      return shown;
    };
    await waitUntil('the first reviews', PATIENCE_MS, async () => {
      const events = await done('events', '--types', 'offer.status_changed');
      return ['lib-1', 'lib-2', 'FIRST-1'].every((sku) => events.includes(`"${sku}"`)) || undefined;
    });
    // Nothing was for sale before.
    assert.equal(await follow(), '');
    const codes = [{ standard_product_code_type: 'UPC', standard_product_code: '012345678906' }];
    const wrong = { ...minimalSku(), standard_product_codes: codes };
    await writeFile(path.join(folder, 'wrong.json'), JSON.stringify(wrong));
    await done('sku', 'put', 'lib-1', 'wrong.json');
    const shown = await waitUntil('an offer that is off sale', PATIENCE_MS, async () => (await follow()) || undefined);
    assert.match(shown, /^lib-1: Missing Listing Data\n {2}invalid_sku_identifier: .+\n$/);
    assert.equal(await follow(), '');
  });

  it('names every method, function and command on its page', async () => {
    const page = await readFile(path.join(ROOT, 'docs/guides/client-package.md'), 'utf8');
    const { prototype } = client.Offerbook;
    const methods = [
      ...[prototype, Object.getPrototypeOf(prototype)],
      ...[client.Files, client.Webhooks, client.Taxonomy].map((each) => each.prototype),
    ].flatMap(Object.getOwnPropertyNames);
    const functions = Object.keys(client).filter((name) => /^[a-z]/.test(name));
    const calls = [...methods, ...functions].filter((name) => name !== 'constructor');
    const commands = Array.from(
      (await done('help')).matchAll(/^ {2}([a-z-]+(?: [a-z-]+)?) /gm),
      ([, name = '']) => name,
    );
    assert.ok(calls.length > 50 && commands.length > 35, `${calls.length} ${commands.length}`);
    const missing = [
      ...calls.filter((name) => !page.includes(`\`${name}(`)),
      ...commands.filter((name) => !new RegExp(`\\| .*\`${name}[ \`]`).test(page)),
    ];
    assert.deepEqual(missing, []);
  });

  it('syncs every night with the script of the docs', async () => {
    for (const name of ['nightly.sh', 'keys.env', 'stock.csv', 'products.csv', 'export.mjs']) {
      const content = await fileOf('nightly-sync.md', name);
      await writeFile(path.join(folder, name), `${content.replaceAll('http://127.0.0.1:8080', server.url)}\n`);
    }
    for (const sku of ['HH-MUG-INK', 'HH-MUG-MOSS']) await done('sku', 'put', sku, 'sku.json');
    // As in cron, from another folder and without npm's own variables.
    const nightly = () =>
      run('sh', [path.join(folder, 'nightly.sh')], '/', { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin` });
    assert.deepEqual(await nightly(), { exitCode: 0, stdout: '', stderr: '' });
    const log = await readFile(path.join(folder, 'sync.log'), 'utf8');
    assert.match(log, /\(Price\): Processed successfully\..*\nFile \S+ \(Inventory\): Processed successfully\./);
    await shows('nightly-sync.md', '. ./keys.env\nnpx offerbook-client diff stock.csv', 0);
    await writeFile(path.join(folder, 'stock.csv'), 'sku,price\nnever-uploaded,5\n');
    const refused = await nightly();
    assert.equal(refused.exitCode, 1);
    assert.match(refused.stdout, /^Some rows were refused; all others are stored:\nServer: (?:.*\n)*.*never-uploaded/);
    const keys = await readFile(path.join(folder, 'keys.env'), 'utf8');
    await writeFile(path.join(folder, 'keys.env'), keys.replace(secret, 'wrong'));
    const locked = await nightly();
    assert.equal(locked.exitCode, 4);
    assert.match(locked.stdout, /^The run was refused or failed; .*:\nServer: .*\n.* \[credentials_wrong\]\n/);
    assert.deepEqual(await run(process.execPath, ['export.mjs'], folder), { exitCode: 0, stdout: '', stderr: '' });
    assert.match(await done('sync', 'catalog.ndjson', '--yes'), /\(MerchantSKUs\): Processed successfully\. 2 rows /);
    assert.equal(JSON.parse(await done('sku', 'get', 'SYNC-MUG')).product_title, 'Stoneware mug, blue');
  });
});

const PROGRAM = `
import { type ErrorCode, Offerbook, OfferbookError } from 'offerbook-client';

// Known codes can be completed, and others are accepted.
const codes: [Extract<ErrorCode, 'too_small'>, ErrorCode] = ['too_small', 'code_of_a_later_server'];
const [, , url = '', user = '', pass = ''] = process.argv;
const api = new Offerbook({ url, user, pass });
const body = ${JSON.stringify(minimalSku())};
for (const sku of ['lib-1', 'lib-2', 'lib-3']) await api.putSku(sku, body as Parameters<typeof api.putSku>[1]);
await api.putPrice('lib-1', { price: 34.5 });
const price = (await api.getPrice('lib-1'))?.value.price;
const code = await api.putPrice('lib-1', { price: 0 }).catch((error: unknown) => {
  if (error instanceof OfferbookError) return codes.find((known) => error.has(known));
  throw error;
});
let count = 0;
for await (const sku of api.skus()) if (sku.startsWith('lib-')) count++;
console.log(JSON.stringify({ price, code, count }));
`;
