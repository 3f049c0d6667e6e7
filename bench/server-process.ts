/** Starts and stops the measured servers in separate processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { DEMO_CREDENTIALS } from '../src/demo/demo-merchant.ts';

export interface MeasuredServer {
  readonly url: string;
  readonly pid: number;
  /** Metrics page with the CPU time of the server, for systems without /proc. */
  readonly cpuUrl: string;
  stop(): Promise<void>;
}

/** Offerbook, which also reports the backlog of its review. */
export interface MeasuredOfferbook extends MeasuredServer {
  /** Offers not yet reviewed. */
  dueOffers(): Promise<number>;
  /** Resolves when the review has no backlog. */
  reviewed(): Promise<void>;
  /** Resolves when no client is connected. */
  connectionsClosed(): Promise<void>;
}

/** Flags of `npm start` and docs/operate/deploy.md, which reduce garbage in memory. */
const ENGINE: readonly string[] = ['--max-semi-space-size=16', '--heap-growing-percent=60'];
const SERVE: readonly string[] = [...ENGINE, 'src/cli/main.mjs', 'serve', '--demo'];
/** A metric is read this many times, because it is missing while the database does not respond, for example after a large file. */
const LOOKS_MAX = 100;
const LOOK_MS = 200;

/** Starts Offerbook on the given database, with a raised request limit and without image checks. */
export async function startOfferbook(
  dataDir: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<MeasuredOfferbook> {
  const metricsPort = await freePort();
  const cpuUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  const server = await startServer(SERVE, {
    PORT: '0',
    METRICS_PORT: String(metricsPort),
    DEMO_OFFERS: 'off',
    DATA_DIR: dataDir,
    REQUESTS_PER_MINUTE: '100000000',
    IMAGE_CHECK: 'off',
    LOG_LEVEL: 'warn',
    ...variables,
  });
  const figure = async (name: string): Promise<number> => {
    for (let look = 1; look <= LOOKS_MAX; look++) {
      const page = await (await fetch(cpuUrl)).text();
      const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1];
      if (found !== undefined) return Number(found);
      await pause(LOOK_MS);
    }
    throw new Error(`The server does not report ${name}.`);
  };
  const dueOffers = () => figure('offerbook_review_due_offers');
  return {
    ...server,
    cpuUrl,
    dueOffers,
    async reviewed() {
      // Checks images first: a checked image makes its offers due before it leaves the queue.
      while ((await figure('offerbook_images_waiting')) > 0 || (await dueOffers()) > 0) await pause(LOOK_MS);
    },
    async connectionsClosed() {
      while ((await figure('offerbook_http_connections')) > 0) await pause(LOOK_MS);
    },
  };
}

export async function requestToken(url: string, { user, secret } = DEMO_CREDENTIALS.test): Promise<string> {
  const response = await fetch(`${url}/token`, { method: 'POST', body: JSON.stringify({ user, pass: secret }) });
  return ((await response.json()) as { id_token: string }).id_token;
}

/** Sends single calls on kept connections. */
export class Caller implements Disposable {
  readonly #url: string;
  readonly #headers: http.OutgoingHttpHeaders;
  readonly #agent = new http.Agent({ keepAlive: true });

  constructor(url: string, token: string) {
    this.#url = url;
    this.#headers = { authorization: `Bearer ${token}` };
  }

  send(method: string, path: string, body?: string): Promise<{ status: number | undefined; text: string }> {
    return new Promise((resolve, reject) => {
      const options = { method, agent: this.#agent, headers: this.#headers };
      const request = http.request(`${this.#url}${path}`, options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve({ status: response.statusCode, text }));
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The server may close an idle connection just as the request begins.
        if (request.reusedSocket && error.code === 'ECONNRESET') this.send(method, path, body).then(resolve, reject);
        else reject(error);
      });
      request.end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

/** Starts a script that prints a line `API <url>`, with any number of spaces. */
export async function startServer(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<MeasuredServer> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, NODE_ENV: '', ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  // A benchmark that fails would leave it running.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const found = /^API +(\S+)$/m.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    exited.then(() => reject(new Error(`the server ended:\n${output}`)), reject);
  });
  return {
    url,
    pid: child.pid ?? 0,
    cpuUrl: `${url}/metrics`,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}
