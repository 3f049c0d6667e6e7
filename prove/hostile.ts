/**
 * `node prove/hostile.ts`: sends requests that no friendly client sends. Most are built from the API's own documents: every field of every
 * body with wrong values, every path with every method and forged tokens, strange paths, queries and headers. The others are random bodies,
 * and bytes that are not valid HTTP. The server must answer each in time and never with 500, must not show its code or files, and must not
 * keep memory.
 *
 * `--requests N`, `--seed N`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { FigureTable } from '../bench/floors.ts';
import { anonymousMegabytes } from '../bench/machine.ts';
import { countOf } from '../bench/options.ts';
import { writeResult } from '../bench/report.ts';
import { issueCredential } from '../src/access/tokens/secrets.ts';
import { MARKETPLACE_SCOPES, scopeSet } from '../src/domain/setup/key-scopes.ts';
import { requestToken } from '../test/harness/api-client.ts';
import { HOSTILE_BODIES } from '../test/harness/hostile-bodies.ts';
import {
  type DescribedCall,
  describedCalls,
  readOpenApi,
  withoutReferences,
} from '../test/harness/openapi-document.ts';
import { withSetupStore } from '../test/harness/own-server.ts';
import { randomBody } from '../test/harness/random-bodies.ts';
import { RawConnection } from '../test/harness/raw-http.ts';
import { seededChance } from '../test/harness/seeded-random.ts';
import { startServeProcess } from '../test/harness/serve-process.ts';
import { RAW_BYTES, STRANGE_TEXTS, WRONG_VALUES } from './hostile-values.ts';

const { values: options } = parseArgs({
  options: { requests: { type: 'string', default: '300000' }, seed: { type: 'string', default: '1' } },
});
const REQUESTS = countOf('requests', options.requests);
const CONNECTIONS = 24;
/** A response that takes longer counts as a hang. Calls that wait for events do so for 30 s at most. */
const ANSWER_MS_MAX = 45_000;
/** The memory then has its usual size: caches are full, and large bodies were read. A short run only shows it. */
const WARM_REQUESTS = 50_000;
/** Growth after that, which is not a leak: the calls of the marketplace come last. */
const GROWTH_MB_MAX = 100;
const METHODS = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];
const PARTS = ['', '/v2', '/price', '/inventory', '/variation', '/shippingexception', '/returnsexception', '/offer'];
const LEAKS = /node:internal|^\s+at .+:\d+:\d+|SQLITE_|\.ts:\d+|node_modules|offerbook-prove-/m;

