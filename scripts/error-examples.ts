/**
 * Captures a response for every error code of the API from servers that it starts, so that the docs show what clients get. The few codes
 * that a healthy server does not return come from the functions that create them in the server.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { runCommand } from '../src/cli/commands.ts';
import { readSettings } from '../src/config/settings.ts';
import { API_PROBLEM_CODES, requestProblem } from '../src/domain/problem.ts';
import { faultProblem, overloadedAnswer, stoppingAnswer } from '../src/http/answers/faults.ts';
import { problemStatus } from '../src/http/answers/problem-status.ts';
import { refuseTests } from '../src/http/endpoints/events/webhooks.ts';
import { KEY_IN_USE } from '../src/http/idempotency.ts';
import { startOfferbook } from '../src/main.ts';
import { expiredCursor } from '../src/operations/events/read-events.ts';
import { refuseFull } from '../src/operations/files/receive-upload.ts';
import { StoreUnavailableError } from '../src/store/port/errors.ts';
import { Capture, type Code, type Example, PATIENCE_MS } from './error-capture.ts';
import { COLOR, captureRefusals, SKU } from './error-requests.ts';
import { page } from './markdown.ts';

const MINUTE_MS = 60_000;

/** They need several keys, users, an hour or 1,000 offers. */
const PLAN_REFUSALS: readonly (readonly [code: Code, when: string])[] = [
  ['plan_required', '`PUT /merchant-skus/{user_defined_sku_id}/price` with a key that has limits for plans'],
  ['plan_not_found', '`GET /plans/{plan_id}` with an id that does not exist'],
  ['plan_expired', '`POST /plans/{plan_id}/apply` more than an hour after the plan was made'],
  ['plan_stale', '`POST /plans/{plan_id}/apply` after an earlier plan was applied'],
  ['plan_needs_approval', '`POST /plans/{plan_id}/apply` for a plan beyond the guard rails of the key'],
  ['plan_refused', '`POST /plans/{plan_id}/apply` for a plan that a user refused'],
  ['plan_of_other_key', '`POST /plans/{plan_id}/apply` with another key'],
  ['plan_not_applied', '`POST /plans/{plan_id}/undo` for a plan that was not applied'],
  ['plan_too_large', '`POST /plans` with a price change that matches more than 1,000 offers'],
  ['plan_waits_for_files', '`POST /plans` while a bulk file is processed'],
  ['plans_too_many', '`POST /plans` while another plan is made'],
];

/** Adds codes that a server returns only when it fails. */
function addFaults(api: Capture): void {
  const add = (code: Code, problems: readonly { message: string }[], when: string) =>
    api.add(code, when, problemStatus(code), { errors: problems.map(({ message }) => message), details: problems });
  add('internal_error', [faultProblem(new Error()).problem], 'a call that triggers a bug in the server');
  add('store_unavailable', [faultProblem(new StoreUnavailableError()).problem], 'a call while the database is down');
  add('idempotency_key_in_use', [KEY_IN_USE], 'a repeat with the same `Idempotency-Key` while the first request runs');
  add('storefront_off', [requestProblem('storefront_off')], '`GET …/position` while the storefront is off');
  const unknown = '`GET /storefront/products/036000291452` while no merchant sells it';
  add('product_not_found', [requestProblem('product_not_found')], unknown);
  const incomplete = '`POST /storefront/exports` soon after the storefront was turned on';
  add('storefront_incomplete', [requestProblem('storefront_incomplete')], incomplete);
  add('overloaded', overloadedAnswer(1).problems, 'a call while too many others are waiting');
  const feed = { tag: '5f0c27b1e4aa', dropped: 63, oldestMs: Date.UTC(2026, 0, 31, 9, 30) };
  add('cursor_expired', [expiredCursor(feed)], '`GET /events?after=…` with a cursor that is more than 30 days old');
  add('webhook_tests_too_many', refuseTests().problems, '`POST /webhooks/{webhook_id}/test` while 5 are being sent');
  add('disk_full', refuseFull().problems, '`PUT /uploads/{id}?…` while the disk is full');
  add('stopping', stoppingAnswer().problems, 'a call while the server stops');
  for (const [code, when] of PLAN_REFUSALS) add(code, [requestProblem(code)], when);
}

