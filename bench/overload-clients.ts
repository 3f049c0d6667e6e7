/**
 * Simulates many clients of one merchant on raw sockets, each with at most one request in flight, and prints the results as JSON; see
 * overload.ts. It uses raw sockets, because Node's HTTP client needs more CPU time than the server.
 */
import { connect, type Socket } from 'node:net';
import type { Clients, ClientsResult } from './overload.ts';
import { processSeconds } from './process-figures.ts';

const load = JSON.parse(process.argv[2] ?? '') as Clients;
const { hostname, port } = new URL(load.url);
/** Interval at which due requests are sent. */
const SEND_INTERVAL_MS = 2;

interface Client {
  readonly socket: Socket;
  sentMs: number;
}

const free: Client[] = [];
const taken_ms: number[] = [];
const refused_ms: number[] = [];
const others = new Map<number, number>();
let count = 0;

await Promise.all(Array.from({ length: load.connections }, open));
const startMs = performance.now() + load.warmUp_seconds * 1000;
const endMs = startMs + load.seconds * 1000;
let due = 0;
/** CPU seconds of the server and of this process before the measured time. */
let usedBefore: readonly [server: number, clients: number] | undefined;
let lastMs = performance.now();
await new Promise<void>((resolve) => {
  const timer = setInterval(() => {
    const nowMs = performance.now();
    due += ((nowMs - lastMs) * load.requestsPerSecond) / 1000;
    lastMs = nowMs;
    if (nowMs >= startMs) usedBefore ??= usedSeconds();
    while (due >= 1) {
      due -= 1;
      const client = free.pop();
      if (client !== undefined) send(client, nowMs);
    }
    if (nowMs >= endMs) {
      clearInterval(timer);
      resolve();
    }
  }, SEND_INTERVAL_MS);
});
const [serverUs, clientUs] = usedSeconds().map(
  (seconds, at) => ((seconds - (usedBefore?.[at] ?? 0)) * 1e6) / Math.max(1, taken_ms.length + refused_ms.length),
) as [number, number];
const result: ClientsResult = {
  takenPerSecond: taken_ms.length / load.seconds,
  takenP50Ms: quantile(taken_ms, 0.5),
  takenP99Ms: quantile(taken_ms, 0.99),
  refusedPerSecond: refused_ms.length / load.seconds,
  refusedP50Ms: quantile(refused_ms, 0.5),
  refusedP99Ms: quantile(refused_ms, 0.99),
  others: Object.fromEntries(others),
  serverUs,
  clientUs,
};
process.stdout.write(JSON.stringify(result), () => process.exit());

function usedSeconds(): [server: number, clients: number] {
  return [processSeconds(load.serverPid) ?? 0, processSeconds(process.pid) ?? 0];
}

function open(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true }, resolve);
    const client: Client = { socket, sentMs: 0 };
    let text = '';
    socket.setEncoding('latin1').on('data', (piece: string) => {
      text += piece;
      const head = text.indexOf('\r\n\r\n');
      if (head === -1) return;
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (text.length < head + 4 + length) return;
      answered(client, Number(text.slice(9, 12)), text.slice(0, head));
      text = '';
    });
    socket.once('error', reject);
    socket.once('close', () => {
      throw new Error('The server closed a connection.');
    });
    free.push(client);
  });
}

function send(client: Client, nowMs: number): void {
  // Requests are scattered over the SKUs.
  count = (count + 7919) % load.skus;
  const path = load.path.replace('{n}', String(count));
  const head = `${load.method} ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${load.token}\r\n`;
  client.sentMs = nowMs;
  client.socket.write(`${head}content-length: ${load.body.length}\r\n\r\n${load.body}`);
}

function answered(client: Client, status: number, head: string): void {
  const nowMs = performance.now();
  const isCounted = client.sentMs >= startMs && nowMs <= endMs;
  if (isCounted) {
    if (status >= 200 && status < 300) taken_ms.push(nowMs - client.sentMs);
    else if (status === 503) refused_ms.push(nowMs - client.sentMs);
    else others.set(status, (others.get(status) ?? 0) + 1);
  }
  const retry_seconds = Number(/\r\nretry-after: (\d+)/i.exec(head)?.[1] ?? 0);
  if (retry_seconds > 0 && load.isPatient) setTimeout(() => free.push(client), retry_seconds * 1000);
  else free.push(client);
}

function quantile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}