interface Sent {
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-prove-'));
const server = await startServeProcess({
  DATA_DIR: folder,
  REQUESTS_PER_MINUTE: '100000000',
  STOREFRONT: 'on',
  LOG_LEVEL: 'info',
});
const figures = new FigureTable('Hostile requests', true);
const counted = { requests: 0, refused: 0, accepted: 0, faults: 0 };
let warmMegabytes: number | undefined;
try {
  await run();
} finally {
  await server.stop('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
process.exit(process.exitCode ?? 0);

async function run(): Promise<void> {
  const merchant = describedCalls(await described(''));
  const marketplace = describedCalls(await described('marketplace/'));
  const token = await requestToken(server.url, 'test');
  const pool = new Pool(server.url, {
    connections: CONNECTIONS,
    headersTimeout: ANSWER_MS_MAX,
    bodyTimeout: ANSWER_MS_MAX,
  });
  await sendAll(pool, fromDocument(merchant, token));
  await sendAll(pool, randomParts(token, Math.max(0, REQUESTS - counted.requests - 20_000)));
  await sendBytes();
  // These calls may suspend the merchant, so they come last.
  await sendAll(pool, fromDocument(marketplace, await marketplaceToken()));
  const after = megabytes();
  await pool.close();
  figures.figure({ what: 'requests', value: counted.requests, unit: 'calls', floor: Math.min(REQUESTS, 1000) });
  figures.figure({ what: 'refused', value: counted.refused, unit: 'calls', floor: 1 });
  figures.figure({ what: 'accepted', value: counted.accepted, unit: 'calls', floor: 1 });
  figures.figure({
    what: 'with status 500, without a response, or with something of the server itself',
    value: counted.faults,
    unit: 'calls',
    ceiling: 0,
  });
  const memory = { what: 'memory at the end (RssAnon)', value: after, unit: 'MB' };
  if (warmMegabytes === undefined) figures.figure(memory);
  else {
    figures.figure({ what: 'memory after 50,000 requests (RssAnon)', value: warmMegabytes, unit: 'MB' });
    figures.figure({ ...memory, ceiling: warmMegabytes + GROWTH_MB_MAX });
  }
  if (figures.sayMissed()) process.exitCode = 1;
  writeResult('proof-hostile', { tables: [figures] });
}

async function described(of: '' | 'marketplace/') {
  const document = await readOpenApi(server.url, of);
  return withoutReferences(document, document);
}

function megabytes(): number {
  return anonymousMegabytes(server.process.pid ?? 0) ?? Number.NaN;
}

async function marketplaceToken(): Promise<string> {
  const { user, secret, stored } = issueCredential('test');
  await withSetupStore({ DATA_DIR: folder }, async ({ settings }) => {
    const account = await settings.addMarketplaceAccount('test');
    const key = { ...stored, scopes: scopeSet(MARKETPLACE_SCOPES), skuPrefix: '', name: 'hostile' };
    await settings.addCredential(account, key, Date.now(), 99);
  });
  const answer = await fetch(`${server.url}/token`, { method: 'POST', body: JSON.stringify({ user, pass: secret }) });
  return ((await answer.json()) as { id_token: string }).id_token;
}

/** Sends requests over all connections; the order within a connection is that of the list. */
async function sendAll(pool: Pool, requests: Iterable<Sent>): Promise<void> {
  const rest = requests[Symbol.iterator]();
  const send = async () => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) await sendOne(pool, next.value);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, send));
}

async function sendOne(pool: Pool, { method, target, headers, body }: Sent): Promise<void> {
  counted.requests++;
  if (counted.requests === WARM_REQUESTS) warmMegabytes = megabytes();
  const answer = await pool
    .request({ method: method as 'GET', path: target, headers: headers ?? {}, body: body ?? null })
    .then(async ({ statusCode, headers: sent, body: stream }) => ({ statusCode, sent, text: await stream.text() }))
    .catch((error: unknown) => ({ statusCode: 0, sent: {}, text: String(error) }));
  const { statusCode, text, sent } = answer;
  if (statusCode >= 200 && statusCode < 300) counted.accepted++;
  if (statusCode >= 400 && statusCode < 500) counted.refused++;
  const isUnavailable = statusCode === 503 && 'retry-after' in sent;
  if (statusCode >= 200 && (statusCode < 500 || isUnavailable) && !LEAKS.test(text)) return;
  counted.faults++;
  const shownBody = body === undefined ? '' : ` ${body.slice(0, 300)}`;
  console.error(
    `${statusCode} for ${method} ${target.slice(0, 200)} ${JSON.stringify(headers)}${shownBody}: ${text.slice(0, 300)}`,
  );
}

/** Every call of a document: with each field of its body replaced, each parameter, each header, each method, and forged tokens. */
function* fromDocument(calls: readonly DescribedCall[], token: string): Generator<Sent> {
  const authorization = { authorization: `Bearer ${token}` };
  for (const { method, path: template, operation } of calls) {
    const media = operation.requestBody?.content['application/json'];
    const examples =
      media === undefined ? [] : [media.example, ...Object.values(media.examples ?? {}).map(({ value }) => value)];
    const target = filled(template, 'hostile-1');
    for (const example of examples.filter((one) => one !== undefined)) {
      for (const body of mutants(example)) yield { method, target, headers: authorization, body };
    }
    const body = examples[0] === undefined ? {} : { body: JSON.stringify(examples[0]) };
    for (const text of STRANGE_TEXTS) {
      if (template.includes('{')) yield { method, target: filled(template, text), headers: authorization, ...body };
      for (const { name } of operation.parameters.filter((one) => one.in === 'query'))
        yield { method, target: `${target}?${name}=${text}`, headers: authorization, ...body };
      for (const { name } of operation.parameters.filter((one) => one.in === 'header'))
        yield { method, target, headers: { ...authorization, [name.toLowerCase()]: visible(text) }, ...body };
    }
    for (const other of METHODS) yield { method: other, target, headers: authorization };
    for (const forged of forgeries(token)) yield { method, target, headers: { authorization: forged }, ...body };
  }
}

