/**
 * `offerbook upload`, `files` and `errors` against a running server, as a merchant uses them. The first case of each kind, and
 * cases with standard input or Ctrl+C, run in separate processes.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { scriptedServer, TOKEN } from '../../src/client/testing/scripted-server.ts';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { type CommandRun, offerbookHere, offerbookJson, runHere, runOfferbook } from '../harness/command-line.ts';
import { type ServeProcess, startServeProcess } from '../harness/serve-process.ts';
import { tempFolder } from '../harness/temp-folder.ts';

const { user, secret } = DEMO_CREDENTIALS.test;
const PASS = { OFFERBOOK_PASS: secret };
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DONE = 'Processed successfully';

async function fileOf(rows: unknown, name = 'rows.json'): Promise<string> {
  const file = path.join(await tempFolder(), name);
  await writeFile(file, typeof rows === 'string' ? rows : JSON.stringify(rows));
  return file;
}

/** A command in a process that can be given input, and Ctrl+C. */
function startOfferbook(server: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, ['bin/offerbook.mjs', ...args, '--server', server, '--user', user], {
    cwd: path.resolve(import.meta.dirname, '../..'),
    env: { ...process.env, ...PASS },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A command that ends early stops reading.
  child.stdin.on('error', () => {});
  const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
    ([[exitCode], stdout, stderr]): CommandRun => ({ exitCode: exitCode as number | null, stdout, stderr }),
  );
  return { child, ended };
}

