/** API client, typed by the server's OpenAPI document; adds the session's CSRF token to each request. */
import createClient from 'openapi-fetch';
import { parseExact, stringifyExact } from './exact-json.ts';
import { whenOnline } from './offline.ts';
import { ApiError, noAnswer, outOfDate, refusal } from './problem.ts';
import type { paths } from './schema.d.ts';

const CSRF_HEADER = 'X-CSRF-Token';

/** Refusals that a person who was as the page shows them would not get. */
const CHANGED_PEOPLE = ['merchant_suspended', 'viewing_as_merchant', 'passkey_required'] as const;

let csrfToken: string | null = null;
let onSignedOut: () => void = () => {};
let onNotFresh: () => void = () => {};
let onSessionChanged: () => void = () => {};

/** Stores the current session's token; every response about the session contains it. */
export function keepCsrfToken(token: string | null): void {
  csrfToken = token;
}

/** Registers a callback for when the session has ended, here or in another tab. */
export function whenSignedOut(callback: () => void): void {
  onSignedOut = callback;
}

/** Registers a callback for a change that needs a fresh sign-in. */
export function whenNotFresh(callback: () => void): void {
  onNotFresh = callback;
}

/** Reports a sign-out that was not noticed through a response, for example in another tab. */
export function reportSignedOut(): void {
  onSignedOut();
}

/** Registers a callback for the case that the session differs from the one that this page uses. */
export function whenSessionChanged(callback: () => void): void {
  onSessionChanged = callback;
}

/** The API's URL is relative to the page's base, because the portal may be served under any path. */
export const API_URL = new URL('api', document.baseURI).href;

export const api = createClient<paths>({
  baseUrl: API_URL,
  credentials: 'same-origin',
  fetch: fetchExact,
  bodySerializer: stringifyExact,
});

api.use({
  onRequest({ request }) {
    // GET requests need the token too, because some of them start a change.
    if (csrfToken !== null) request.headers.set(CSRF_HEADER, csrfToken);
    return request;
  },
});

/** Parses JSON without losing digits of integers beyond 2^53. */
async function fetchExact(request: Request): Promise<Response> {
  // Queries wait for the connection on their own.
  if (request.method !== 'GET') await whenOnline();
  const response = await fetch(request);
  const text = await response.text();
  const headers = new Headers(response.headers);
  // Without this header, openapi-fetch would parse the text itself.
  headers.set('content-length', String(text.length));
  const answer = new Response(text === '' ? null : text, { status: response.status, headers });
  return Object.assign(answer, { json: async () => parseExact(text) });
}

interface ApiResult<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** Data with its `ETag`, which a write of the same data sends back; null if the data is not set. */
export type Versioned<T> = T & { readonly etag: string | null };

/** Returns the headers that make the server refuse a write unless the stored data still has this version. Null stands for "not set". */
export function onlyIf(etag: string | null): { readonly 'If-Match': string } | { readonly 'If-None-Match': '*' } {
  return etag === null ? { 'If-None-Match': '*' } : { 'If-Match': etag };
}

/** Returns the data of a successful response, or throws an ApiError. */
export async function ask<T>(call: Promise<ApiResult<T>>): Promise<T> {
  return (await succeed(call)).data;
}

export async function askVersioned<T extends object>(call: Promise<ApiResult<T>>): Promise<Versioned<T>> {
  const { data, response } = await succeed(call);
  return { ...data, etag: response.headers.get('etag') };
}

async function succeed<T>(call: Promise<ApiResult<T>>): Promise<{ readonly data: T; readonly response: Response }> {
  let result: ApiResult<T>;
  try {
    result = await call;
  } catch (error) {
    throw error instanceof ApiError ? error : noAnswer();
  }
  const { data, error, response } = result;
  if (response.ok) return { data: data as T, response };
  const problem = refusal(response.status, error);
  if (problem.has('session_missing') || problem.has('session_ended')) onSignedOut();
  if (problem.has('sign_in_not_fresh')) onNotFresh();
  if (CHANGED_PEOPLE.some((code) => problem.has(code))) onSessionChanged();
  if (!problem.has('csrf_invalid')) throw problem;
  onSessionChanged();
  throw outOfDate(response.status);
}

/** Returns the request options for a binary body, which the OpenAPI document types as a string. */
export function fileBody(file: File) {
  return {
    body: file as unknown as string,
    bodySerializer: (body: unknown) => body as File,
    headers: { 'Content-Type': 'application/octet-stream' },
  };
}
