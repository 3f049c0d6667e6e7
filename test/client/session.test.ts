/** Tests tokens, limits, retries of transient failures, and reports of permanent ones. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { OfferbookError, UnreachableError } from '../../client/src/errors.ts';
import { Offerbook } from '../../client/src/offerbook.ts';
import { Pace } from '../../client/src/pace.ts';
import { Session, type SessionOptions } from '../../client/src/session.ts';
import { BREAK_OFF, problem, refusal, type ScriptedAnswer, scriptedServer, TOKEN } from '../harness/scripted-server.ts';

const FILE: ScriptedAnswer = [200, { marketplace_file_id: 'a' }];

function sessionOf(url: string, options: Partial<SessionOptions> = {}): Session {
  return new Session({ url, user: 'ann', pass: 'hush', ...options });
}

function refused(status: number, code: string) {
  return (error: unknown) => {
    assert.ok(error instanceof OfferbookError);
    assert.deepEqual([error.status, error.problems], [status, [problem(code, `${code}!`)]]);
    return true;
  };
}

function unreachable(text: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof UnreachableError, String(error));
    assert.match(error.message, text);
    return true;
  };
}

describe('a session', () => {
  it('gets a token for the first call and uses it for the next', async (t) => {
    const { url, seen } = await scriptedServer(t, [TOKEN, FILE, FILE]);
    const session = sessionOf(url);
    assert.deepEqual((await session.call('GET', '/files/a')).value, { marketplace_file_id: 'a' });
    await session.call('POST', '/files/uploaded', { body: { url: 'x' } });
    assert.deepEqual(
      seen.map(({ call, authorization, body }) => [call, authorization, body.toString()]),
      [
        ['POST /token', undefined, '{"user":"ann","pass":"hush"}'],
        ['GET /files/a', 'Bearer token-1', ''],
        ['POST /files/uploaded', 'Bearer token-1', '{"url":"x"}'],
      ],
    );
  });

  it('gets a second token when the first has expired, but not a third', async (t) => {
    const next: ScriptedAnswer = [200, { id_token: 'token-2' }];
    const { url, seen } = await scriptedServer(t, [TOKEN, FILE, refusal(401, 'token_expired'), next, FILE]);
    const session = sessionOf(url);
    await session.call('GET', '/files/a');
    await session.call('GET', '/files/a');
    assert.deepEqual(
      seen.map(({ authorization }) => authorization),
      [undefined, 'Bearer token-1', 'Bearer token-1', undefined, 'Bearer token-2'],
    );
    const stubborn = await scriptedServer(t, [
      TOKEN,
      FILE,
      refusal(401, 'token_revoked'),
      next,
      refusal(401, 'token_revoked'),
    ]);
    const other = sessionOf(stubborn.url);
    await other.call('GET', '/files/a');
    await assert.rejects(other.call('GET', '/files/a'), refused(401, 'token_revoked'));
  });

  it('reports a wrong secret at once, with the problem that the server named', async (t) => {
    const { url, seen } = await scriptedServer(t, [refusal(400, 'credentials_wrong')]);
    await assert.rejects(sessionOf(url).call('GET', '/files/a'), refused(400, 'credentials_wrong'));
    assert.equal(seen.length, 1);
  });

  it('retries while a server is busy or down', async (t) => {
    const { url } = await scriptedServer(t, [
      TOKEN,
      FILE,
      BREAK_OFF,
      refusal(503, 'overloaded'),
      [502, '<html>'],
      FILE,
    ]);
    const session = sessionOf(url);
    await session.call('GET', '/files/a');
    assert.deepEqual((await session.call('GET', '/files/a')).value, { marketplace_file_id: 'a' });
  });

  it('gives up after its time limit, and does not retry permanent failures', async (t) => {
    const busy = await scriptedServer(t, [TOKEN, FILE, refusal(503, 'overloaded')]);
    const session = sessionOf(busy.url, { patience_ms: 1 });
    await session.call('GET', '/files/a');
    await assert.rejects(session.call('GET', '/files/a'), refused(503, 'overloaded'));
    const unknown = await scriptedServer(t, [TOKEN, FILE, refusal(404, 'file_not_found')]);
    const other = sessionOf(unknown.url);
    await other.call('GET', '/files/a');
    await assert.rejects(other.call('GET', '/files/b'), refused(404, 'file_not_found'));
  });

  it('fails at once when the connection is refused', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    await assert.rejects(
      sessionOf(`http://127.0.0.1:${port}`).call('GET', '/files'),
      unreachable(/^http:\/\/127\.0\.0\.1:\d+ cannot be reached: the connection was refused\.$/),
    );
  });

  it('refuses a server that is not Offerbook, and follows no redirect', async (t) => {
    const page = await scriptedServer(t, [[404, '<h1>Not here</h1>']]);
    await assert.rejects(
      sessionOf(page.url).call('GET', '/files'),
      unreachable(/returned 404, but the response is not from Offerbook/),
    );
    const list = await scriptedServer(t, [[200, []]]);
    await assert.rejects(sessionOf(list.url).call('GET', '/files'), unreachable(/is not an Offerbook server/));
    const target = await scriptedServer(t, [TOKEN]);
    const moved = await scriptedServer(t, [
      (_request, response) => void response.writeHead(307, { location: `${target.url}/token` }).end(),
    ]);
    await assert.rejects(sessionOf(moved.url).call('GET', '/files'), unreachable(/returned 307/));
    assert.deepEqual(target.seen, []);
  });

  it('ends at a signal, in the middle of a call and while it waits', async (t) => {
    const stop = new AbortController();
    const silent = await scriptedServer(t, [TOKEN, FILE, () => stop.abort()]);
    const session = sessionOf(silent.url, { signal: stop.signal });
    await session.call('GET', '/files/a');
    await assert.rejects(session.call('GET', '/files/a'), { name: 'AbortError' });
    const later = new AbortController();
    const busy = await scriptedServer(t, [
      TOKEN,
      FILE,
      (request) => {
        request.socket.destroy();
        setImmediate(() => later.abort());
      },
    ]);
    const waiting = sessionOf(busy.url, { signal: later.signal });
    await waiting.call('GET', '/files/a');
    await assert.rejects(waiting.call('GET', '/files/a'), { name: 'AbortError' });
  });
});

describe('the options of a session', () => {
  it('are refused without a server URL', () => {
    for (const url of [
      '',
      'offers.example',
      'ftp://offers.example',
      'https://',
      'https://ann:hush@offers.example',
      'http://a b',
    ])
      assert.throws(
        () => sessionOf(url),
        { name: 'TypeError', message: 'url must be like https://offers.example' },
        url,
      );
    for (const url of ['https://offers.example/', 'http://[::1]:8080', 'http://127.0.0.1:8080/api'])
      assert.doesNotThrow(() => sessionOf(url), url);
  });

  it('have a callback for fields that the server ignored', async (t) => {
    const ignoring: ScriptedAnswer = (request, response) => {
      request.resume();
      response.writeHead(202, { 'x-ignored-fields': '%2Fcolour, %2Fnodes%2F0%2F%C3%BC%2C' }).end();
    };
    const { url } = await scriptedServer(t, [TOKEN, ignoring, FILE]);
    const heard: unknown[] = [];
    const session = sessionOf(url, { onIgnored: (fields, { method }) => heard.push([method, fields]) });
    await session.call('PUT', '/merchant-skus/a', { body: { colour: 'red' } });
    await session.call('GET', '/files/a');
    assert.deepEqual(heard, [['PUT', ['/colour', '/nodes/0/ü,']]]);
  });

  it('have a callback for retries, but not for a call that its caller aborts', async (t) => {
    const stop = new AbortController();
    const { url } = await scriptedServer(t, [TOKEN, () => stop.abort()]);
    const retries: string[] = [];
    const session = sessionOf(url, { onRetry: ({ message }) => retries.push(message) });
    await assert.rejects(session.call('GET', '/files/a', { signal: stop.signal }), { name: 'AbortError' });
    assert.deepEqual(retries, []);
  });
});

describe('conditional writes', () => {
  it('carry the tag, and are not sent without one', async (t) => {
    const { url, seen } = await scriptedServer(t, [TOKEN, FILE]);
    const api = new Offerbook({ url, user: 'ann', pass: 'hush' });
    const message = 'ifMatch must be a tag. Without one, the write would overwrite any change.';
    await assert.rejects(api.putPrice('a', { price: 1 }, { ifMatch: undefined }), { name: 'TypeError', message });
    assert.equal(seen.length, 0);
    await api.putPrice('a', { price: 1 }, { ifMatch: '"tag"' });
    assert.equal(seen.at(-1)?.headers['if-match'], '"tag"');
  });
});

describe('dry runs', () => {
  it('and other calls have separate limits', async (t) => {
    const last: ScriptedAnswer = (request, response) => {
      request.resume();
      const headers = { 'ratelimit-limit': '1', 'ratelimit-remaining': '0', 'ratelimit-reset': '60' };
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end('{}');
    };
    type Call = Parameters<Session['call']>;
    const dryRun: Call = ['PUT', '/merchant-skus/a/price', { body: { price: 1 }, query: { dry_run: true } }];
    const read: Call = ['GET', '/files?limit=1'];
    for (const [first, second] of [
      [dryRun, read],
      [read, dryRun],
    ] as const) {
      const { url, seen } = await scriptedServer(t, [TOKEN, last, FILE]);
      // With one limit for both, the second call would wait for a minute.
      const session = sessionOf(url, { signal: AbortSignal.timeout(50_000) });
      await session.call(...first);
      assert.equal((await session.call(...second)).status, 200);
      const [method, address, options] = first;
      const waiting = session.call(method, address, { ...options, signal: AbortSignal.timeout(200) });
      await assert.rejects(waiting, { name: 'TimeoutError' });
      assert.equal(seen.length, 2);
    }
  });
});

describe('repeated calls', () => {
  it('carry one idempotency key for all attempts of a write, and none for a read', async (t) => {
    const { url, seen } = await scriptedServer(t, [TOKEN, FILE, BREAK_OFF, refusal(503, 'overloaded'), FILE, FILE]);
    const session = sessionOf(url);
    await session.call('GET', '/files/a');
    await session.call('PUT', '/merchant-skus/a/price', { body: { price: 1 } });
    await session.call('PUT', '/merchant-skus/a/price', { body: { price: 1 } });
    const [token, read, ...writes] = seen.map(({ headers }) => headers['idempotency-key']);
    assert.deepEqual([token, read], [undefined, undefined]);
    // The request whose connection broke was not read.
    assert.equal(writes[0], writes[1]);
    assert.notEqual(writes[1], writes[2]);
    assert.match(String(writes[0]), /^[0-9a-f-]{36}$/);
  });

  it('carry the headers of the caller instead of their own, however they are spelled', async (t) => {
    const { url, seen } = await scriptedServer(t, [TOKEN, FILE]);
    const headers = { 'Idempotency-Key': 'mine', 'Content-Type': 'text/plain' };
    await sessionOf(url).call('PUT', '/merchant-skus/a/price', { body: { price: 1 }, headers });
    const sent = seen.at(-1)?.headers;
    assert.deepEqual([sent?.['idempotency-key'], sent?.['content-type']], ['mine', 'text/plain']);
  });

  it('wait as long as the server says, in seconds or until a date', async (t) => {
    const refused =
      (retryAfter: string): ScriptedAnswer =>
      (_request, response) => {
        response.writeHead(429, { 'content-type': 'application/json', 'retry-after': retryAfter });
        response.end(JSON.stringify({ details: [problem('too_many_requests', 'Wait.')] }));
      };
    const { url } = await scriptedServer(t, [TOKEN, refused('1'), refused('Thu, 01 Jan 2026 00:00:00 GMT'), FILE]);
    const startMs = performance.now();
    await sessionOf(url).call('GET', '/files/a');
    assert.ok(performance.now() - startMs >= 990);
  });

  it('wait for the request limit, even longer than for other failures', async (t) => {
    const limited: ScriptedAnswer = (request, response) => {
      request.resume();
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' });
      response.end(JSON.stringify({ details: [problem('rate_limited', 'Wait.')] }));
    };
    const { url } = await scriptedServer(t, [TOKEN, limited, limited, FILE]);
    const { status } = await sessionOf(url, { patience_ms: 1000 }).call('GET', '/files/a');
    assert.equal(status, 200);
    const busy = await scriptedServer(t, [TOKEN, limited, refusal(503, 'overloaded')]);
    // Shorter than the wait after the second failure, but longer than the delays of a busy machine.
    const hasty = sessionOf(busy.url, { patience_ms: 200 });
    await assert.rejects(hasty.call('GET', '/files/a'), refused(503, 'overloaded'));
  });

  it('are retried once after a 500, and not after other refusals', async (t) => {
    const { url, seen } = await scriptedServer(t, [
      TOKEN,
      refusal(500, 'internal_error'),
      refusal(500, 'internal_error'),
    ]);
    await assert.rejects(sessionOf(url).call('GET', '/files/a'), refused(500, 'internal_error'));
    assert.equal(seen.length, 3);
  });

  it('share one token when they begin together', async (t) => {
    const { url, seen } = await scriptedServer(t, [TOKEN, FILE, FILE, FILE]);
    const session = sessionOf(url);
    await Promise.all([1, 2, 3].map(() => session.call('GET', '/files/a')));
    assert.equal(seen.filter(({ call }) => call === 'POST /token').length, 1);
  });

  it('keep integers of 64 bits exact', async (t) => {
    const { url, seen } = await scriptedServer(t, [
      TOKEN,
      [
        200,
        '{"id":9007199254740993,"least":-9223372036854775808,"text":"9007199254740993 \\"9007199254740993\\"","small":0.30000000000000004}',
      ],
      [202, ''],
    ]);
    const session = sessionOf(url);
    const { value } = await session.call('GET', '/x');
    const text = '9007199254740993 "9007199254740993"';
    assert.deepEqual(value, { id: 9007199254740993n, least: -9223372036854775808n, text, small: 0.1 + 0.2 });
    assert.equal((await session.call('PUT', '/x', { body: value })).value, undefined);
    assert.equal(
      seen[2]?.body.toString(),
      '{"id":9007199254740993,"least":-9223372036854775808,"text":"9007199254740993 \\"9007199254740993\\"","small":0.30000000000000004}',
    );
  });
});

describe('the pace', () => {
  const answer = (limit: number, remaining: number, reset = 1) =>
    new Headers({
      'ratelimit-limit': `${limit}`,
      'ratelimit-remaining': `${remaining}`,
      'ratelimit-reset': `${reset}`,
    });

  it('allows as many requests as the limit in any 60 seconds, and the next when the first leaves the window', () => {
    let nowMs = 0;
    const pace = new Pace(() => nowMs);
    assert.equal(pace.reserve_ms(), 0);
    pace.heard(answer(3, 2));
    nowMs = 10_000;
    assert.deepEqual([pace.reserve_ms(), pace.reserve_ms()], [0, 0]);
    assert.equal(pace.reserve_ms(), 50_250);
    nowMs = 60_250;
    assert.equal(pace.reserve_ms(), 0);
    assert.equal(pace.reserve_ms(), 10_000);
  });

  it('waits when others have used up the limit', () => {
    let nowMs = 0;
    const pace = new Pace(() => nowMs);
    pace.heard(answer(3000, 0, 7));
    assert.equal(pace.reserve_ms(), 7000);
    nowMs = 7000;
    assert.equal(pace.reserve_ms(), 0);
  });
});
