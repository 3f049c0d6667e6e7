/** Tests tokens, retries of transient failures, and reports of permanent ones. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { ApiRefusedError, ServerUnreachableError } from './api-failure.ts';
import { ApiSession, type SessionOptions } from './api-session.ts';
import { BREAK_OFF, problem, refusal, type ScriptedAnswer, scriptedServer, TOKEN } from './testing/scripted-server.ts';

const FILE: ScriptedAnswer = [200, { marketplace_file_id: 'a' }];

function sessionOf(server: string, options: Partial<SessionOptions> = {}): ApiSession {
  return new ApiSession({ server, user: 'ann', secret: 'hush', ...options });
}

function refused(status: number, code: string) {
  return (error: unknown) => {
    assert.ok(error instanceof ApiRefusedError);
    assert.deepEqual([error.status, error.problems], [status, [problem(code, `${code}!`)]]);
    return true;
  };
}

function unreachable(text: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof ServerUnreachableError, String(error));
    assert.match(error.message, text);
    return true;
  };
}

describe('a session', () => {
  it('gets a token for the first call and uses it for the next', async (t) => {
    const { url, seen } = await scriptedServer(t, [TOKEN, FILE, FILE]);
    const session = sessionOf(url);
    assert.deepEqual(await session.get('/files/a'), { marketplace_file_id: 'a' });
    await session.post('/files/uploaded', { url: 'x' });
    assert.deepEqual(
      seen.map(({ call, authorization, body }) => [call, authorization, body.toString()]),
      [
        ['POST /token', undefined, '{"user":"ann","pass":"hush"}'],
        ['GET /files/a', 'Bearer token-1', ''],
        ['POST /files/uploaded', 'Bearer token-1', '{"url":"x"}'],
      ],
    );
  });

  it('gets another token when the first has expired, but not a third', async (t) => {
    const next: ScriptedAnswer = [200, { id_token: 'token-2' }];
    const { url, seen } = await scriptedServer(t, [TOKEN, FILE, refusal(401, 'token_expired'), next, FILE]);
    const session = sessionOf(url);
    await session.get('/files/a');
    await session.get('/files/a');
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
    await other.get('/files/a');
    await assert.rejects(other.get('/files/a'), refused(401, 'token_revoked'));
  });

  it('reports a wrong secret at once, with the problem that the server named', async (t) => {
    const { url, seen } = await scriptedServer(t, [refusal(400, 'credentials_wrong')]);
    await assert.rejects(sessionOf(url).get('/files/a'), refused(400, 'credentials_wrong'));
    assert.equal(seen.length, 1);
  });

  it('outlasts a server that is busy or gone for a while', async (t) => {
    const { url } = await scriptedServer(t, [
      TOKEN,
      FILE,
      BREAK_OFF,
      refusal(503, 'overloaded'),
      [502, '<html>'],
      FILE,
    ]);
    const session = sessionOf(url);
    await session.get('/files/a');
    assert.deepEqual(await session.get('/files/a'), { marketplace_file_id: 'a' });
  });

  it('gives up after its time limit, and does not retry permanent failures', async (t) => {
    const busy = await scriptedServer(t, [TOKEN, FILE, refusal(503, 'overloaded')]);
    const session = sessionOf(busy.url, { patience_ms: 1 });
    await session.get('/files/a');
    await assert.rejects(session.get('/files/a'), refused(503, 'overloaded'));
    const unknown = await scriptedServer(t, [TOKEN, FILE, refusal(404, 'file_not_found')]);
    const other = sessionOf(unknown.url);
    await other.get('/files/a');
    await assert.rejects(other.get('/files/b'), refused(404, 'file_not_found'));
  });

  it('fails at once when the connection is refused', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    await assert.rejects(
      sessionOf(`http://127.0.0.1:${port}`).get('/files'),
      unreachable(/^http:\/\/127\.0\.0\.1:\d+ cannot be reached: the connection was refused\.$/),
    );
  });

  it('refuses a server that is not Offerbook, and follows no redirect', async (t) => {
    const page = await scriptedServer(t, [[404, '<h1>Not here</h1>']]);
    await assert.rejects(
      sessionOf(page.url).get('/files'),
      unreachable(/answered 404, but the answer is not from Offerbook/),
    );
    const list = await scriptedServer(t, [[200, []]]);
    await assert.rejects(sessionOf(list.url).get('/files'), unreachable(/is not an Offerbook server/));
    const target = await scriptedServer(t, [TOKEN]);
    const moved = await scriptedServer(t, [
      (_request, response) => void response.writeHead(307, { location: `${target.url}/token` }).end(),
    ]);
    await assert.rejects(sessionOf(moved.url).get('/files'), unreachable(/answered 307/));
    assert.deepEqual(target.seen, []);
  });

  it('ends at a signal, in the middle of a call and while it waits', async (t) => {
    const stop = new AbortController();
    const silent = await scriptedServer(t, [TOKEN, FILE, () => stop.abort()]);
    const session = sessionOf(silent.url, { signal: stop.signal });
    await session.get('/files/a');
    await assert.rejects(session.get('/files/a'), { name: 'AbortError' });
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
    await waiting.get('/files/a');
    await assert.rejects(waiting.get('/files/a'), { name: 'AbortError' });
  });
});
