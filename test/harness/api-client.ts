/** API client for tests, over real HTTP, as a merchant's program would call it. */
import assert from 'node:assert/strict';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { parseExactJson, stringifyExactJson } from '../../src/domain/int64.ts';
import { STATUSES } from '../../src/domain/vocabulary/statuses.ts';
import { respell, toNeutral } from './spellings.ts';
import { startTestServer, type TestServer } from './test-server.ts';
import { FIRST_VARIANT, type Variant } from './variants.ts';
import { waitUntil } from './wait-until.ts';

/** Far longer than a review takes, so a test that waits this long has failed. */
const REVIEW_MS_MAX = 60_000;

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON with neutral names; undefined for an empty body. */
  readonly body: unknown;
  readonly text: string;
}

export interface ExpectedProblem {
  readonly code: string;
  readonly field: string;
  readonly message: string;
}

type Environment = keyof typeof DEMO_CREDENTIALS;

export class ApiClient {
  readonly server: TestServer;
  readonly variant: Variant;
  readonly token: string;
  static #skuCount = 0;

  constructor(server: TestServer, variant: Variant, token: string) {
    this.server = server;
    this.variant = variant;
    this.token = token;
  }

  static async open(
    variant: Variant = FIRST_VARIANT,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<ApiClient> {
    const server = await startTestServer({ ...variant.settings, ...settings }, variant.store);
    return new ApiClient(server, variant, await requestToken(server.url, 'test'));
  }

  /** Returns a client for another environment of the demo merchant on the same server. */
  async inEnvironment(environment: Environment): Promise<ApiClient> {
    return new ApiClient(this.server, this.variant, await requestToken(this.server.url, environment));
  }

  /** Returns a SKU id that no other test uses. */
  newSkuId(): string {
    return `sku-${ApiClient.#skuCount++}`;
  }

  /** Returns a valid product code that no other test uses, so that its product is not in the catalog. */
  newProductCodes(): Record<string, unknown> {
    return { standard_product_codes: [{ standard_product_code_type: 'UPC', standard_product_code: newUpc() }] };
  }

  /** `body` is sent as JSON; text and bytes are sent unchanged. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiAnswer> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const payload = body === undefined || isRaw ? body : stringifyExactJson(body);
    const response = await fetch(`${this.server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', ...headers },
      ...(payload === undefined
        ? {}
        : {
            body: typeof payload === 'string' ? respell(this.variant, payload) : (payload as Uint8Array<ArrayBuffer>),
          }),
    });
    const text = toNeutral(this.variant, await response.text());
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== '' ? parseExactJson(text) : undefined,
      text,
    };
  }

  get(path: string): Promise<ApiAnswer> {
    return this.send('GET', path);
  }

  put(path: string, body?: unknown): Promise<ApiAnswer> {
    return this.send('PUT', path, body);
  }

  patch(path: string, body?: unknown): Promise<ApiAnswer> {
    return this.send('PATCH', path, body);
  }

  /** Uploads a SKU and returns its path. */
  async uploadedSku(fields: Readonly<Record<string, unknown>> = {}, skuId: string = this.newSkuId()): Promise<string> {
    const path = skuPath(skuId);
    await this.accepted('PUT', path, { ...minimalSku(), ...fields });
    return path;
  }

  /** Sends and asserts the success response of every PUT and PATCH: 202 with an empty body. */
  async accepted(method: string, path: string, body: unknown): Promise<ApiAnswer> {
    const answer = await this.send(method, path, body);
    assert.deepEqual({ status: answer.status, text: answer.text }, { status: 202, text: '' });
    return answer;
  }

  /** Sends and asserts a refusal with exactly these problems, in this order. */
  async refused(
    method: string,
    path: string,
    body: unknown,
    problems: readonly ExpectedProblem[],
    status = 400,
  ): Promise<ApiAnswer> {
    const answer = await this.send(method, path, body);
    assertProblems(answer, problems, status);
    return answer;
  }

  /** Reads and asserts a 200; returns the parsed body, for a SKU after its review. */
  async found(path: string): Promise<Record<string, unknown>> {
    return waitUntil(`the review of ${path}`, REVIEW_MS_MAX, async () => {
      const body = await this.foundNow(path);
      return body.status === STATUSES.review ? undefined : body;
    });
  }

  /** Like `found`, without waiting for the review. */
  async foundNow(path: string): Promise<Record<string, unknown>> {
    const answer = await this.get(path);
    assert.equal(answer.status, 200, answer.text);
    const { merchant_sku, ...read } = answer.body as Record<string, unknown>;
    // Every SKU read contains the SKU id, so tests compare only the rest.
    if (merchant_sku !== undefined) assert.equal(merchant_sku, skuIdIn(path));
    return read;
  }
}

export function assertProblems(answer: ApiAnswer, expected: readonly ExpectedProblem[], status = 400): void {
  const problems = expected.map((problem, place) => withKind(problem, messageAt(answer.body, place)));
  assert.deepEqual(
    { status: answer.status, body: answer.body },
    { status, body: { errors: problems.map((problem) => problem.message), details: problems } },
  );
}

const KIND = /^(?:, not (?:a|an) [a-z ]+|, not null| \((?:not (?:a|an) [a-z ]+|not null)\))$/;

/** Adds the type that was sent, which ends the message of a wrong type. Only tests of the checker compare it. */
function withKind(problem: ExpectedProblem, message: string): ExpectedProblem {
  const isFit =
    problem.code === 'wrong_type' &&
    message.startsWith(problem.message) &&
    KIND.test(message.slice(problem.message.length));
  return isFit ? { ...problem, message } : problem;
}

function messageAt(body: unknown, place: number): string {
  const { errors } = (body ?? {}) as { errors?: readonly string[] };
  return errors?.[place] ?? '';
}

/** Returns a problem at a field, whose message is the field name, a colon and the text. */
export function problemAt(code: string, label: string, text: string): ExpectedProblem {
  const field = `/${label.replaceAll(/\[(\d+)\]/g, '/$1').replaceAll('.', '/')}`;
  return { code, field, message: `${label}: ${text}` };
}

/** Returns the problem of an unknown path, given without its query. */
export function noSuchAddress(method: string, path: string): ExpectedProblem {
  return requestProblem('route_not_found', `No such path: ${method} ${path}. Check it against /docs/api.`);
}

export function requestProblem(code: string, message: string): ExpectedProblem {
  return { code, field: '', message };
}

/** Returns the SKU id in a path, or in the query `sku`. */
function skuIdIn(path: string): string | undefined {
  const [, encoded] = /[?&]sku=([^&]*)/.exec(path) ?? /\/([^/?]*)\/?(?:\?|$)/.exec(path) ?? [];
  return encoded === undefined ? undefined : decodeURIComponent(encoded);
}

export function skuPath(skuId: string): string {
  return `/merchant-skus/${encodeURIComponent(skuId)}`;
}

/** Returns a minimal SKU upload, which needs only a price to be available for purchase. */
export function minimalSku(): Record<string, unknown> {
  return {
    product_title: 'Enamelled cast iron pot, 5 litres',
    multipack_quantity: 1,
    standard_product_codes: [{ standard_product_code_type: 'UPC', standard_product_code: '012345678905' }],
    brand: 'Potter & Sons',
    main_image_url: 'https://images.example/pot.jpg',
    marketplace_browse_node_id: 1_010_100,
  };
}

let upcCount = 0;

function newUpc(): string {
  const body = `2${String(upcCount++).padStart(10, '0')}`;
  let sum = 0;
  for (let place = 0; place < body.length; place++) sum += Number(body[place]) * (place % 2 === 0 ? 3 : 1);
  return `${body}${(10 - (sum % 10)) % 10}`;
}

export async function requestToken(url: string, environment: Environment): Promise<string> {
  const { user, secret } = DEMO_CREDENTIALS[environment];
  // On a machine that loses time, a call may exceed the time limit of the database.
  const { id_token } = await waitUntil('a token', REVIEW_MS_MAX, async () => {
    const response = await fetch(`${url}/token`, { method: 'POST', body: JSON.stringify({ user, pass: secret }) });
    const body = (await response.json()) as { id_token: string };
    return response.status === 503 ? undefined : body;
  });
  return id_token;
}
