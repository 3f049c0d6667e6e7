/** Starts a PostgreSQL for one test, with durable commits, that can be killed, stopped and frozen. */
import { type Client, Client as PostgresClient } from 'pg';
import { startTestServer, type TestServer } from '../../src/store/postgres/testing/test-server.ts';
import { OFTEN, waitUntil } from './wait-until.ts';

export interface BreakablePostgres extends Pick<TestServer, 'url' | 'stop' | 'start' | 'close'> {
  /** Sends SIGKILL to the server's first process; the others notice and end. */
  kill(): Promise<void>;
  /** Freezes all processes, as on a hanging machine; returns a function that resumes them. */
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
      // After a kill, shared memory stays in use until the other processes have noticed.
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
        // The process that starts others is stopped first, because a process missing from the list would keep responding.
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
 * Freezes a PostgreSQL process between two statements, where it holds nothing that others wait for. Within a statement it may
 * hold one of the server's own locks, and everything would wait.
 */
export async function standStill(client: Client, pid: number): Promise<void> {
  const probe = async () => {
    process.kill(pid, 'SIGSTOP');
    const { rows } = await client.query<{ state: string }>('SELECT state FROM pg_stat_activity WHERE pid = $1', [pid]);
    if (rows[0]?.state === 'idle') return true;
    process.kill(pid, 'SIGCONT');
    return undefined;
  };
  await waitUntil('a moment between two statements', 60_000, probe, OFTEN);
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

/**
 * Returns all processes except the client's own and the first one. Two listings must agree, because a starting process is listed only after
 * it has admitted its client.
 */
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

/** Ignores a connection that has ended since it was listed. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