describe('commands for bulk files', { concurrency: 3 }, () => {
  let server: ServeProcess;
  let folder: string;
  const at = () => ['--server', server.url, '--user', user];
  const upload = (file: string, type: string) => runHere(PASS, 'upload', file, '--type', type, ...at());
  const uploadJson = (file: string, type: string) => offerbookHere(PASS, 'upload', file, '--type', type, ...at());
  const read = async (address: string) => {
    const headers = { authorization: `Bearer ${await requestToken(server.url, 'test')}` };
    return (await (await fetch(`${server.url}${address}`, { headers })).json()) as Record<string, unknown>;
  };

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'offerbook-test-'));
    server = await startServeProcess({ DATA_DIR: folder });
  });
  after(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  it('upload sends a file and follows it to its end; without a terminal there are no bars', async () => {
    const file = await fileOf({ 'up-1': minimalSku(), 'up-2': minimalSku() }, 'two.json');
    const { exitCode, stdout, stderr } = await runOfferbook(PASS, 'upload', file, '--type', 'MerchantSKUs', ...at());
    assert.deepEqual([exitCode, stdout], [0, `${DONE}: 2 rows.\n`]);
    assert.match(stderr, /^two\.json was submitted as file [0-9a-f-]{36}\.\n$/);
    assert.equal((await read(skuPath('up-2'))).product_title, minimalSku().product_title);
  });

  it('upload prints the record as JSON, and takes gzip and standard input', async () => {
    const packed = path.join(await tempFolder(), 'c.json.gz');
    await offerbookHere({}, 'generate-catalog', '50', '--out', packed);
    const record = await uploadJson(packed, 'MerchantSKUs');
    assert.match(String(record.marketplace_file_id), UUID);
    assert.deepEqual(
      [record.status, record.rows_processed, record.file_name, record.error_summary],
      [DONE, 50, 'c.json.gz', []],
    );
    const { child, ended } = startOfferbook(server.url, 'upload', '-', '--type', 'MerchantSKUs', '--json');
    child.stdin.end(JSON.stringify({ 'up-3': minimalSku() }));
    const { exitCode, stdout } = await ended;
    assert.equal(exitCode, 0);
    const { file_name, rows_processed } = JSON.parse(stdout);
    assert.deepEqual([file_name, rows_processed], ['standard input', 1]);
  });

  it('upload ends with 1 and the causes when rows failed; errors shows them, and saves the rows to fix', async () => {
    const good = { 'err-1': minimalSku(), 'err-2': minimalSku() };
    await uploadJson(await fileOf(good), 'MerchantSKUs');
    const rows = { 'err-1': { price: 1 }, 'err-2': { price: 'x' }, 'err-3': { price: 1 }, 'err-4': { price: 2 } };
    const failing = await upload(await fileOf(rows, 'prices.json'), 'Price');
    const id = / as file (\S+)\.$/m.exec(failing.stderr)?.[1] ?? '';
    assert.equal(failing.exitCode, 1);
    assert.deepEqual(failing.stdout.split('\n'), [
      'Processed with errors: 4 rows, 3 failed.',
      '',
      'ROWS  CODE         FIELD   FOR EXAMPLE',
      '2     sku_unknown  -       err-3: SKU err-3 not found.',
      '1     wrong_type   /price  err-2: price: must be a number from 0.01 to 1000000000, not a string',
      '',
      `All errors: offerbook errors ${id} ${at().join(' ')}`,
      `Failed rows to fix and upload again: offerbook errors ${id} ${at().join(' ')} --retry <file>`,
      '',
    ]);

    const shown = await runOfferbook(PASS, 'errors', id, ...at());
    assert.deepEqual(
      [shown.exitCode, shown.stdout.split('\n')],
      [
        0,
        [
          'err-2 (line 1, column 22, byte 21)',
          '  price: must be a number from 0.01 to 1000000000, not a string [wrong_type]',
          'err-3 (line 1, column 44, byte 43)',
          '  SKU err-3 not found. [sku_unknown]',
          'err-4 (line 1, column 64, byte 63)',
          '  SKU err-4 not found. [sku_unknown]',
          '',
        ],
      ],
    );
    const some = await runHere(PASS, 'errors', id, '--limit', '1', ...at());
    assert.deepEqual(some.stdout.split('\n').slice(2), ['and 2 more rows; --limit 0 shows all', '']);
    const json = await offerbookJson(PASS, 'errors', id, ...at());
    assert.deepEqual(Object.keys(json), ['err-2', 'err-3', 'err-4']);

    const retry = path.join(await tempFolder(), 'retry.json');
    const saved = await runHere(PASS, 'errors', id, '--retry', retry, ...at());
    assert.deepEqual([saved.exitCode, saved.stdout], [0, `Saved 3 failed rows as ${retry}.\n`]);
    const { 'err-1': _good, ...bad } = rows;
    assert.deepEqual(JSON.parse(await readFile(retry, 'utf8')), bad);
    const again = await runHere(PASS, 'errors', id, '--retry', retry, ...at());
    assert.deepEqual(
      [again.exitCode, again.stderr],
      [1, `offerbook: The file ${retry} exists already; it is not overwritten.\n`],
    );
    assert.deepEqual(await readdir(path.dirname(retry)), ['retry.json']);
    const fixed = await fileOf({ 'err-2': { price: 3 } });
    assert.equal((await uploadJson(fixed, 'Price')).status, DONE);
    assert.equal((await read(`${skuPath('err-2')}/price`)).price, 3);
  });

  it('upload names unknown fields; so does the check', async () => {
    const file = await fileOf({ 'ign-1': { ...minimalSku(), titel: 'x' }, 'ign-2': { ...minimalSku(), titel: 'y' } });
    const notice = 'Notice: unknown fields were ignored: /titel (2 rows).\n';
    const sent = await upload(file, 'MerchantSKUs');
    assert.deepEqual([sent.exitCode, sent.stdout], [0, `${DONE}: 2 rows.\n${notice}`]);
    const checked = await runHere({}, 'upload', file, '--type', 'MerchantSKUs', '--check');
    assert.ok(checked.stdout.startsWith(`${file}: 2 rows, no errors.\n${notice}`), checked.stdout);
  });

  it('errors counts rows with an empty key as rows', async () => {
    const { stderr } = await upload(
      await fileOf('{"": {"price": 1}, "": {"price": 2}, "": {"price": 3}, oops'),
      'Price',
    );
    const id = / as file (\S+)\.$/m.exec(stderr)?.[1] ?? '';
    const { stdout } = await runHere(PASS, 'errors', id, '--limit', '2', ...at());
    assert.deepEqual(stdout.split('\n').slice(2), [
      'A row without a SKU id (line 1, column 20, byte 19)',
      '  The key of the row (a SKU id) must not be empty. [sku_id_invalid]',
      'and 1 more row; --limit 0 shows all',
      '',
    ]);
  });

  it('upload says what is wrong with a file as a whole', async () => {
    const { exitCode, stdout } = await upload(await fileOf('[1]'), 'Price');
    assert.equal(exitCode, 1);
    assert.match(stdout, /^Processed with errors: 0 rows\.\n\n.*\n1 +file_not_object +- +The file must be /);
    assert.match(stdout, /^All errors: offerbook errors /m);
    assert.doesNotMatch(stdout, /--retry/, 'there are no rows');
  });

  it('errors refuses a file without errors, and a missing file', async () => {
    const record = await uploadJson(await fileOf({}), 'Price');
    const id = String(record.marketplace_file_id);
    assert.deepEqual(await runHere(PASS, 'errors', id, ...at()), {
      exitCode: 1,
      stdout: '',
      stderr: `offerbook: File ${id} has no errors; its status is: ${DONE}.\n`,
    });
    const unknown = await runHere(PASS, 'errors', 'nope', '--json', ...at());
    assert.deepEqual([unknown.exitCode, unknown.stdout], [1, '']);
    assert.equal(JSON.parse(unknown.stderr).details[0].code, 'file_not_found');
    const empty = await runHere(PASS, 'errors', '', ...at());
    assert.equal(empty.exitCode, 2);
    assert.match(empty.stderr, /It must be the id of a file\./);
  });

  it('files lists what was sent, newest first, by pages', async () => {
    const live = { OFFERBOOK_PASS: DEMO_CREDENTIALS.live.secret };
    const liveAt = ['--server', server.url, '--user', DEMO_CREDENTIALS.live.user];
    const none = await runOfferbook(live, 'files', ...liveAt);
    assert.deepEqual([none.exitCode, none.stdout], [0, 'No files were uploaded.\n']);
    for (const name of ['one.json', 'two.json', 'three.json']) {
      await offerbookHere(live, 'upload', await fileOf({}, name), '--type', 'Archive', ...liveAt);
    }
    const page = await runHere(live, 'files', '--limit', '2', ...liveAt);
    const [head, ...lines] = page.stdout.trimEnd().split('\n');
    assert.match(head ?? '', /^ID +TYPE +NAME +RECEIVED +STATUS +ROWS +FAILED$/);
    assert.deepEqual(
      lines.map((line) => line.split(/ {2,}/).toSpliced(3, 1).slice(1)),
      [
        ['Archive', 'three.json', DONE, '0', '0'],
        ['Archive', 'two.json', DONE, '0', '0'],
      ],
    );
    const rest = await offerbookHere(live, 'files', '--offset', '2', ...liveAt);
    assert.deepEqual(
      (rest.files as { file_name: string }[]).map(({ file_name }) => file_name),
      ['one.json'],
    );
    assert.match((await runHere(live, 'files', '--offset', '3', ...liveAt)).stdout, /^There are no older files\./);
    const wrong = await runHere(live, 'files', '--limit', '1001', ...liveAt);
    assert.equal(wrong.exitCode, 1);
    assert.match(wrong.stderr, /^offerbook: .*limit/);
  });

  it('say that the user or secret is missing or wrong, and never prompt without a terminal', async () => {
    const missing = 'offerbook: The secret of ann is missing: set OFFERBOOK_PASS.\n';
    const server_ = ['--server', server.url];
    assert.deepEqual(await runHere({}, 'files', '--user', 'ann', ...server_), {
      exitCode: 1,
      stdout: '',
      stderr: missing,
    });
    const userless = await runHere(PASS, 'files', ...server_);
    assert.equal(userless.stderr, 'offerbook: The user is missing: add --user.\n');
    const wrong = await runHere({ OFFERBOOK_PASS: 'wrong' }, 'files', '--user', user, '--json', ...server_);
    assert.equal(JSON.parse(wrong.stderr).details[0].code, 'credentials_wrong');
  });

  it('upload says that a file cannot be read, before it asks for a place', async () => {
    const absent = path.join(await tempFolder(), 'absent.json');
    for (const [file, reason] of [
      [absent, /^offerbook: The file .*absent\.json cannot be read: there is no such file\.\n$/],
      [path.dirname(absent), /^offerbook: The file .* cannot be read: it is a folder\.\n$/],
    ] as const) {
      const { exitCode, stderr } = await upload(file, 'Price');
      assert.equal(exitCode, 1);
      assert.match(stderr, reason);
    }
  });
});

