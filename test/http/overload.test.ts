/**
 * Tests that requests that the server cannot serve in time are refused immediately with 503; other merchants are served, and no
 * accepted write is lost.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe } from 'node:test';
import { type ApiAnswer, ApiClient, assertProblems, requestProblem } from '../harness/api-client.ts';
import { timedIt as it } from '../harness/lost-time.ts';
import { limitHits, scrape } from '../harness/metrics.ts';
import { RawConnection, requestBytes } from '../harness/raw-http.ts';

const OVERLOADED = requestProblem(
  'overloaded',
  'The server is overloaded. Nothing was changed; retry after the number of seconds in Retry-After.',
);
const PATIENCE_MS = 60_000;
/** More than the 512 requests that an account may have in flight without being a flood. */
const REQUESTS = 700;
const REFUSED_MIN = 90;
/** As many refused connections are read again in a second. */
const RESUMES_PER_SECOND = 250;

describe('writes of one merchant that the database does not complete', () => {
  it('are refused when many wait; another merchant is served, accepted writes are stored, a retry is accepted', async (t) => {
    const merchant = await ApiClient.open(undefined, { METRICS_PORT: '0' });
    t.after(() => merchant.server.close());
    const other = await merchant.inEnvironment('live');
    const skuPath = await merchant.uploadedSku();
    const otherPath = await other.uploadedSku();
    const { url, place, metricsUrl } = merchant.server;
    const connections = await Promise.all(Array.from({ length: REQUESTS }, () => RawConnection.open(url)));
    t.after(() => {
      for (const connection of connections) connection.destroy();
    });
    const putPrice = requestBytes({
      method: 'PUT',
      target: `${skuPath}/price`,
      headers: { authorization: `Bearer ${merchant.token}` },
      body: '{"price":12.5}',
    });
    const refused = new Map<RawConnection, ApiAnswer>();
    let isHeld = true;
    const whenRefused = Promise.withResolvers<void>();
    const ask = async (connection: RawConnection): Promise<ApiAnswer> => {
      connection.write(putPrice);
      const answer = await connection.answer('PUT', PATIENCE_MS);
      assert.ok(answer);
      // While the write lock is held, no write succeeds, so every response is a refusal.
      if (isHeld) refused.set(connection, answer);
      if (refused.size === REFUSED_MIN) whenRefused.resolve();
      return answer;
    };

    const writeLock = new DatabaseSync(path.join(place.DATA_DIR, 'offerbook.db'), { timeout: PATIENCE_MS });
    t.after(() => writeLock.close());
    writeLock.exec('BEGIN IMMEDIATE');
    const answers = connections.map(ask);
    await whenRefused.promise;
    assert.equal((await other.get('/healthz')).status, 200);
    assert.equal((await other.get(`${otherPath}`)).status, 200);
    const otherPrice = other.put(`${otherPath}/price`, { price: 3 });
    for (const answer of refused.values()) {
      assertProblems(answer, [OVERLOADED], 503);
      const seconds = Number(answer.headers.get('retry-after'));
      assert.ok(seconds >= 1 && seconds <= Math.ceil(REQUESTS / RESUMES_PER_SECOND), String(seconds));
      assert.ok(answer.headers.get('x-request-id'));
    }
    isHeld = false;
    writeLock.exec('ROLLBACK');

    assert.equal((await otherPrice).status, 202);
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    const taken = statuses.filter((status) => status === 202).length;
    assert.equal(statuses.filter((status) => status === 503).length, REQUESTS - taken);
    assert.ok(taken > 0);
    assert.equal((await merchant.found(`${skuPath}/price`)).price, 12.5);
    assert.ok((limitHits(await scrape(metricsUrl), 'load') ?? 0) >= REFUSED_MIN);
    const [again] = refused.keys();
    assert.ok(again);
    assert.equal((await ask(again)).status, 202);
  });
});
