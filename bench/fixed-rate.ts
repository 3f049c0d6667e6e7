/**
 * In charge of load at a fixed rate: a call is due every so often, whether or not those before it were answered. Each
 * takes from when it was due until its answer, so that a server that stalls is not spared the calls of that time.
 */
import { Agent, request } from 'node:http';

export interface FixedRate {
  readonly url: string;
  readonly token: string;
  readonly perSecond: number;
  readonly body: string;
  /** Of the n-th call. */
  readonly pathOf: (n: number) => string;
  /** Asked before each call. */
  readonly isOver: () => boolean;
}

export interface FixedRateResult {
  readonly calls: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

export async function putAtFixedRate(load: FixedRate): Promise<FixedRateResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const took: number[] = [];
  const open = new Set<Promise<void>>();
  const startMs = performance.now();
  const step_ms = 1000 / load.perSecond;
  for (let n = 0; !load.isOver(); ) {
    const untilMs = performance.now();
    for (; startMs + n * step_ms <= untilMs; n++) {
      const dueMs = startMs + n * step_ms;
      const call = put(agent, load, load.pathOf(n)).then(() => {
        took.push(performance.now() - dueMs);
        open.delete(call);
      });
      open.add(call);
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(open);
  agent.destroy();
  took.sort((one, other) => one - other);
  const at = (share: number) => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? Number.NaN;
  return { calls: took.length, p50Ms: at(0.5), p99Ms: at(0.99), longestMs: at(1) };
}

function put(agent: Agent, { url, token, body }: FixedRate, path: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const call = request(`${url}${path}`, { method: 'PUT', agent, headers }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 202) resolve();
        else reject(new Error(`${path} was answered ${response.statusCode}`));
      });
    });
    call.on('error', reject).end(body);
  });
}
