/** Sends requests to a demo server and keeps an example response for each error code. */
import { setTimeout as pause } from 'node:timers/promises';
import { DEMO_CREDENTIALS } from '../src/demo/demo-merchant.ts';
import type { API_PROBLEM_CODES } from '../src/domain/problem.ts';

export type Code = keyof typeof API_PROBLEM_CODES;
export type Fields = Readonly<Record<string, unknown>>;

export interface Example {
  /** Description of the request, for readers. */
  readonly request: string;
  readonly status: number;
  readonly answer: unknown;
}

/** Time limit for work that a healthy server does in seconds. */
export const PATIENCE_MS = 60_000;

export class Capture {
  readonly examples = new Map<string, Example>();
  readonly #url: string;
  #token = '';

  constructor(url: string) {
    this.#url = url;
  }

  signIn(environment: keyof typeof DEMO_CREDENTIALS = 'test'): Promise<void> {
    return this.signInWith(DEMO_CREDENTIALS[environment]);
  }

  async signInWith({ user, secret }: { readonly user: string; readonly secret: string }): Promise<void> {
    const { body } = await this.send('POST', '/token', { user, pass: secret });
    this.#token = (body as { id_token: string }).id_token;
  }

  /** If `body` is an object, it is sent as JSON, otherwise unchanged. */
  async send(method: string, target: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream;
    const payload = body === undefined || isRaw ? body : JSON.stringify(body);
    const response = await fetch(target.startsWith('http') ? target : `${this.#url}${target}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, ...headers },
      ...(payload === undefined ? {} : { body: payload as RequestInit['body'] & string, duplex: 'half' }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  }

  /** Sends a request that must succeed. */
  async done(method: string, target: string, body?: unknown): Promise<Fields> {
    const answer = await this.send(method, target, body);
    if (answer.status >= 300) throw new Error(`${method} ${target}: ${JSON.stringify(answer)}`);
    return (answer.body ?? {}) as Fields;
  }

  /** Sends a request that must be refused with the code. `shown` describes a body that is too long or not readable. */
  async refused(
    code: Code,
    method: string,
    target: string,
    body?: unknown,
    shown?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { status, body: answer } = await this.send(method, target, body, headers);
    const what = shown ?? (body === undefined ? '' : `with \`${typeof body === 'string' ? body : spaced(body)}\``);
    this.add(code, `\`${method} ${target}\` ${what}`, status, answer);
  }

  add(code: Code, request: string, status: number, answer: unknown): void {
    const { details = [] } = answer as { details?: { code: string }[] };
    if (!details.some((detail) => detail.code === code)) {
      throw new Error(`${request} does not return ${code}: ${JSON.stringify(answer)}`);
    }
    this.examples.set(code, { request, status, answer });
  }

  /** Uploads and submits a bulk file; resolves with its error file. */
  async fileErrors(type: string, bytes: string | Uint8Array): Promise<Fields> {
    const { url } = await this.done('GET', '/files/uploadToken');
    await this.done('PUT', String(url), bytes);
    const { marketplace_file_id: id } = await this.done('POST', '/files/uploaded', {
      url,
      file_type: type,
      file_name: 'example.json',
    });
    for (const endMs = Date.now() + PATIENCE_MS; Date.now() < endMs; await pause(20)) {
      const record = await this.done('GET', `/files/${id}`);
      if (record.status !== 'Acknowledged' && record.status !== 'Processing') {
        return this.done('GET', String(record.error_url));
      }
    }
    throw new Error('the file was not processed in time');
  }

  /** Captures a problem of a whole file, which its error file has under the key "". */
  async fileFault(code: Code, bytes: string | Uint8Array, shown?: string, key = ''): Promise<void> {
    const { [key]: fault } = await this.fileErrors('Price', bytes);
    const what = shown ?? `the content \`${bytes}\``;
    const { errors, details } = fault as Fields;
    this.add(code, `a bulk file with ${what}. Its error file contains this entry under the key \`"${key}"\``, 0, {
      errors,
      details,
    });
  }
}

/** Formats JSON in one line, with spaces as people write them. */
export function spaced(value: unknown): string {
  return JSON.stringify(value, undefined, 1)
    .replaceAll(/\n\s*/g, ' ')
    .replaceAll(/([[{]) | ([\]}])/g, '$1$2');
}
