/** In charge of calls to the server: typed by its OpenAPI document, with the session's CSRF token. */
import createClient from 'openapi-fetch';
import { parseExact, stringifyExact } from './exact-json.ts';
import { noAnswer, outOfDate, refusal } from './problem.ts';
import type { paths } from './schema.d.ts';

const CSRF_HEADER = 'X-CSRF-Token';

let csrfToken: string | null = null;
let onSignedOut: () => void = () => {};
let onSessionMoved: () => void = () => {};

/** Of the session in force; every answer about the session brings it. */
export function keepCsrfToken(token: string | null): void {
  csrfToken = token;
}

/** Called when the server no longer knows the session. */
export function whenSignedOut(callback: () => void): void {
  onSignedOut = callback;
}

/** For whoever learns it from elsewhere than an answer. */
export function tellSignedOut(): void {
  onSignedOut();
}

/** Called when the session is another one than this page knows, or has changed. */
export function whenSessionMoved(callback: () => void): void {
  onSessionMoved = callback;
}

/** Below the page's own base, whichever path the portal is served under. */
const API_URL = new URL('api', document.baseURI).href;

export const api = createClient<paths>({
  baseUrl: API_URL,
  credentials: 'same-origin',
  fetch: fetchExact,
  bodySerializer: stringifyExact,
});

api.use({
  onRequest({ request }) {
    // With reads too: some of them begin a change.
    if (csrfToken !== null) request.headers.set(CSRF_HEADER, csrfToken);
    return request;
  },
});

/** Answers whose JSON is read exactly, in neutral names. */
async function fetchExact(request: Request): Promise<Response> {
  const response = await fetch(request);
  const text = await response.text();
  const headers = new Headers(response.headers);
  // Without a length the client would parse the text by itself.
  headers.set('content-length', String(text.length));
  const answer = new Response(text === '' ? null : text, { status: response.status, headers });
  return Object.assign(answer, { json: async () => parseExact(text) });
}

interface Answered<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** The data of a good answer; throws an ApiError else. */
export async function ask<T>(call: Promise<Answered<T>>): Promise<T> {
  let answered: Answered<T>;
  try {
    answered = await call;
  } catch {
    throw noAnswer();
  }
  const { data, error, response } = answered;
  if (response.ok) return data as T;
  const problem = refusal(response.status, error);
  if (problem.has('session_missing') || problem.has('session_ended')) onSignedOut();
  if (problem.has('merchant_suspended')) onSessionMoved();
  if (!problem.has('csrf_invalid')) throw problem;
  onSessionMoved();
  throw outOfDate(response.status);
}
