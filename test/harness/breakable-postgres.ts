/** In charge of a PostgreSQL of a test's own, with durable commits, that can be broken in the ways servers break. */
import { type Client, Client as PostgresClient } from 'pg';
import { startTestServer, type TestServer } from '../../src/store/postgres/testing/test-server.ts';
import { waitUntil } from './wait-until.ts';

export interface BreakablePostgres extends Pick<TestServer, 'url' | 'stop' | 'start' | 'close'> {
  /** kill -9 of the server's first process; the others notice that they are alone and end. */
  kill(): Promise<void>;
  /** All its processes stand still, as on a machine that hangs; the function that it gives lets them go on. */
  freeze(): Promise<() => void>;
}

export async function startBreakablePostgres(): Promise<BreakablePostgres> {
  const server = await startTestServer({ durable: true });
  const { url, stop, close } = server;
  return {
    url,
    stop,
    close,
    async start() {
      // After a kill the shared memory is in use for as long as one of the other processes has not noticed.
      await waitUntil('PostgreSQL to start', 60_000, async () => {
        await server.stop();
        return server.start().then(
          () => true,
          () => undefined,
        );
      });
    },
    async kill() {
      process.kill(await withClient(url, firstProcess), 'SIGKILL');
    },
    async freeze() {
      const pids = await withClient(url, async (client) => {
        // The one that starts others is first: who is not among them then would go on answering.
        const first = await firstProcess(client);
        process.kill(first, 'SIGSTOP');
        return [first, ...(await othersThan(client))];
      });
      const send = (signal: NodeJS.Signals) => {
        for (const pid of pids) signalIfThere(pid, signal);
      };
      send('SIGSTOP');
      return () => send('SIGCONT');
    },
  };
}

/**
 * Has a process of PostgreSQL stand still where it holds nothing that others wait for: between two statements. In the middle of one
 * it may hold a lock of the server's own, for which everybody would wait.
 */
export async function standStill(client: Client, pid: number): Promise<void> {
  await waitUntil('a moment between two statements', 60_000, async () => {
    process.kill(pid, 'SIGSTOP');
    const { rows } = await client.query<{ state: string }>('SELECT state FROM pg_stat_activity WHERE pid = $1', [pid]);
    if (rows[0]?.state === 'idle') return true;
    process.kill(pid, 'SIGCONT');
    return undefined;
  });
}

export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new PostgresClient({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function firstProcess(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>(
    `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::integer AS pid`,
  );
  return rows[0]?.pid ?? Number.NaN;
}

/** All processes but that of the client and the first one, when two looks agree: one on its way is listed once it has let its client in. */
async function othersThan(client: Client): Promise<readonly number[]> {
  let before: readonly number[] = [];
  return waitUntil('all processes to be listed', 60_000, async () => {
    const { rows } = await client.query<{ pid: number }>(
      'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() ORDER BY pid',
    );
    const pids = rows.map(({ pid }) => pid);
    const isSame = pids.join() === before.join();
    before = pids;
    return isSame ? pids : undefined;
  });
}

/** A connection may have ended since it was listed. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