describe('Ctrl+C', { concurrency: 2 }, () => {
  it('stops following and leaves the file to the server', async (t) => {
    const record = { marketplace_file_id: 'f-1', file_name: 'p.json', status: 'Processing', received: 'now' };
    const address = { url: '', marketplace_file_id: 'f-1' };
    const looked = Promise.withResolvers<void>();
    const { url } = await scriptedServer(t, [
      TOKEN,
      [200, address],
      [201, ''],
      [200, { ...record, status: 'Acknowledged' }],
      [200, record],
      () => looked.resolve(),
    ]);
    address.url = `${url}/files/uploads/f-1`;
    const { child, ended } = startOfferbook(url, 'upload', await fileOf({}), '--type', 'Price');
    await looked.promise;
    child.kill('SIGINT');
    assert.deepEqual(await ended, {
      exitCode: 1,
      stdout: '',
      stderr:
        'rows.json was submitted as file f-1.\n' +
        'File f-1 is still being processed by the server; "offerbook files" shows its progress.\n',
    });
  });

  it('cancels an upload, and submits nothing', async (t) => {
    const address = { url: '', marketplace_file_id: 'f-1' };
    const arriving = Promise.withResolvers<void>();
    const { url, seen } = await scriptedServer(t, [
      TOKEN,
      [200, address],
      (request) => void request.once('data', () => arriving.resolve()),
    ]);
    address.url = `${url}/files/uploads/f-1`;
    const { child, ended } = startOfferbook(url, 'upload', '-', '--type', 'Price');
    // Gzip bytes, because plain bytes would be buffered to be compressed with later ones.
    child.stdin.write(Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.alloc(100_000, 'x')]));
    await arriving.promise;
    child.kill('SIGINT');
    assert.deepEqual(await ended, {
      exitCode: 1,
      stdout: '',
      stderr: 'The upload was cancelled; nothing was submitted.\n',
    });
    assert.deepEqual(
      seen.map(({ call }) => call),
      ['POST /token', 'GET /files/uploadToken'],
    );
  });

  it('stops a download, and leaves no file', async (t) => {
    const record = { marketplace_file_id: 'f-1', status: 'Processed with errors', error_url: '', retry_url: '' };
    const sending = Promise.withResolvers<void>();
    const { url } = await scriptedServer(t, [
      TOKEN,
      [200, record],
      (_request, response) => void response.write('{\n"a": {},', () => sending.resolve()),
    ]);
    Object.assign(record, { error_url: `${url}/errors.json`, retry_url: `${url}/retry.json` });
    const folder = await tempFolder();
    const { child, ended } = startOfferbook(url, 'errors', 'f-1', '--retry', path.join(folder, 'retry.json'));
    await sending.promise;
    child.kill('SIGINT');
    assert.deepEqual(await ended, { exitCode: 1, stdout: '', stderr: 'offerbook: Stopped.\n' });
    assert.deepEqual(await readdir(folder), []);
  });

  it('does not claim to know whether a file was submitted', async (t) => {
    const address = { url: '', marketplace_file_id: 'f-1' };
    const submitted = Promise.withResolvers<void>();
    const { url } = await scriptedServer(t, [TOKEN, [200, address], [201, ''], () => submitted.resolve()]);
    address.url = `${url}/files/uploads/f-1`;
    const { child, ended } = startOfferbook(url, 'upload', await fileOf({}), '--type', 'Price');
    await submitted.promise;
    child.kill('SIGINT');
    assert.deepEqual(await ended, {
      exitCode: 1,
      stdout: '',
      stderr: 'Stopped while the file was being submitted. "offerbook files" shows whether it was.\n',
    });
  });
});

