/** Sends requests that no HTTP library would send: exact bytes in, parsed responses out. */
import { once } from 'node:events';
import net from 'node:net';
import type { ApiAnswer } from './api-client.ts';

/**
 * Deadline for responses to slowly sent requests and for closed connections. It is far above the limits that such tests set, even on a busy
 * machine, and below the smallest default limit (15 s).
 */
const DEADLINE_MS = 14_000;
/** Deadline for responses to complete requests. A test may send thousands of them on a busy machine. */
const PATIENCE_MS = 60_000;

export interface RawRequest {
  readonly method?: string;
  /** The target as in the request line. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent with a Content-Length, unless the headers have a Transfer-Encoding. */
  readonly body?: string | Uint8Array;
}

/** Returns the bytes of a request. It adds only a missing host header. */
export function requestBytes(request: RawRequest): Buffer {
  const { method = 'GET', target, headers = {}, body } = request;
  const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(body);
  const isChunked = 'transfer-encoding' in headers;
  const lines = Object.entries({
    host: 'offerbook.example',
    ...(body === undefined || isChunked ? {} : { 'content-length': String(bytes.length) }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`), bytes]);
}

/** Returns one chunk with the whole body, and the last chunk. */
export function chunked(body: string): string {
  return `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}

/** Sends one request on its own connection. */
export async function sendRaw(url: string, request: RawRequest): Promise<ApiAnswer> {
  return one(await exchange(url, requestBytes(request), [request.method ?? 'GET']));
}

/** Sends bytes that may not be a valid request; resolves with the one response. */
export async function sendBytes(url: string, bytes: string | Uint8Array): Promise<ApiAnswer> {
  return one(await exchange(url, Buffer.from(bytes), ['GET']));
}

/** Sends all requests at once on one connection and resolves with their responses in order. */
export function pipeline(url: string, requests: readonly RawRequest[]): Promise<ApiAnswer[]> {
  const methods = requests.map((request) => request.method ?? 'GET');
  return exchange(url, Buffer.concat(requests.map(requestBytes)), methods);
}

/** A connection that the test writes to step by step. */
export class RawConnection {
  readonly #socket: net.Socket;
  #received = Buffer.alloc(0);
  #ended = false;
  #wake = () => {};

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    // A reset after the response does not invalidate the response.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = net.connect({ host: hostname, port: Number(port) });
    const connection = new RawConnection(socket);
    await once(socket, 'connect');
    return connection;
  }

  write(bytes: string | Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Returns the next response; undefined if the server closed the connection without one. */
  async answer(method = 'GET', deadlineMs = DEADLINE_MS): Promise<ApiAnswer | undefined> {
    const endMs = performance.now() + deadlineMs;
    for (;;) {
      const parsed = parseAnswer(this.#received, method);
      if (parsed !== undefined) {
        this.#received = this.#received.subarray(parsed.length);
        if (parsed.answer.status !== 100) return parsed.answer;
        continue;
      }
      if (this.#ended) return undefined;
      await this.#news(endMs - performance.now());
    }
  }

  /** Resolves when the server has closed the connection. */
  async closed(): Promise<void> {
    const endMs = performance.now() + DEADLINE_MS;
    while (!this.#ended) await this.#news(endMs - performance.now());
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #news(within_ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const received = this.#received.toString('latin1', 0, 500);
      const timer = setTimeout(
        () => reject(new Error(`no (further) response in time; received: ${received}`)),
        Math.max(0, within_ms),
      );
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

async function exchange(url: string, bytes: Uint8Array, methods: readonly string[]): Promise<ApiAnswer[]> {
  const connection = await RawConnection.open(url);
  try {
    connection.write(bytes);
    const answers: ApiAnswer[] = [];
    for (const method of methods) {
      const answer = await connection.answer(method, PATIENCE_MS);
      if (answer === undefined) throw new Error(`the connection ended after ${answers.length} responses`);
      answers.push(answer);
    }
    return answers;
  } finally {
    connection.destroy();
  }
}

function one(answers: readonly ApiAnswer[]): ApiAnswer {
  const [answer] = answers;
  if (answer === undefined) throw new Error('there is no response');
  return answer;
}

/** Returns the first complete response in the received bytes, and its length. Does not support chunked responses. */
function parseAnswer(received: Buffer, method: string): { answer: ApiAnswer; length: number } | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [statusLine = '', ...lines] = received.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]));
  if (headers.has('transfer-encoding')) throw new Error('a chunked response was not expected');
  const hasBody = method !== 'HEAD' && status !== 100;
  const bodyStart = headEnd + 4;
  const length = bodyStart + (hasBody ? Number(headers.get('content-length') ?? 0) : 0);
  if (received.length < length) return undefined;
  const text = received.toString('utf8', bodyStart, length);
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false;
  return { answer: { status, headers, text, body: isJson && text !== '' ? JSON.parse(text) : undefined }, length };
}