/** Replaces the parameters of a path. */
function filled(template: string, text: string): string {
  return template.replaceAll(/\{[^}]*\}/g, text);
}

/** Header values are visible ASCII; all else is for the requests in bytes. */
function visible(text: string): string {
  return text.replaceAll(/[^ -~]/g, '?').slice(0, 8000);
}

/** Returns the JSON of an example with one value replaced, removed or repeated at a time. */
function* mutants(example: unknown): Generator<string> {
  const whole = JSON.stringify(example);
  yield whole;
  for (const at of pathsIn(example)) for (const value of WRONG_VALUES) yield replaced(example, at, value);
}

function pathsIn(value: unknown, above: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [above];
  return [above, ...Object.entries(value).flatMap(([name, member]) => pathsIn(member, [...above, name]))];
}

/** `text` is JSON, or almost. */
function replaced(value: unknown, [name, ...below]: readonly string[], text: string): string {
  if (name === undefined) return text;
  const members = Object.entries(value as object).map(([key, member]): [string, string] => [
    key,
    key === name ? replaced(member, below, text) : JSON.stringify(member),
  ]);
  if (Array.isArray(value)) return `[${members.map(([, member]) => member).join(',')}]`;
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${member}`).join(',')}}`;
}

function forgeries(token: string): readonly string[] {
  const [head = '', ...rest] = token.split('.');
  const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
  return [
    ...['', 'Bearer', 'Bearer ', 'Bearer null', `Basic ${Buffer.from('a:b').toString('base64')}`],
    ...[`Bearer ${token}x`, `Bearer ${token.slice(0, -1)}`, `Bearer ${token.slice(1)}`, `Bearer ${token} ${token}`],
    ...[`Bearer ${none}.${rest[0] ?? ''}.`, `Bearer ${rest.join('.')}.${head}`, `bearer  ${token.toUpperCase()}`],
    ...[`Bearer ${'A'.repeat(7000)}`, `Bearer ${token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))}`],
  ];
}

function* randomParts(token: string, count: number): Generator<Sent> {
  const chance = seededChance(Number(options.seed));
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const large = Object.values(HOSTILE_BODIES);
  for (let n = 0; n < count; n++) {
    const part = chance.pick(PARTS);
    const method = part === '/inventory' ? 'PATCH' : 'PUT';
    const body = n % 500 === 0 ? chance.pick(large) : randomBody(chance, part);
    yield { method, target: `/merchant-skus/r${chance.below(1000)}${part}`, headers, body };
  }
}

/** Sends bytes that are not valid HTTP, each on its own connection: an error or a closed connection is fine, silence is not. */
async function sendBytes(): Promise<void> {
  for (const [what, bytes] of Object.entries(RAW_BYTES)) {
    counted.requests++;
    const connection = await RawConnection.open(server.url);
    connection.write(bytes);
    const answer = await connection
      .answer('GET', ANSWER_MS_MAX)
      .catch((error: unknown) => ({ status: 0, text: String(error) }));
    connection.destroy();
    if (answer !== undefined && answer.status >= 400 && answer.status < 500) counted.refused++;
    if (answer === undefined || (answer.status >= 200 && answer.status < 500)) continue;
    counted.faults++;
    console.error(`${answer.status} for ${what}: ${answer.text.slice(0, 300)}`);
  }
  // The server still answers.
  const { ok } = await fetch(`${server.url}/healthz`);
  if (!ok) counted.faults++;
}
