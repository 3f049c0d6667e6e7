/** Tests that a change succeeds even if the database is too slow to write its activity log entry. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { PortalBrowser } from '../harness/portal-browser.ts';
import { startTestServer } from '../harness/test-server.ts';

const TIMES = { DATABASE_CALL_MS_MAX: '9000', DATABASE_STATEMENT_MS_MAX: '8500', DATABASE_LOCK_MS_MAX: '8000' };
/** Together with the lock timeout of the log entry, this exceeds the timeout of a call. */
const CHANGE_MS = 1500;

it('a change does not get 503 because its log entry waits', { skip: postgresSkipped() }, async (t) => {
  const server = await startTestServer(TIMES, 'postgres');
  t.after(() => server.close());
  const operator = await PortalBrowser.operatorOf(server.url);
  const answer = await whileWritesWait(server.place.DATABASE_URL, 'operator_act', async () => {
    const [adding] = await whileWritesWait(server.place.DATABASE_URL, 'portal_user', async () => {
      const sent = [operator.post('/users', { email: 'late@market.example', role: 'operator' })] as const;
      await pause(CHANGE_MS);
      return sent;
    });
    return adding;
  });
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.text, /set-password#/);
});

async function whileWritesWait<T>(url: string | undefined, table: string, run: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`BEGIN; LOCK TABLE ${table} IN EXCLUSIVE MODE`);
    return await run();
  } finally {
    await client.end();
  }
}
