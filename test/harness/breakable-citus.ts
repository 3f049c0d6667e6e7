/**
 * Breaks single nodes of a local Citus cluster. It finds their processes by what each node reports, and restarts a node with its original
 * command line.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { administer } from '../../src/store/postgres/testing/administer.ts';
import { CITUS_VARIABLE } from '../../src/store/postgres/testing/availability.ts';
import { citusNodes } from '../../src/store/postgres/testing/citus-nodes.ts';
import { waitUntil } from './wait-until.ts';

export interface BreakableNode {
  /** Citus's node id; 0 is the coordinator. */
  readonly groupId: number;
  /** Sends SIGKILL to all processes of the node. */
  kill(): Promise<void>;
  /** Starts the node and waits until it accepts connections. */
  start(): Promise<void>;
  /** Sends SIGSTOP to all processes of the node; returns a function that resumes them. */
  freeze(): () => void;
}

/** Returns why Citus faults cannot be tested here, or false. */
export function citusFaultsSkipped(): string | false {
  const url = process.env[CITUS_VARIABLE];
  if (!url) return `no Citus: set ${CITUS_VARIABLE}`;
  if (process.platform !== 'linux') return 'processes of a node are found by /proc, which only Linux has';
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)
    ? false
    : 'the Citus cluster runs on another machine';
}

/** Returns all nodes, the coordinator first. All must be running. */
export async function breakableNodes(firstUrl: string): Promise<readonly BreakableNode[]> {
  const urls = await citusNodes(firstUrl);
  return Promise.all(urls.map((url, groupId) => breakableNode(url, groupId, firstUrl)));
}

async function breakableNode(url: string, place: number, firstUrl: string): Promise<BreakableNode> {
  const [found] = await administer(
    url,
    `SELECT current_setting('data_directory') AS folder, split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`,
  );
  let pid = Number(found?.pid);
  const folder = String(found?.folder);
  const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1) as [string, ...string[]];
  const env = environmentOf(pid);
  const { uid, gid } = statSync(folder);
  const [node] = await administer(firstUrl, 'SELECT groupid FROM pg_dist_node WHERE nodeport = $1', [
    Number(new URL(url).port),
  ]);
  const freeze = () => {
    const stopped = new Set<number>();
    // The first process is stopped first, so that it starts no others.
    for (let listed = [pid]; listed.length > 0; listed = childrenOf(pid).filter((one) => !stopped.has(one))) {
      for (const one of listed) {
        signalIfThere(one, 'SIGSTOP');
        stopped.add(one);
      }
    }
    return () => {
      for (const one of stopped) signalIfThere(one, 'SIGCONT');
    };
  };
  return {
    groupId: place === 0 ? 0 : Number(node?.groupid),
    async kill() {
      // The node is stopped first, so that no process is started in between.
      freeze();
      const pids = [...childrenOf(pid), pid];
      for (const one of pids) signalIfThere(one, 'SIGKILL');
      await waitUntil('the node to be gone', 60_000, async () => {
        return pids.some((one) => isRunning(one)) ? undefined : true;
      });
    },
    async start() {
      const [program, ...args] = argv;
      const isMine = process.getuid?.() === uid;
      const options = { cwd: '/', env, detached: true, stdio: 'ignore', ...(isMine ? {} : { uid, gid }) } as const;
      await waitUntil('the node to accept connections', 60_000, async () => {
        // The node refuses to start while its shared memory from before the kill is in use.
        if (!isRunning(pid)) {
          const child = spawn(program, args, options);
          child.unref();
          pid = child.pid as number;
        }
        return administer(url, 'SELECT 1').then(
          () => true,
          () => undefined,
        );
      });
    },
    freeze,
  };
}

/** Returns the environment of a node, through which nodes find their user's keys when they connect to each other. */
function environmentOf(pid: number): Record<string, string> {
  const entries = readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .filter((entry) => entry.includes('='));
  return Object.fromEntries(entries.map((entry) => [entry.split('=', 1)[0], entry.slice(entry.indexOf('=') + 1)]));
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(Number(name)) === pid)
    .map(Number);
}

/** Returns undefined if the process has ended. */
function parentOf(pid: number): number | undefined {
  try {
    // State and parent come after the name, which may contain anything.
    const [, state, parent] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return state === 'Z' ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  return parentOf(pid) !== undefined;
}

/** Ignores a process that has ended since it was listed. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
