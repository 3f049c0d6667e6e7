/**
 * Simulates many clients of one merchant on raw sockets, and prints the results as JSON; see clients.ts. It uses raw sockets and one
 * read buffer for all of them, because Node's HTTP client needs more CPU time than the server.
 */
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Catalog } from '../src/catalog-generator/catalog.ts';
import type { Clients, ClientsResult } from './clients.ts';
import { planOf } from './generated-files.ts';
import { cpuTime, machineTime, noiseBetween, readProc } from './machine.ts';
import { quantile } from './median.ts';
import { requestWriter } from './request-text.ts';
import { skuName } from './seed-store.ts';

const load = JSON.parse(process.argv[2] ?? '') as Clients;
const { hostname, port } = new URL(load.server.url);
/** Interval at which due requests are sent. */
const SEND_INTERVAL_MS = 2;
const READ_BYTES = 65_536;
/** On a busy machine, the times are extended until this many requests were answered, so that CPU times for each request are comparable. */
const ANSWERS_MIN = { warmUp: 3_000, measured: 6_000 };
const EXTENDED_MAX = 5;

interface Client {
  socket: Socket;
  /** Zero if no request is in flight. */
  dueMs: number;
  status: number;
  retry_seconds: number;
  /** Bytes of the body that have not arrived. */
  missing: number;
  /** Start of a response whose header has not arrived as a whole. */
  head: string;
}

const catalog = load.seed === undefined ? undefined : new Catalog(planOf(load.seed));
const requestText = requestWriter(load, randomUUID(), catalog === undefined ? skuName : (n) => catalog.skuId(n));
const readBuffer = Buffer.allocUnsafe(READ_BYTES);
const free: Client[] = [];
const taken_ms: number[] = [];
const refused_ms: number[] = [];
const refused: Record<string, number> = {};
let answers = 0;
let skipped = 0;
let lost = 0;
let sent = load.sentBefore ?? 0;
let isMeasuring = false;
let hasEnded = false;

await Promise.all(Array.from({ length: load.connections }, () => open(newClient())));
const timer = load.requestsPerSecond === undefined ? undefined : sendAtRate(load.requestsPerSecond);
if (timer === undefined) for (const client of free.splice(0)) send(client, performance.now());
await passed(load.warmUp_seconds, ANSWERS_MIN.warmUp);
const before = await used();
isMeasuring = true;
const startMs = performance.now();
await passed(load.seconds, ANSWERS_MIN.measured);
isMeasuring = false;
hasEnded = true;
const seconds = (performance.now() - startMs) / 1000;
clearInterval(timer);
const after = await used();
report();

async function passed(waited_seconds: number, answersMin: number): Promise<void> {
  const answersBefore = answers;
  for (let time = 0; time < EXTENDED_MAX; time++) {
    await pause(waited_seconds * 1000);
    if (load.requestsPerSecond !== undefined || answers - answersBefore >= answersMin) return;
  }
}

async function used() {
  const server = await cpuTime(load.server);
  const { user, system } = process.cpuUsage();
  // The benchmark started this process and the servers.
  return { server, clientUs: user + system, machine: machineTime(readProc, process.ppid) };
}

function report(): void {
  const responses = Math.max(1, taken_ms.length + refused_ms.length);
  const spentUs = (end: number | undefined, start: number | undefined) =>
    end === undefined || start === undefined ? null : ((end - start) * 1e6) / responses;
  const sorted = taken_ms.toSorted((one, other) => one - other);
  const sortedRefused = refused_ms.toSorted((one, other) => one - other);
  const clientUs = after.clientUs - before.clientUs;
  const result: ClientsResult = {
    takenPerSecond: taken_ms.length / seconds,
    takenP50Ms: quantile(sorted, 0.5),
    takenP99Ms: quantile(sorted, 0.99),
    takenMaxMs: sorted.at(-1) ?? null,
    refusedP50Ms: quantile(sortedRefused, 0.5),
    refusedP99Ms: quantile(sortedRefused, 0.99),
    refused,
    refusedPerSecond: refused_ms.length / seconds,
    skipped,
    lost,
    mainUs: spentUs(after.server.main, before.server.main),
    serverUs: spentUs(after.server.all, before.server.all),
    clientUs: clientUs / responses,
    clientCores: clientUs / 1e6 / seconds,
    sent,
    noise: noiseBetween(before.machine, after.machine) ?? null,
  };
  process.stdout.write(JSON.stringify(result), () => process.exit());
}

function newClient(): Client {
  return { socket: undefined as unknown as Socket, dueMs: 0, status: 0, retry_seconds: 0, missing: 0, head: '' };
}

function open(client: Client): Promise<void> {
  return new Promise((resolve, reject) => {
    const onread = {
      buffer: readBuffer,
      callback(bytes: number) {
        received(client, bytes);
        return true;
      },
    };
    client.socket = connect({ host: hostname, port: Number(port), noDelay: true, onread }, () => {
      free.push(client);
      resolve();
    });
    client.socket.once('error', reject);
    client.socket.once('close', () => {
      // A connection that the server closes is opened again, as clients do.
      if (isMeasuring) lost++;
      const at = free.indexOf(client);
      if (at !== -1) free.splice(at, 1);
      if (!hasEnded) void open(newClient()).then(sendFreed);
    });
  });
}

function sendFreed(): void {
  if (timer !== undefined) return;
  const client = free.pop();
  if (client !== undefined) send(client, performance.now());
}

function sendAtRate(requestsPerSecond: number): NodeJS.Timeout {
  const firstMs = performance.now();
  let count = 0;
  return setInterval(() => {
    const nowMs = performance.now();
    for (;;) {
      const dueMs = firstMs + (count * 1000) / requestsPerSecond;
      if (dueMs > nowMs) return;
      count++;
      const client = free.pop();
      if (client !== undefined) send(client, dueMs);
      else if (isMeasuring) skipped++;
    }
  }, SEND_INTERVAL_MS);
}

function send(client: Client, dueMs: number): void {
  client.dueMs = dueMs;
  client.socket.write(requestText(sent++), 'latin1');
}

function received(client: Client, bytes: number): void {
  if (client.missing > 0) {
    client.missing -= bytes;
  } else {
    client.head += readBuffer.toString('latin1', 0, bytes);
    const end = client.head.indexOf('\r\n\r\n');
    if (end === -1) return;
    const { head } = client;
    client.head = '';
    client.status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    client.missing = Number(length ?? 0) - (head.length - end - 4);
    client.retry_seconds = client.status < 300 ? 0 : Number(/\r\nretry-after: (\d+)/i.exec(head)?.[1] ?? 0);
  }
  if (client.missing === 0) answered(client);
}

function answered(client: Client): void {
  const nowMs = performance.now();
  const { dueMs, status } = client;
  answers++;
  if (isMeasuring && dueMs >= startMs) {
    if (status >= 200 && status < 300) taken_ms.push(nowMs - dueMs);
    else {
      refused_ms.push(nowMs - dueMs);
      refused[status] = (refused[status] ?? 0) + 1;
    }
  }
  if (client.retry_seconds > 0 && load.isPatient) {
    setTimeout(() => {
      free.push(client);
      sendFreed();
    }, client.retry_seconds * 1000);
  } else if (timer === undefined) {
    if (!hasEnded) send(client, nowMs);
  } else free.push(client);
}
