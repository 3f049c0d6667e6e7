/**
 * Tests that every example of /openapi.json works on a demo server: sent as documented, the response is as documented.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { Check } from 'typebox/schema';
import { STATUSES } from '../../src/domain/vocabulary/statuses.ts';
import { CALL_EXAMPLES } from '../../src/http/openapi/examples.ts';
import {
  type DescribedCall,
  describedCalls,
  type Media,
  type OpenApi,
  readOpenApi,
  responseOf,
  type ShownSchema,
  withoutReferences,
} from '../harness/openapi-document.ts';
import { withSetupStore } from '../harness/own-server.ts';
import { respell, SPELLINGS } from '../harness/spellings.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** Calls to a signed URL, and the field of an earlier response that has the URL. */
const SIGNED: Readonly<Record<string, string>> = {
  uploadFile: 'url',
  getFileErrors: 'error_url',
  getFileRetry: 'retry_url',
  getReport: 'report_url',
};

/** Path parameters that the server chooses, and the ending of the field of an earlier response that has them. */
const CHOSEN: Readonly<Record<string, string>> = {
  file_id: '_file_id',
  report_id: 'report_id',
  change_id: 'change_id',
  plan_id: 'plan_id',
  webhook_id: 'webhook_id',
};

/** Calls whose response differs from the documented one while background work is running. */
const WAIT_MS_MAX = 60_000;
const PENDING: readonly unknown[] = ['Acknowledged', 'Processing', 'Requested', 'applying'];

/** Headers that belong to the connection, not to the response. */
const TRANSPORT_HEADERS = ['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'];

const ISO_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const SHAPES: readonly (readonly [RegExp, string])[] = [
  // Only one of the servers checks images.
  [/; image_below_recommended/g, ''],
  [ISO_TIME, 'time'],
  [/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, 'uuid'],
  [/\b[\da-f]{12}-[\da-z]{1,11}-[\da-z]{1,4}\b/g, 'cursor'],
  [/whsec_[\w+/=]+/, 'secret'],
  [/account=\d+&expires=\d+&key=[\w-]+&signature=[\w-]{43}/g, 'signed'],
  [/^[\w-]+\.[\w-]+\.[\w-]+$/, 'token'],
];

const DAY_MS = 86_400_000;

interface Sent {
  readonly response: Response;
  readonly text: string;
}