/** Captures one response for each code of the API. */
export async function captureErrors(): Promise<ReadonlyMap<string, Example>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'offerbook-examples-'));
  try {
    const examples = new Map([...(await captureOrdinary(folder)), ...(await captureLimited(folder))]);
    for (const code of Object.keys(API_PROBLEM_CODES)) {
      if (!examples.has(code)) throw new Error(`scripts/error-requests.ts has no example of ${code}`);
    }
    return examples;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function captureOrdinary(folder: string): Promise<ReadonlyMap<string, Example>> {
  const DATA_DIR = path.join(folder, 'ordinary');
  let ahead_ms = 0;
  const offerbook = await startOfferbook(
    readSettings({
      PORT: '0',
      DEMO_OFFERS: 'off',
      DATA_DIR,
      LOG_LEVEL: 'silent',
      IMAGE_CHECK: 'off',
      FILES_FREE_BYTES_MIN: '0',
      FILE_BYTES_MAX: '1000000',
      FILE_UNPACKED_BYTES_MAX: '1000000',
    }),
    {
      demo: true,
      clock: { nowMs: () => Date.now() + ahead_ms, monotonicMs: () => performance.now() + ahead_ms },
    },
  );
  try {
    const api = new Capture(offerbook.url);
    await api.signIn();
    const attributes_node_specific = [{ attribute_id: COLOR, attribute_value: 'white' }];
    for (const [sku, fields] of Object.entries({
      'MUG-300': { attributes_node_specific },
      'MUG-500': { attributes_node_specific },
      'OTHER-1': { attributes_node_specific, brand: 'Other' },
      'OLD-1': { attributes_node_specific },
    })) {
      await api.done('PUT', `/merchant-skus/${sku}`, { ...SKU, ...fields });
    }
    await api.done('PUT', '/merchant-skus/OLD-1/status/archive', { is_archived: true });
    await captureRefusals(api);
    addFaults(api);

    const limits = ['--scope', 'price', '--sku-prefix', 'ACME-'];
    const added = await command(
      DATA_DIR,
      ...['keys', 'add', '--merchant', 'demo', '--env', 'test', '--name', 'prices', ...limits, '--json'],
    );
    await api.signInWith(JSON.parse(added).credentials);
    await api.refused('scope_missing', 'GET', '/events', undefined, 'with a key that has only the scope `price`');
    const ofPrefix = 'with a key that has the SKU prefix `ACME-`';
    await api.refused('sku_outside_prefix', 'PUT', '/merchant-skus/MUG-300/price', { price: 5 }, ofPrefix);
    await api.signIn();

    const { url } = await api.done('GET', '/files/uploadToken');
    ahead_ms += 31 * MINUTE_MS;
    const { status, body } = await api.send('PUT', String(url), '{"MUG-300": {}}');
    api.add('link_expired', '`PUT /uploads/{id}?…` 31 minutes after the URL was issued', status, body);
    await command(DATA_DIR, 'merchant', 'suspend', 'demo');
    await untilRefused(api, 'merchant_suspended', 'by a suspended merchant');
    await command(DATA_DIR, 'merchant', 'resume', 'demo');
    await command(DATA_DIR, 'keys', 'roll', '--merchant', 'demo', '--env', 'test', '--yes');
    await untilRefused(api, 'token_revoked', 'with a token of keys that were replaced');
    for (const endMs = Date.now() + PATIENCE_MS; Date.now() < endMs; await pause(50)) {
      await api.signIn('live');
      if ((await api.send('GET', '/authcheck')).status === 200) break;
    }
    ahead_ms += 601 * MINUTE_MS;
    await api.refused('token_expired', 'GET', '/authcheck', undefined, 'with a token that is 10 hours old');
    return api.examples;
  } finally {
    await offerbook.close();
  }
}

/** Captures refusals of a server with low limits and its own names. */
async function captureLimited(folder: string): Promise<ReadonlyMap<string, Example>> {
  const settings = {
    PORT: '0',
    LOG_LEVEL: 'silent',
    IMAGE_CHECK: 'off',
    MARKETPLACE_NAME: 'acme',
    REQUESTS_PER_MINUTE: '4',
  };
  const offerbook = await startOfferbook(
    readSettings({
      ...settings,
      DATA_DIR: path.join(folder, 'limited'),
      FILES_FREE_BYTES_MIN: '0',
      FILES_WAITING_BYTES_MAX: '10',
    }),
    { demo: true },
  );
  try {
    const api = new Capture(offerbook.url);
    await api.signIn();
    const { url } = await api.done('GET', '/files/uploadToken');
    const { status, body } = await api.send('PUT', String(url), '{"MUG-300": {}}');
    const upload = '`PUT /uploads/{id}?…` while earlier files of the account have reached the limit';
    api.add('files_waiting_too_large', upload, status, body);
    const both = { ...SKU, acme_browse_node_id: 1010100, marketplace_browse_node_id: 1010100 };
    const shown = 'with `acme_browse_node_id` and `marketplace_browse_node_id`, on a marketplace named acme';
    await api.refused('duplicate_spelling', 'PUT', '/merchant-skus/MUG-300', both, shown);
    const when = 'on a server that allows 4 requests in 60 seconds';
    await api.refused('rate_limited', 'GET', '/authcheck', undefined, when);
    return api.examples;
  } finally {
    await offerbook.close();
  }
}

async function untilRefused(api: Capture, code: Code, when: string): Promise<void> {
  for (const endMs = Date.now() + PATIENCE_MS; Date.now() < endMs; await pause(50)) {
    if ((await api.send('GET', '/authcheck')).status === problemStatus(code)) break;
  }
  await api.refused(code, 'GET', '/authcheck', undefined, when);
}

/** Runs a command; resolves with its output. */
async function command(DATA_DIR: string, ...args: string[]): Promise<string> {
  let output = '';
  const exitCode = await runCommand(
    {
      variables: { DATA_DIR },
      out: (line) => {
        output += line;
      },
      err: () => {},
      input: new PassThrough().end(),
      output: new PassThrough(),
      needWholeOutput: () => {},
      terminal: undefined,
      ask: undefined,
    },
    args,
  );
  if (exitCode !== 0) throw new Error(`offerbook ${args.join(' ')} ended with code ${exitCode}`);
  return output;
}

export async function errorExamplesPage(): Promise<string> {
  const examples = await captureErrors();
  return page(
    '# Error examples',
    'This page shows a response for every error code of the API, as a server sends it. [Errors](errors.md) lists the codes with their meaning, ' +
      '[error handling](../guides/error-handling.md) says what your program does about them. Decide by `code`; the wording of messages may change.',
    ...Object.entries(API_PROBLEM_CODES).map(([code, meaning]) => section(code, meaning, examples.get(code))),
  );
}

function section(code: string, meaning: string, example: Example | undefined): string {
  const { request, status, answer } = example ?? { request: '', status: 0, answer: {} };
  const what = `Example: ${request.trim()}${status === 0 ? '' : `. The response is ${status}`}:`;
  return [`## \`${code}\``, meaning, what, `\`\`\`json\n${shortened(code, answer)}\n\`\`\``].join('\n\n');
}

/** Shortens a response with a hundred problems, which is too long for a page. */
function shortened(code: string, answer: unknown): string {
  if (code !== 'more_problems') return JSON.stringify(answer, undefined, 2);
  const { errors, details } = answer as { errors: string[]; details: unknown[] };
  const ends = (list: readonly unknown[]) => [list[0], '…', list.at(-1)];
  return JSON.stringify({ errors: ends(errors), details: ends(details) }, undefined, 2);
}
