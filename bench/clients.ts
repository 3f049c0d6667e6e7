/** Describes the load of many clients of one merchant, which a separate process generates: client-process.ts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Noise } from './machine.ts';
import type { MeasuredServer } from './server-process.ts';

export interface Clients {
  readonly server: Pick<MeasuredServer, 'url' | 'pid' | 'cpuUrl'>;
  readonly token: string;
  readonly method: 'GET' | 'PUT' | 'PATCH';
  /** In path and body, `{sku}` is replaced by a SKU id, and `{value}` by five digits that differ from those last sent for this SKU. */
  readonly path: string;
  readonly body?: string;
  /** Whether each request has its own `Idempotency-Key`. */
  readonly hasKeys?: boolean;
  /** Number of the first SKU, and how many there are. */
  readonly firstSku?: number;
  readonly skus: number;
  /** The SKUs are those of a generated catalog with this seed, and not those of seed-store.ts. */
  readonly seed?: number;
  /** Number of requests that earlier runs sent, so that this run sends other values. */
  readonly sentBefore?: number;
  /** Each connection has at most one request in flight. */
  readonly connections: number;
  /** Rate at which requests become due, whether responses arrive or not. Without it, each response causes the next request. */
  readonly requestsPerSecond?: number;
  /** Whether clients honor `Retry-After`. */
  readonly isPatient?: boolean;
  readonly warmUp_seconds: number;
  readonly seconds: number;
}

export interface ClientsResult {
  readonly takenPerSecond: number;
  /** From the time at which a request became due to the end of its response; null if there was none. */
  readonly takenP50Ms: number | null;
  readonly takenP99Ms: number | null;
  readonly takenMaxMs: number | null;
  readonly refusedP50Ms: number | null;
  readonly refusedP99Ms: number | null;
  /** Number of responses by status, of those that did not accept the request. */
  readonly refused: Readonly<Record<string, number>>;
  readonly refusedPerSecond: number;
  /** Requests that became due while all connections were in use, and connections that the server closed. */
  readonly skipped: number;
  readonly lost: number;
  /** CPU time for each response, in microseconds: the server's main thread and all its threads, and the clients. */
  readonly mainUs: number | null;
  readonly serverUs: number | null;
  readonly clientUs: number;
  /** Number of cores that the clients used. */
  readonly clientCores: number;
  /** Number of requests that this run and those before it sent, including their warm-up. */
  readonly sent: number;
  readonly noise: Noise | null;
}

export async function runClients(clients: Clients): Promise<ClientsResult> {
  const script = path.join(import.meta.dirname, 'client-process.ts');
  const child = spawn(process.execPath, [script, JSON.stringify(clients)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number | null]>]);
  if (code !== 0) throw new Error(`The client process ended with code ${code}.`);
  return JSON.parse(output) as ClientsResult;
}