for (const spelling of SPELLINGS) {
  describe(`examples of /openapi.json, ${spelling.title}`, () => {
    let server: TestServer;
    let document: OpenApi;
    let calls: ReadonlyMap<string, DescribedCall>;
    let token = '';
    const seen: Record<string, string> = {};

    before(async () => {
      // Names do not affect images, so only one run checks images.
      const images = spelling.pairs.length === 0 ? { IMAGE_CHECK: 'on' } : {};
      server = await startTestServer({ ...spelling.settings, ...images, PORT: String(await portBeforeFreePort()) });
      await withSetupStore(server.place, ({ policies }) => {
        const note = { atMs: Date.now(), by: 'ann', act: 'addPolicy', subject: '', impact: null };
        const dated = { ...note, enforcedFromMs: Date.now() + DAY_MS };
        return policies.addPolicy({ kind: 'excluded_brand', brand: 'Copycat' }, dated);
      });
      document = await readOpenApi(server.url);
      calls = new Map(describedCalls(document).map((call) => [call.operation.operationId, call]));
    });
    after(() => server.close());

    it('exist for every call', () => {
      assert.deepEqual(Object.keys(CALL_EXAMPLES).sort(), [...calls.keys()].sort());
      for (const { operation } of calls.values()) {
        const parts = [operation.requestBody, ...Object.values(operation.responses)];
        for (const part of parts) {
          const [media] = Object.values((part !== undefined && 'content' in part && part.content) || {});
          if (media !== undefined) assert.ok(examplesOf(media).length > 0, operation.operationId);
        }
        for (const { name, required, example } of operation.parameters) {
          if (required) assert.notEqual(example, undefined, `${operation.operationId} ${name}`);
        }
      }
    });

    it('work in the order of the file', async () => {
      for (const id of Object.keys(CALL_EXAMPLES)) {
        const call = calls.get(id) ?? assert.fail(id);
        const [media] = Object.values(call.operation.requestBody?.content ?? {});
        if (hasDryRun(call)) await assertDryRun(call, media);
        for (const [key, body] of media === undefined ? [['', undefined] as const] : examplesOf(media)) {
          const { response, text } = await finished(id, () => send(call, key, body));
          assertDocumented(call, response, text, storedStatus(call));
        }
      }
    });

    it('responses can be revalidated', async () => {
      for (const call of calls.values()) {
        if (!('304' in call.operation.responses)) continue;
        const { response } = await send(call, '', undefined);
        const headers = { 'if-none-match': response.headers.get('etag') ?? '' };
        const { response: unchanged, text } = await send(call, '', undefined, headers);
        assertDocumented(call, unchanged, text, 304);
      }
    });

    it("errors have the server's wording", async () => {
      const unknown = '00000000-0000-4000-8000-000000000000';
      const refusals: readonly (readonly [string, string, string, object?])[] = [
        ['too_small', 'putPrice', '/merchant-skus/MUG-300/price', { price: 0 }],
        ['token_missing', 'checkToken', '/authcheck'],
        ['link_invalid', 'getReport', `/reports/files/${unknown}/report.csv?account=1`],
        ['sku_unknown', 'getSku', '/merchant-skus/MUG-301'],
        ['file_not_found', 'getFile', `/files/${unknown}`],
        ['report_not_found', 'getReportState', `/reports/state/${unknown}`],
      ];
      for (const [code, id, target, body] of refusals) {
        const call = calls.get(id) ?? assert.fail(id);
        const response = await fetch(`${server.url}${target}`, {
          method: call.method,
          headers: code === 'token_missing' ? {} : { authorization: `Bearer ${token}` },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const documented = responseOf(document, call.operation, response.status);
        const media = documented?.content?.['application/json'];
        assert.deepEqual(await response.json(), media?.examples?.[code]?.value);
        assertHeaders(id, response, documented?.headers);
      }
    });

    /** Sends the first example as a dry run. A SKU that is new stays under review; others have been reviewed, or will be soon. */
    async function assertDryRun(call: DescribedCall, media: Media | undefined): Promise<void> {
      const [[key, body] = ['', undefined]] = media === undefined ? [] : examplesOf(media);
      const dry = responseOf(document, call.operation, 200)?.content?.['application/json'];
      const { status } = (dry?.example ?? {}) as Record<string, unknown>;
      const { response, text } = await waitUntil(`the dry run of ${call.path}`, WAIT_MS_MAX, async () => {
        const sent = await send(call, key, body, {}, 'dry_run=true');
        return JSON.parse(sent.text).status === status ? sent : undefined;
      });
      assertDocumented(call, response, text, 200);
    }

    async function send(call: DescribedCall, key: string, example: unknown, headers = {}, query = ''): Promise<Sent> {
      const { operationId: id, security } = call.operation;
      const applyFixes = id === 'applyFixes' ? { fixes: await offeredFixes(addressOf(call, key)) } : undefined;
      // The page with one event ends with that event.
      const chosen = { receiveFile: { url: seen.url }, replayEvent: { event_id: seen.next }, applyFixes }[id];
      const body = chosen === undefined ? example : { ...(example as object), ...chosen };
      const response = await fetch(
        SIGNED[id] === undefined ? `${addressOf(call, key)}&${query}` : (seen[SIGNED[id]] ?? ''),
        {
          method: call.method,
          headers: { ...(security.length > 0 ? { authorization: `Bearer ${token}` } : {}), ...headers },
          ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        },
      );
      return { response, text: await response.text() };
    }

    async function offeredFixes(address: string): Promise<readonly string[]> {
      const review = await fetch(address.replace('/fixes', ''), { headers: { authorization: `Bearer ${token}` } });
      const { checks } = (await review.json()) as { checks: { fixes?: { id: string }[] }[] };
      return checks.flatMap(({ fixes = [] }) => fixes.map((fix) => fix.id));
    }

    function addressOf({ path, operation: { parameters } }: DescribedCall, key: string): string {
      const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
        const chosen = Object.entries(seen).find(([field]) => CHOSEN[name] && field.endsWith(CHOSEN[name]))?.[1];
        const example = parameters.find((parameter) => parameter.name === name)?.example;
        return encodeURIComponent(key === '' || name !== 'user_defined_sku_id' ? (chosen ?? String(example)) : key);
      });
      const query = parameters.flatMap(({ name, in: place, example }) =>
        place === 'query' && example !== undefined ? [`${name}=${encodeURIComponent(example)}`] : [],
      );
      return `${server.url}${filled}?${query.join('&')}`;
    }

    /** Retries until background work is done, and keeps what later calls need. */
    async function finished(id: string, sending: () => Promise<Sent>): Promise<Sent> {
      const reviewStatus = respell(spelling, STATUSES.review);
      return waitUntil(id, WAIT_MS_MAX, async () => {
        const sent = await sending();
        // The undo before it is still a file that is processed.
        if (id === 'makePlan' && sent.response.status === 429) return undefined;
        if (!sent.response.headers.get('content-type')?.startsWith('application/json')) return sent;
        const answer = JSON.parse(sent.text) as Record<string, string>;
        const status = answer.status ?? answer.report_status ?? answer.state;
        if (status === reviewStatus || (PENDING.includes(status) && id !== 'receiveFile')) return undefined;
        for (const [name, value] of Object.entries(answer)) if (typeof value === 'string') seen[name] = value;
        if (id === 'makePlan') seen.plan_id = answer.id ?? '';
        const change = newestChange(answer);
        if (change !== undefined) seen.change_id = change;
        token = seen.id_token ?? '';
        return sent;
      });
    }

    function assertDocumented({ operation }: DescribedCall, response: Response, text: string, status: number): void {
      const { operationId: id } = operation;
      assert.equal(response.status, status, `${id}: ${text}`);
      const documented = responseOf(document, operation, response.status);
      assertHeaders(id, response, documented?.headers);
      const [type, media] = Object.entries(documented?.content ?? {})[0] ?? [];
      assert.equal(response.headers.get('content-type')?.split(';', 1)[0], type, id);
      if (media === undefined) {
        assert.equal(text, '', id);
        return;
      }
      const [[, example] = []] = examplesOf(media);
      if (media.schema.format === 'binary') {
        assertLike(text.split('\n'), String(example).split('\n'), id);
        return;
      }
      const schema = withoutReferences(document, media.schema);
      const answer = JSON.parse(text) as unknown;
      assert.ok(Check(schema, answer), `${id}: ${text}`);
      assertTimes(schema, example, id);
      // The document is its own example, and contains an excerpt of itself. So is the example of a schema an excerpt.
      if (id === 'getOpenApi' || id === 'getCategorySchema') assert.partialDeepStrictEqual(answer, example as object);
      else assertLike(answer, example, id);
    }
  });
}

