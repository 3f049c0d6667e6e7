/** Starts and stops the measured server in a separate process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DEMO_CREDENTIALS } from '../src/demo/demo-merchant.ts';

export interface MeasuredServer {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Flags of `npm start` and docs/operate/deploy.md, which reduce garbage in memory. */
const ENGINE: readonly string[] = ['--max-semi-space-size=16', '--heap-growing-percent=60'];
const SERVE: readonly string[] = [...ENGINE, 'src/cli/main.mjs', 'serve', '--demo'];

/** Starts Offerbook on the given database, with a raised request limit and without image checks. */
export function startOfferbook(
  dataDir: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<MeasuredServer> {
  return startServer(SERVE, {
    PORT: '0',
    DEMO_OFFERS: 'off',
    DATA_DIR: dataDir,
    REQUESTS_PER_MINUTE: '100000000',
    IMAGE_CHECK: 'off',
    ...variables,
  });
}

export async function requestToken(url: string, { user, secret } = DEMO_CREDENTIALS.test): Promise<string> {
  const response = await fetch(`${url}/token`, { method: 'POST', body: JSON.stringify({ user, pass: secret }) });
  return ((await response.json()) as { id_token: string }).id_token;
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
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