describe('upload --check', { concurrency: 2 }, () => {
  it('sends nothing, needs no server, and names what it does not know', async () => {
    const file = await fileOf({ a: { price: 1, fulfillment_nodes: [] } });
    assert.deepEqual(await runOfferbook({}, 'upload', file, '--type', 'Price', '--check'), {
      exitCode: 0,
      stdout:
        `${file}: 1 row, no errors.\nNot checked, because only the server can: whether each SKU exists and is ` +
        'not archived; whether the merchant has the fulfillment nodes.\n',
      stderr: '',
    });
  });

  it('ends with 1 when a row is wrong', async () => {
    const file = await fileOf({ a: { price: 1 }, b: { price: 0, prize: 1 } });
    const { exitCode, stdout } = await runHere({}, 'upload', file, '--type', 'Price', '--check', '--json');
    assert.equal(exitCode, 1);
    const message = 'price: must be a number from 0.01 to 1000000000';
    assert.deepEqual(JSON.parse(stdout), {
      file,
      file_type: 'Price',
      rows: 2,
      failed: 1,
      error_summary: [{ code: 'too_small', field: '/price', rows: 1, example: `b: ${message}` }],
      ignored_fields: [{ field: '/prize', rows: 1 }],
      not_checked: ['whether each SKU exists and is not archived', 'whether the merchant has the fulfillment nodes'],
    });
  });

  it('shows the first rows and counts the others', async () => {
    const rows = Object.fromEntries(Array.from({ length: 23 }, (_, row) => [`sku-${row}`, {}]));
    const { stdout } = await runHere({}, 'upload', await fileOf(rows), '--type', 'Price', '--check');
    assert.equal(stdout.match(/^sku-\d+ \(line 1, column \d+, byte \d+\)$/gm)?.length, 20);
    assert.match(stdout, /^and 3 more$/m);
    assert.match(stdout, /: 23 rows, 23 with errors\.$/m);
  });
});