/** Returns the documented success status of a call that is not a dry run. */
function storedStatus({ operation: { responses } }: DescribedCall): number {
  return Number('202' in responses ? 202 : Object.keys(responses)[0]);
}

function hasDryRun({ operation: { responses } }: DescribedCall): boolean {
  return '200' in responses && '202' in responses;
}

/** Returns undefined for responses other than a history. */
function newestChange(answer: object): string | undefined {
  const { changes: [change] = [] } = answer as { changes?: readonly { readonly id: number }[] };
  return change && String(change.id);
}

function examplesOf({ example, examples }: Media): (readonly [string, unknown])[] {
  if (examples !== undefined) return Object.entries(examples).map(([key, { value }]) => [key, value]);
  return example === undefined ? [] : [['', example]];
}

/** Asserts that the response has no undocumented header. */
function assertHeaders(id: string, response: Response, documented: object | undefined): void {
  const known = [...TRANSPORT_HEADERS, ...Object.keys(documented ?? {}).map((name) => name.toLowerCase())];
  for (const name of response.headers.keys()) assert.ok(known.includes(name), `${id} ${response.status}: ${name}`);
}

/**
 * Asserts that the response has the fields and values of the example. Only the format of times, ids, signatures, rates and remedies is
 * compared, and the example may show part of a list.
 */
function assertLike(answer: unknown, example: unknown, at: string): void {
  if (Array.isArray(example)) {
    assert.ok(Array.isArray(answer), at);
    assert.equal(answer.length === 0, example.length === 0, at);
    for (const element of example) {
      const tries = answer.map((one: unknown) => difference(one, element, at));
      assert.ok(tries.includes(undefined), `${at}: none of ${JSON.stringify(answer)} is ${JSON.stringify(element)}`);
    }
  } else if (typeof example === 'object' && example !== null) {
    assert.deepEqual(Object.keys(answer ?? {}).sort(), Object.keys(example).sort(), at);
    for (const [name, value] of Object.entries(example)) {
      const found = (answer as Record<string, unknown>)[name];
      if (['rows_per_second', 'remedy', 'id'].includes(name)) assert.equal(typeof found, typeof value, `${at}.${name}`);
      else assertLike(found, value, `${at}.${name}`);
    }
  } else {
    assert.equal(shapeOf(answer), shapeOf(example), at);
  }
}

function difference(answer: unknown, example: unknown, at: string): unknown {
  try {
    return assertLike(answer, example, at);
  } catch (error) {
    return error;
  }
}

function shapeOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return SHAPES.reduce((text, [pattern, name]) => text.replace(pattern, name), value);
}

/** Asserts that every time in the example has the format `date-time` in the schema, and nothing else has it. */
function assertTimes(schema: ShownSchema, example: unknown, at: string): void {
  if (schema.anyOf !== undefined) {
    const fitting = schema.anyOf.find((one) => Check(one, example));
    assertTimes(fitting ?? assert.fail(`${at} fits no schema`), example, at);
  } else if (typeof example === 'string') {
    assert.equal(schema.format === 'date-time', ISO_TIME.test(example), at);
    ISO_TIME.lastIndex = 0;
  } else if (Array.isArray(example)) {
    for (const element of example) {
      const items = schema.items ?? {};
      assertTimes(items.anyOf?.find((one) => Check(one, element)) ?? items, element, `${at}[]`);
    }
  } else if (typeof example === 'object' && example !== null) {
    for (const [name, value] of Object.entries(example)) {
      assertTimes(schema.properties?.[name] ?? {}, value, `${at}.${name}`);
    }
  }
}

/** Returns a free port whose successor is free too, because the demo serves its images there. */
async function portBeforeFreePort(): Promise<number> {
  for (let tries = 0; tries < 50; tries++) {
    const first = await listening(0);
    const second = await listening((first?.port ?? 0) + 1);
    await Promise.all([first?.close(), second?.close()]);
    if (first !== undefined && second !== undefined) return first.port;
  }
  throw new Error('No two free ports in a row.');
}

async function listening(port: number): Promise<{ port: number; close(): Promise<unknown> } | undefined> {
  const server = createServer();
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!isListening) return undefined;
  const { port: own } = server.address() as { port: number };
  return { port: own, close: () => new Promise((resolve) => server.close(resolve)) };
}
